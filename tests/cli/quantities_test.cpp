// SPDX-License-Identifier: BSD-3-Clause
// quantities: every row of the list of algorithms by its name.
#include <map>

#include "program.hpp"
#include "zwang/batch/evaluate.hpp"

namespace zwang::test {
namespace {

/// The command for a row, with all that it cannot do without.
std::vector<std::string> words_of(const Algorithm& row, const std::string& robot) {
  std::vector<std::string> words = {"quantities", robot, row.name};
  const auto add = [&](const char* option, const char* value) { words.insert(words.end(), {option, value}); };
  for (const Argument& a : row.takes) {
    if (a.what == Takes::frame) add("--frame", "tool0");
    if (a.what == Takes::seen_from) add("--seen-from", "link3");
    if (a.what == Takes::frames) add("--frames", "tool0,link3");
    if (a.what == Takes::point) add("--point", "0.1,0.2,0.3");
    if (a.what == Takes::number) add("--t", "0.5");
    if (std::string(a.name) == "q") add("--q", "random:1");
    if (std::string(a.name) == "v") add("--v", "random:2");
  }
  return words;
}

Index numbers_in(const Json& x) {
  if (!x.is_array()) return 1;
  Index n = 0;
  for (const Json& part : x) n += numbers_in(part);
  return n;
}

TEST(Quantities, EveryRowOfTheListIsShownAndComputed) {
  const Model arm = arm7_model();
  const Json list = zwang_json({"quantities"}).json()["quantities"];
  ASSERT_EQ(list.size(), algorithms().size());
  const Outcome table = zwang({"quantities"});
  EXPECT_EQ(table.code, 0);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Algorithm& row = algorithms()[k];
    SCOPED_TRACE(row.name);
    EXPECT_EQ(list[k]["name"], row.name);
    EXPECT_SAYS(table.out, row.name);
    const Outcome o = zwang_json(words_of(row, arm7()));
    ASSERT_EQ(o.code, 0) << o.out;
    const Json d = o.json();
    EXPECT_EQ(d["status"], "ok");
    AlgorithmOptions options;
    const std::vector<FrameId> two(2);
    options.frames = two;
    for (const Result& r : row.gives)
      EXPECT_EQ(numbers_in(d["results"][r.name]), numbers_of(r.shape, sizes_of(arm, options))) << r.name;
    EXPECT_EQ(zwang(words_of(row, arm7())).code, 0);
  }
}

/// A configuration of the file by its name, wherever q is asked for.
TEST(Quantities, ConfigurationsOfTheFileAreNamed) {
  const std::string biped = ZWANG_MODELS "/biped.xml";
  const Robot robot = load_robot(biped);
  const auto stand = std::find_if(robot.configurations.begin(), robot.configurations.end(),
                                  [](const Configuration& c) { return c.name == "stand"; });
  ASSERT_NE(stand, robot.configurations.end());
  Json list = stand->q;
  std::string numbers = list.dump();
  numbers = numbers.substr(1, numbers.size() - 2);
  using Words = std::vector<std::string>;
  for (const Words& command : {Words{"id", biped}, Words{"fd", biped}, Words{"info", biped, "--state"},
                               Words{"quantities", biped, "mass_matrix"}}) {
    SCOPED_TRACE(command[0]);
    const auto at = [&](const std::string& q) {
      Words words = command;
      words.insert(words.end(), {"--q", q});
      return zwang_json(words);
    };
    const Outcome named = at("stand"), by_numbers = at(numbers), wrong = at("stnad");
    ASSERT_EQ(named.code, 0) << named.out << named.err;
    Json a = named.json(), b = by_numbers.json();
    a.erase("diagnostics"), b.erase("diagnostics");
    EXPECT_EQ(a, b);
    EXPECT_EQ(wrong.code, 1);
    EXPECT_SAYS(wrong.out + wrong.err, "did you mean 'stand'?");
  }
  EXPECT_EQ(zwang({"id", ZWANG_MODELS "/slider_crank.sdf", "--q", "file"}).code, 1);  // it has loops
  EXPECT_SAYS(zwang({"info", ZWANG_MODELS "/slider_crank.sdf", "--state", "--q", "file"}).err, "N_CONSTRAINTS");
}

TEST(Quantities, NumbersAreThoseOfTheLibrary) {
  const Model arm = arm7_model();
  Data data(arm);
  const Eigen::VectorXd q = random(arm, 1);
  const Eigen::MatrixXd M = mass_matrix(arm, data, q);
  const Json d = zwang_json({"quantities", arm7(), "crba", "--q", "random:1"}).json();
  EXPECT_EQ(d["quantity"], "mass_matrix");
  EXPECT_EQ(d["names"].size(), 7u);
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 7; ++j) EXPECT_EQ(d["results"]["M"][i][j].get<double>(), M(i, j));
  const Json tau =
      zwang_json({"id", arm7(), "--q", "random:1", "--v", "random:3", "--external", "tool0:1,2,3,4,5,6"}).json();
  const Json h = zwang_json({"quantities", arm7(), "bias_forces", "--q", "random:1", "--v", "random:3", "--external",
                             "tool0:1,2,3,4,5,6"})
                     .json();
  EXPECT_EQ(h["results"]["h"], tau["tau"]);
  EXPECT_EQ(h["units"]["h"], "N m, N");
  const Json bare =
      zwang_json({"quantities", arm7(), "mass_matrix", "--q", "random:1", "--joint-effects", "none"}).json();
  EXPECT_LT(bare["results"]["M"][6][6].get<double>(), M(6, 6));  // without rotors
  const Json along = zwang_json({"quantities", arm7(), "jacobian", "--frame", "tool0", "--reference", "tool0"}).json();
  const Json local = zwang_json({"quantities", arm7(), "jacobian", "--frame", "tool0", "--reference", "local"}).json();
  EXPECT_NEAR(along["results"]["J"][0][1].get<double>(), local["results"]["J"][0][1].get<double>(), 1e-14);
  EXPECT_SAYS(zwang({"quantities", arm7(), "potential_energy"}).out, " [J]");
  EXPECT_SAYS(zwang({"quantities", arm7(), "frame_pose", "--frame", "tool0"}).out, "pose [m]");
}

