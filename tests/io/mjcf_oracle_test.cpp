// SPDX-License-Identifier: BSD-3-Clause
// Shared MJCF files against what MuJoCo says of them: masses, limits, effects, mass matrix, bias, poses, rows.
#include "mjcf_support.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

constexpr double k_agreement = 1e-10;

struct OracleFile {
  fs::path oracle, model;
};

std::vector<OracleFile> oracle_files(const char* prefix) {
  std::vector<OracleFile> out;
  const fs::path folder = shared_folder("oracles") / "formats";
  if (shared_folder("oracles").empty()) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(prefix, 0) != 0 || entry.path().extension() != ".json") continue;
    const std::string stem = entry.path().stem().string().substr(std::string(prefix).size());
    fs::path model;
    for (const fs::path& candidate :
         {shared_folder("models_mjcf") / (stem + ".xml"), shared_folder("robots_mjcf") / (stem + ".xml"),
          shared_robots() / (stem + ".xml")})
      if (model.empty() && fs::exists(candidate)) model = candidate;
    if (!model.empty()) out.push_back({entry.path(), model});
  }
  std::sort(out.begin(), out.end(), [](const OracleFile& a, const OracleFile& b) { return a.oracle < b.oracle; });
  return out;
}

/// Names, limits and effects of the joints, in the order of both.
void compare_joints(const Model& model, const JsonNode& joints, Apart& apart) {
  std::size_t k = 0;
  for (const JointDescription& j : model.description().joints) {
    if (j.type == "fixed") continue;
    if (k == joints.size()) return;  // of large models the first ones
    const JsonNode wanted = joints[k++];
    if (wanted["name"].is_text()) { EXPECT_EQ(j.name, wanted["name"].text()); }
    const auto only = [](const std::vector<double>& x) { return x.empty() ? 0.0 : x[0]; };
    const auto near = [&](double got, const char* key) {
      if (!wanted.has(key) || !wanted[key].is_number()) return;
      const double x = wanted[key].number();
      apart.joint = worse(apart.joint, std::fabs(got - x) / std::max(1.0, std::fabs(x)));
    };
    if (j.type == "revolute" || j.type == "prismatic") {
      if (wanted.has("range") && wanted["range"].is_array()) {
        const std::vector<double> range = wanted["range"].numbers(2);
        apart.limit = worse(apart.limit, std::fabs(j.lower[0] - range[0]), std::fabs(j.upper[0] - range[1]));
      } else {
        EXPECT_EQ(j.upper[0], unlimited) << j.name;
      }
      near(only(j.stiffness), "stiffness");
      if (only(j.stiffness) != 0) near(only(j.spring_reference), "springref");
    }
    near(only(j.friction), "frictionloss");
    // Of joints alone: the other reader keeps what motors add apart.
    if (j.actuated != JointDescription::Actuated::yes) {
      near(only(j.damping), "damping");
      near(only(j.rotor_inertia), "armature");
    }
  }
  EXPECT_EQ(k, joints.size());
}

Apart compare(const OracleFile& file, std::string& notes) {
  Apart apart;
  const JsonDocument document = JsonDocument::parse(content_of(file.oracle), file.oracle.string());
  const JsonNode root = document.root();
  Diagnostics found;
  const Robot robot = load_robot(file.model.string(), {}, &found);
  for (const Diagnostic& d : found) notes += d.text() + "\n";
  const Model& model = robot.model;
  const double mass = root["mass"].number(), own = total_mass(model) - model.description().links[0].mass;
  apart.mass = std::fabs(own - mass) / std::max(mass, 1e-9);
  EXPECT_EQ(root["nq"].integer(), model.nq());
  EXPECT_EQ(root["nv"].integer(), model.nv());
  const std::vector<double> g = root["gravity"].numbers(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(model.gravity()[i], g[static_cast<std::size_t>(i)]);
  compare_joints(model, root["joints"], apart);
  const JsonNode states = root["states"];
  for (std::size_t k = 0; k < states.size(); ++k) {
    compare_state(model, states[k], root["bodies"].size(), mass * 9.81, apart);
    if (states[k].has("equality_rows"))
      apart.rows = worse(apart.rows, compare_rows(robot, states[k], states[k]["equality_rows"]));
  }
  EXPECT_EQ(robot.configurations.front().name, "file");
  return apart;
}

void compare_all(const char* prefix) {
  const std::vector<OracleFile> files = oracle_files(prefix);
  if (files.empty()) GTEST_SKIP() << "the shared files are not beside the checkout (set ZWANG_SHARED_ROBOTS)";
  for (const OracleFile& file : files) {
    SCOPED_TRACE(file.model.filename().string());
    std::string notes;
    try {
      const Apart apart = compare(file, notes);
      EXPECT_LT(apart.worst(), k_agreement)
          << "M " << apart.matrix << ", bias " << apart.bias << ", pose " << apart.pose << ", mass " << apart.mass
          << ", limit " << apart.limit << ", joint " << apart.joint;
      if (std::getenv("ZWANG_SHOW"))
        std::printf("%-70s M %.1e h %.1e pose %.1e mass %.1e joint %.1e\n%s", file.model.filename().c_str(),
                    apart.matrix, apart.bias, apart.pose, apart.mass, apart.joint, notes.c_str());
    } catch (const std::exception& error) { ADD_FAILURE() << error.what(); }
  }
}

TEST(MjcfOracle, ModelsMoveAsMujocoSays) { compare_all("mjcf__"); }
TEST(MjcfOracle, RobotsMoveAsMujocoSays) { compare_all("robot__"); }

TEST(MjcfOracle, AllSharedModelsLoadButThoseOfTheList) {
  const fs::path folder = shared_folder("models_mjcf"), oracles = shared_folder("oracles");
  if (folder.empty() || oracles.empty()) GTEST_SKIP() << "the shared files are not beside the checkout";
  const JsonDocument document =
      JsonDocument::parse(content_of(oracles / "formats" / "mjcf_refused.json"), "mjcf_refused.json");
  int loaded = 0, refused_here = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    const std::string name = entry.path().filename().string();
    Diagnostics found;
    try {
      load_robot(entry.path().string(), {}, &found);
      EXPECT_FALSE(document.root().has(name.c_str())) << name;
      ++loaded;
    } catch (const ModelError& error) {
      EXPECT_TRUE(document.root().has(name.c_str())) << name << "\n" << error.what();
      EXPECT_EQ(error.code(), "E_MASS_FROM_MESH");
      EXPECT_GT(error.diagnostics().front().line, 0);
      ++refused_here;
    }
  }
  EXPECT_EQ(refused_here, static_cast<int>(document.root().keys().size()));
  EXPECT_GT(loaded, 60);
}

}  // namespace
}  // namespace zwang::test
