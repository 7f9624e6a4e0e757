// SPDX-License-Identifier: BSD-3-Clause
// URDF+: loops and couplings beside the tree of a URDF. Its own files come from others; where the shared folder is
// absent, the test that reads them skips.
#include <Eigen/Dense>
#include <fstream>
#include <sstream>

#include "support.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

std::string turning(const std::string& name, const std::string& parent, const std::string& child) {
  return joint(name, parent, child, "<axis xyz='0 0 1'/><origin xyz='0.5 0 0'/>", "continuous");
}
const std::string k_tree = link("base") + link("u") + link("v") + link("w") + turning("bu", "base", "u") +
                           turning("uv", "u", "v") + turning("bw", "base", "w");

TEST(UrdfPlus, ALoopJoinsTwoFrames) {
  const std::string text = robot(k_tree +
                                 "<loop name='c' type='revolute'><predecessor link='v'><origin xyz='0.3 0 0'/>"
                                 "</predecessor><successor link='w'><origin xyz='0.8 0 0'/></successor>"
                                 "<axis xyz='0 0 1'/></loop>");
  Diagnostics found;
  const Robot r = loads_robot(text, {}, &found);
  EXPECT_EQ(r.model.nv(), 3);
  ASSERT_EQ(r.model.loops().size(), 1u);
  EXPECT_EQ(r.constraints.rows(), 5);
  EXPECT_EQ(r.model.frame("c_predecessor").link.value, r.model.find_link("v").value);
  EXPECT_EQ(r.model.frame("c_successor").link.value, r.model.find_link("w").value);
  // Drawn, v's frame is at 1 and w's at 0.5: the loop is closed.
  ConstraintEvaluator evaluator(r.model, r.constraints);
  evaluator.evaluate(Eigen::VectorXd::Zero(3), Eigen::VectorXd::Zero(3));
  EXPECT_LT(evaluator.position_error().cwiseAbs().maxCoeff(), 1e-15);
  loads(text, {}, &found);
  EXPECT_NE(find(found, "N_CONSTRAINTS"), nullptr);
}

TEST(UrdfPlus, ACouplingGoesFromTheNearestCommonLink) {
  const std::string text = robot(k_tree + link("x") + turning("wx", "w", "x") +
                                 "<coupling name='c'><predecessor link='v'/><successor link='x'/><ratio value='3'/>"
                                 "</coupling><coupling name='d' type='rolling'><predecessor link='u'/>"
                                 "<successor link='v'/><ratio value='2'/></coupling>");
  const Robot r = loads_robot(text);
  const auto* const c = r.constraints.added_as<CouplingConstraint>("c");
  ASSERT_NE(c, nullptr);
  double sum[4] = {};
  const char* const names[] = {"bu", "uv", "bw", "wx"};
  ASSERT_EQ(c->coordinates.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < 4; ++i)
      if (c->coordinates[k] == names[i]) sum[i] += c->ratio[k];
  EXPECT_EQ(sum[0], 3);
  EXPECT_EQ(sum[1], 3);
  EXPECT_EQ(sum[2], -1);
  EXPECT_EQ(sum[3], -1);
  const auto* const d = r.constraints.added_as<CouplingConstraint>("d");
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->coordinates, std::vector<std::string>{"uv"});  // u carries v
  EXPECT_EQ(d->ratio, std::vector<double>{-1});
}

TEST(UrdfPlus, WhichCoordinatesLeadIsAHint) {
  Diagnostics found;
  loads(robot(link("a") + link("b") +
              "<joint name='j' type='continuous' independent='false'><parent link='a'/><child link='b'/></joint>"),
        {}, &found);
  ASSERT_NE(find(found, "N_INDEPENDENT"), nullptr) << all(found);
  EXPECT_EQ(find(found, "W_UNKNOWN_ATTRIBUTE"), nullptr) << all(found);
}

TEST(UrdfPlus, WrongOnesAreRefusedWithAPlace) {
  struct Wrong {
    const char* code;
    std::string text;
  };
  const std::string ends = "<predecessor link='u'/><successor link='w'/>";
  const Wrong all_wrong[] = {
      {"E_LOOP", "<loop name='c'>" + ends + "</loop>"},
      {"E_LOOP", "<loop name='c' type='planar'>" + ends + "</loop>"},
      {"E_AXIS", "<loop name='c' type='revolute'>" + ends + "</loop>"},
      {"E_LINK", "<loop name='c' type='fixed'><predecessor link='u'/></loop>"},
      {"E_LINK", "<loop name='c' type='fixed'><predecessor link='u'/><successor link='none'/></loop>"},
      {"E_NAME", "<loop type='fixed'>" + ends + "</loop>"},
      {"E_DUPLICATE", "<loop name='bu' type='fixed'>" + ends + "</loop>"},
      {"E_COUPLING", "<coupling name='c'>" + ends + "</coupling>"},
      {"E_COUPLING", "<coupling name='c' type='belt'>" + ends + "<ratio value='1'/></coupling>"},
      {"E_COUPLING", "<coupling name='c'><predecessor link='u'/><successor link='u'/><ratio value='1'/></coupling>"},
      {"E_NUMBER", "<coupling name='c'>" + ends + "<ratio value='x'/></coupling>"},
      {"E_LINK", "<coupling name='c'><predecessor link='u'/><successor link='none'/><ratio value='1'/></coupling>"},
      {"E_CONSTRAINT", "<coupling name='c'>" + ends + "<ratio value='1'/></coupling><coupling name='c'>" + ends +
                           "<ratio value='1'/></coupling>"},
  };
  for (const Wrong& w : all_wrong) {
    Diagnostics found;
    EXPECT_THROW(loads_robot(robot(k_tree + w.text), {}, &found), ModelError) << w.text;
    const Diagnostic* const d = find(found, w.code);
    ASSERT_NE(d, nullptr) << w.code << all(found) << w.text;
    EXPECT_GT(d->line, 0) << d->text();
    EXPECT_EQ(d->severity, Severity::error);
    const Diagnostics checked = check_robot_text(robot(k_tree + w.text));
    EXPECT_NE(find(checked, w.code), nullptr) << w.code << all(checked) << w.text;
  }
}