TEST(Quantities, WithoutANameAreAllThatTheOptionsSufficeFor) {
  const auto all_of = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"quantities", arm7(), "--q", "random:1", "--v", "random:3"});
    const Outcome o = zwang_json(words);
    EXPECT_EQ(o.code, 0) << o.err;
    std::map<std::string, Json> found;
    const Json d = o.json();
    EXPECT_EQ(d["status"], "ok");
    EXPECT_EQ(d["names"].size(), 7u);
    for (const Json& x : d["quantities"]) found[x["quantity"].get<std::string>()] = x;
    return found;
  };
  const auto of_a_state = all_of({}), with_a_frame = all_of({"--frame", "tool0"});
  for (const char* name : {"mass_matrix", "coriolis_matrix", "centroidal_map", "inverse_dynamics_regressor"})
    EXPECT_TRUE(of_a_state.contains(name)) << name;
  for (const char* name : {"integrate", "jacobian_at", "frame_pose", "mass_matrix_solve"})
    EXPECT_FALSE(of_a_state.contains(name)) << name;
  EXPECT_TRUE(with_a_frame.contains("jacobian"));
  for (const auto& [name, x] : with_a_frame) {
    SCOPED_TRACE(name);
    std::vector<std::string> words = {"quantities", arm7(), name};
    for (const Argument& a : algorithm(name).takes) {
      if (std::string(a.name) == "q") words.insert(words.end(), {"--q", "random:1"});
      if (std::string(a.name) == "v") words.insert(words.end(), {"--v", "random:3"});
      if (a.what == Takes::frame) words.insert(words.end(), {"--frame", "tool0"});
    }
    const Json alone = zwang_json(words).json();
    EXPECT_EQ(x["results"], alone["results"]);
    EXPECT_EQ(x["units"], alone["units"]);
  }
  EXPECT_SAYS(zwang({"quantities", arm7()}).out, "--- mass_matrix\n");
}

TEST(Quantities, RefusesWhatARowDoesNotTakeAndAsksForWhatItNeeds) {
  const auto refusal = [](std::vector<std::string> words) {
    words.insert(words.begin(), "quantities");
    const Outcome o = zwang(words);
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.out, "");
    return o.err;
  };
  EXPECT_SAYS(refusal({arm7(), "mass_matrx"}), "did you mean 'mass_matrix'?");
  EXPECT_SAYS(refusal({arm7(), "mass_matrix", "--v", "zero"}),
              "--v: mass_matrix does not take it; it takes --q --joint-effects");
  EXPECT_SAYS(refusal({arm7(), "mass_matrix", "--external", "tool0:0,0,0,0,0,0"}), "--external: mass_matrix does not");
  EXPECT_SAYS(refusal({arm7(), "frame_pose"}), "frame_pose needs --frame");
  EXPECT_SAYS(refusal({arm7(), "frame_pose", "--frame", "tol0"}), "tool0");
  EXPECT_SAYS(refusal({arm7(), "jacobian", "--frame", "tool0", "--reference", "worlds"}), "world");
  EXPECT_SAYS(refusal({arm7(), "mass_matrix", "--joint-effects", "rotors"}), "expected some of armature");
  EXPECT_EQ(zwang_json({"quantities", arm7(), "mass_matrx"}).json()["status"], "usage");
  EXPECT_EQ(zwang({"quantities", "nowhere/robot.urdf", "mass_matrix"}).code, 5);
}

}  // namespace
}  // namespace zwang::test
