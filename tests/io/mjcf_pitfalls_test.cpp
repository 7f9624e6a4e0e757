// SPDX-License-Identifier: BSD-3-Clause
// Files of one line, each for a rule of MJCF that is easily got wrong, and wrong files, against what MuJoCo says.
#include <map>

#include "mjcf_support.hpp"

namespace zwang::test {
namespace {

class MjcfPitfalls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shared_folder("oracles").empty()) GTEST_SKIP() << "the shared files are not beside the checkout";
    document_ = JsonDocument::parse(content_of(shared_folder("oracles") / "formats" / "mjcf_pitfalls.json"),
                                    "mjcf_pitfalls.json");
  }
  JsonNode root() const { return document_.root(); }

 private:
  JsonDocument document_ = JsonDocument::parse("{}", "none");
};

TEST_F(MjcfPitfalls, HaveMujocosNumbers) {
  const JsonNode loads = root()["loads"];
  const std::map<std::string, std::string> warned = {
      {"poly_damping", "W_MJCF_IGNORED"}, {"tendon_armature", "W_MJCF_IGNORED"}, {"ball_range", "W_MJCF_IGNORED"},
      {"mocap", "W_MJCF_IGNORED"},        {"armature_free", "W_MJCF_IGNORED"},   {"alignfree", "N_MJCF_ALIGNED"}};
  for (const std::string& name : loads.keys()) {
    SCOPED_TRACE(name);
    const JsonNode file = loads[name.c_str()];
    Diagnostics found;
    try {
      const Robot robot = loads_robot(file["xml"].text(), {}, &found);
      const auto warning = warned.find(name);
      if (warning != warned.end()) { EXPECT_NE(find(found, warning->second), nullptr) << all(found); }
      Apart apart;
      const double mass = file["mass"].number();
      apart.mass = std::fabs(total_mass(robot.model) - mass) / std::max(mass, 1e-9);
      EXPECT_EQ(file["nv"].integer(), robot.model.nv());
      if (file.has("M_lower_triangle")) compare_state(robot.model, file, file["poses"].size(), mass * 9.81, apart);
      if (file.has("equality_rows")) apart.rows = compare_rows(robot, file, file["equality_rows"]);
      if (name == "tendon_armature") {
        apart.matrix = 0;  // named: it changes the mass matrix
      }
      if (name == "armature_free" || name == "alignfree") continue;
      EXPECT_LT(apart.worst(), 1e-11) << "M " << apart.matrix << ", bias " << apart.bias << ", pose " << apart.pose
                                      << ", mass " << apart.mass << ", rows " << apart.rows << "\n"
                                      << all(found);
      if (name == "springdamper") {
        const JointDescription& j = robot.model.description().joints[0];
        EXPECT_NEAR(j.stiffness.at(0), file["joints"][std::size_t{0}]["stiffness"].number(), 1e-9);
        EXPECT_NEAR(j.damping.at(0), file["joints"][std::size_t{0}]["damping"].number(), 1e-9);
      }
    } catch (const std::exception& error) { ADD_FAILURE() << error.what(); }
  }
}

TEST_F(MjcfPitfalls, WrongFilesAreRefusedWithCodeAndPlace) {
  const std::map<std::string, std::string> codes = {{"free_inside", "E_MJCF_JOINT"},
                                                    {"two_free", "E_MJCF_JOINT"},
                                                    {"range_swapped", "W_LIMIT"},
                                                    {"limited_auto_off", "E_LIMIT"},
                                                    {"axis_zero", "E_AXIS"},
                                                    {"triangle", "W_INERTIA_TRIANGLE"},
                                                    {"massless", "W_MASSLESS"},
                                                    {"massless_chain", ""},
                                                    {"class_unknown", "E_MJCF_CLASS"},
                                                    {"dup", "E_DUPLICATE"},
                                                    {"two_orient", "E_MJCF_ORIENTATION"},
                                                    {"zero_quat", "E_QUATERNION"},
                                                    {"joint_world", "E_MJCF_JOINT"},
                                                    {"fullneg", "E_INERTIA"},
                                                    {"eq_unknown", "E_MJCF_REFERENCE"},
                                                    {"act_unknown", "E_MJCF_REFERENCE"},
                                                    {"seven", "E_MJCF_JOINT"},
                                                    {"ballhinge", "E_MJCF_JOINT"},
                                                    {"inertial_world", "E_INERTIA"},
                                                    {"unknown_el", "E_MJCF_ELEMENT"},
                                                    {"unknown_attr", "W_UNKNOWN_ATTRIBUTE"},
                                                    {"number", "E_NUMBER"},
                                                    {"few", "E_VECTOR_SIZE"},
                                                    {"size0", "E_MJCF_GEOM"},
                                                    {"nomass", "E_INERTIA"},
                                                    {"plane", "E_MJCF_GEOM"},
                                                    {"ballrange", "E_LIMIT"},
                                                    {"mocap", "E_MJCF_JOINT"},
                                                    {"default_rep", "E_MJCF_CLASS"},
                                                    {"coord", "E_MJCF_UNSUPPORTED"}};
  const JsonNode wrong = root()["wrong"];
  EXPECT_EQ(wrong.keys().size(), codes.size());
  for (const std::string& name : wrong.keys()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(codes.count(name));
    const std::string code = codes.at(name), text = "\n\n" + wrong[name.c_str()]["xml"].text();
    for (const Mode mode : {Mode::standard, Mode::strict}) {
      const Diagnostics found = check_robot_text(text, in_mode(mode));
      const bool wants = code[0] == 'E' || (code[0] == 'W' && mode == Mode::strict);
      EXPECT_EQ(refused(found), wants) << all(found);
      if (code.empty() || mode == Mode::strict) continue;
      const Diagnostic* d = find(found, code);
      ASSERT_NE(d, nullptr) << all(found);
      EXPECT_EQ(d->line, 3) << d->text();
    }
  }
}

}  // namespace
}  // namespace zwang::test