/// Many couplings over long paths are refused before they fill memory.
TEST(UrdfPlus, CouplingsOverLongPathsEnd) {
  std::string text = link("l0");
  for (int k = 1; k < 200; ++k)
    text += link("l" + std::to_string(k)) +
            turning("j" + std::to_string(k), "l" + std::to_string(k - 1), "l" + std::to_string(k));
  for (int k = 0; k < 100; ++k)
    text += "<coupling name='c" + std::to_string(k) +
            "'><predecessor link='l0'/><successor link='l199'/><ratio value='1'/></coupling>";
  LoadOptions options;
  options.limits.elements = 10000;
  Diagnostics found;
  EXPECT_THROW(loads(robot(text), options, &found), ModelError);
  EXPECT_NE(find(found, "E_LIMIT_ELEMENTS"), nullptr) << all(found);
}

/// Rows, rank and accelerations of the files of others, against a dense solution of the KKT equations.
TEST(UrdfPlus, OthersFilesMoveAsADenseSolutionSays) {
  const fs::path folder = shared_robots().empty() ? fs::path() : fs::path(shared_robots()).parent_path();
  if (folder.empty() || !fs::is_directory(folder / "models_urdf_plus"))
    GTEST_SKIP() << "the shared URDF+ files are not beside the checkout (set ZWANG_SHARED_ROBOTS)";
  int read = 0, states = 0;
  for (const auto& entry : fs::directory_iterator(folder / "models_urdf_plus")) {
    if (entry.path().extension() != ".urdf") continue;
    SCOPED_TRACE(entry.path().filename().string());
    LoadOptions options;
    options.resolve_meshes = false;
    const Robot r = load_robot(entry.path().string(), options);
    ++read;
    const fs::path oracle = folder / "oracles" / "formats" / ("urdf_plus__" + entry.path().stem().string() + ".json");
    if (!fs::exists(oracle)) continue;
    std::ostringstream text;
    text << std::ifstream(oracle, std::ios::binary).rdbuf();
    const JsonDocument document = JsonDocument::parse(text.str(), oracle.filename().string());
    const JsonNode root = document.root();
    EXPECT_EQ(r.model.nq(), root["nq"].integer());
    EXPECT_EQ(r.model.nv(), root["nv"].integer());
    EXPECT_EQ(r.constraints.size(), root["loops"].integer() + root["couplings"].integer());
    const JsonNode list = root["states"];
    for (std::size_t k = 0; k < list.size(); ++k) {
      const JsonNode state = list[k];
      const auto vector = [&](const char* key) {
        const std::vector<double> x = state[key].numbers();
        return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
      };
      const Eigen::VectorXd q = vector("q"), v = vector("v"), tau = vector("tau"), qdd = vector("qdd");
      ConstraintEvaluator evaluator(r.model, r.constraints);
      evaluator.evaluate(q, v);
      if (r.constraints.rows() > 0) { EXPECT_LT(evaluator.position_error().cwiseAbs().maxCoeff(), 1e-12); }
      Eigen::MatrixXd J(evaluator.rows(), r.model.nv());
      evaluator.jacobian(J);
      const Eigen::Index rank =
          J.rows() == 0 ? 0 : Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(J).setThreshold(1e-9).rank();
      if (state["rank"].is_number()) { EXPECT_EQ(rank, state["rank"].integer()); }
      Solver solver(r.model, r.constraints);
      const Solution& solution = solver.solve({.q = q, .v = v, .tau = tau});
      EXPECT_EQ(solution.report.status, Status::ok);
      EXPECT_LT((Eigen::VectorXd(solution.acceleration) - qdd).cwiseAbs().maxCoeff(),
                1e-10 * (1 + qdd.cwiseAbs().maxCoeff()));
      ++states;
    }
  }
  EXPECT_EQ(read, 10);
  EXPECT_GT(states, 10);
}

}  // namespace
}  // namespace zwang::test
