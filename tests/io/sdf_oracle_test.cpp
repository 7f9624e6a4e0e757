// SPDX-License-Identifier: BSD-3-Clause
// SDF files of others against what another reader resolved: poses of links, frames and joints, axes, masses, the q of
// the file, poses at other q. The files are not part of the project: where the shared folder is absent, tests skip.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "support.hpp"
#include "support/worse.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/solve/solver.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

/// The folder that holds models_sdf, models_sdf_include, oracles and robots; empty where it is not there.
fs::path shared_folder() {
  const std::string robots = shared_robots();
  return robots.empty() ? fs::path() : fs::path(robots).parent_path();
}
std::vector<fs::path> sdf_files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(shared_folder() / "models_sdf"))
    if (entry.path().extension() == ".sdf" || entry.path().extension() == ".world") out.push_back(entry.path());
  out.push_back(shared_folder() / "robots" / "cassie.sdf");
  std::sort(out.begin(), out.end());
  return out;
}
fs::path oracle_of(const fs::path& file) {
  return shared_folder() / "oracles" / "formats" / ("sdf__" + file.stem().string() + ".json");
}
JsonDocument document(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return JsonDocument::parse(text.str(), path.filename().string());
}
LoadOptions with_includes() {
  LoadOptions options;
  options.use_environment = false;
  options.resolve_meshes = false;
  options.package_dirs = {(shared_folder() / "models_sdf_include").string()};
  return options;
}

/// x y z and a quaternion x y z w.
Transform<double> pose_of(const std::vector<double>& x) {
  return {rotation(Quat<double>{x[3], x[4], x[5], x[6]}), {x[0], x[1], x[2]}};
}
double difference(const Transform<double>& a, const Transform<double>& b) {
  double most = 0;
  for (int i = 0; i < 3; ++i) {
    most = worse(most, std::fabs(a.p[i] - b.p[i]));
    for (int k = 0; k < 3; ++k) most = worse(most, std::fabs(a.R(i, k) - b.R(i, k)));
  }
  return most;
}
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) most = worse(most, std::fabs(a[k] - b[k]));
  return most;
}

TEST(Worse, NaNIsWorseThanAnyNumber) {
  EXPECT_TRUE(std::isnan(worse(0, NAN)));
  EXPECT_TRUE(std::isnan(worse(NAN, 1)));
  EXPECT_TRUE(std::isnan(worse(0, 1, NAN, 2)));
  EXPECT_EQ(worse(0, 1, 3, 2), 3);
  EXPECT_FALSE(difference(std::vector<double>{1, NAN}, std::vector<double>{1, 1}) < 1e300);
}

class SharedSdf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shared_folder().empty() || !fs::is_directory(shared_folder() / "models_sdf"))
      GTEST_SKIP() << "the shared SDF files are not beside the checkout (set ZWANG_SHARED_ROBOTS)";
  }
};

TEST_F(SharedSdf, FilesLoadOrAreRefusedWithAPlaceAsIsKnownOfThem) {
  for (const bool includes : {false, true}) {
    int loaded = 0, refused_files = 0;
    for (const fs::path& file : sdf_files()) {
      LoadOptions options = with_includes();
      if (!includes) options.package_dirs.clear();
      Diagnostics found;
      bool good = true;
      try {
        load_robot(file.string(), options, &found);
      } catch (const ModelError& error) {
        good = false;
        const Diagnostic& first = error.diagnostics().front();
        EXPECT_EQ(first.severity, Severity::error) << file;
        EXPECT_FALSE(first.found.empty()) << file;
        EXPECT_FALSE(first.expected.empty()) << file << all(found);
        EXPECT_FALSE(first.file.empty()) << file;
        EXPECT_GT(first.line, 0) << file << ' ' << first.text();
      }
      (good ? loaded : refused_files) += 1;
      if (!fs::exists(oracle_of(file))) continue;
      const JsonDocument oracle = document(oracle_of(file));
      const std::string wanted = oracle.root()[includes ? "zwang" : "zwang_without_include_path"].text();
      EXPECT_EQ(good, wanted == "loads") << file << " is known to be: " << wanted << "\n" << all(found);
    }
    EXPECT_EQ(loaded, includes ? 51 : 44);
    EXPECT_EQ(refused_files, includes ? 27 : 34);
  }
}

/// What the oracle says of one robot.
struct Compared {
  int links = 0, frames = 0, joints = 0, states = 0;
};

Compared compare(const fs::path& file) {
  Compared seen;
  const JsonDocument oracle = document(oracle_of(file));
  const JsonNode root = oracle.root();
  if (root["zwang"].text() != "loads") return seen;
  const Robot robot = load_robot(file.string(), with_includes());
  const Model& model = robot.model;
  EXPECT_EQ(model.nv(), root["nv"].integer());
  EXPECT_NEAR(model.mass(), root["mass"].number(), 1e-12 * model.mass());
  if (root.has("q_of_the_file")) {
    std::vector<double> q = root["q_of_the_file"].numbers();
    EXPECT_EQ(q.size(), robot.configurations[0].q.size());
    for (const Joint& j : model.joints()) {  // a quaternion and its negative are one rotation
      if (j.type != "floating" && j.type != "spherical") continue;
      double along = 0;
      for (Index k = j.q.end() - 4; k < j.q.end(); ++k)
        along += q[static_cast<std::size_t>(k)] * robot.configurations[0].q[static_cast<std::size_t>(k)];
      for (Index k = j.q.end() - 4; along < 0 && k < j.q.end(); ++k) q[static_cast<std::size_t>(k)] *= -1;
    }
    EXPECT_LT(difference(robot.configurations[0].q, q), 1e-12);
  }
  // Names of a file of one model lack the model's.
  const std::string name = model.name() + "::";
  const auto here = [&](const std::string& there) {
    const bool whole = model.find_frame(there).value >= 0;
    return whole || !there.starts_with(name) ? there : there.substr(name.size());
  };
  Data data(model);
  const Eigen::VectorXd drawn = Eigen::Map<const Eigen::VectorXd>(robot.configurations[0].q.data(), model.nq());
  forward_kinematics(model, data, drawn);
  // Poses are sums and products of numbers of about 10; libsdformat rounds quaternions on its way.
  constexpr double k_pose = 2e-11;
  const bool automatic = file.stem() == "inertial_stats_auto_mass";  // which that version of libsdformat does not know
  for (std::size_t k = 0; k < root["items"].size(); ++k) {
    const JsonNode item = root["items"][k];
    if (item.has("link")) {
      const std::string link_name = here(item["link"].text());
      const Link& link = model.link(link_name);
      ++seen.links;
      EXPECT_LT(difference(frame_pose(model, data, link_name), pose_of(item["pose"].numbers(7))), k_pose) << link_name;
      if (automatic) continue;
      EXPECT_EQ(link.mass, item["mass"].number()) << link_name;
      EXPECT_LT(difference({link.centre.x, link.centre.y, link.centre.z}, item["com"].numbers(3)), 1e-12) << link_name;
      const Sym3<double>& I = link.inertia;
      EXPECT_LT(difference({I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz}, item["moi"].numbers(9)),
                1e-12 * (1 + I.xx + I.yy + I.zz))
          << link_name;
    } else if (item.has("frame")) {
      const std::string frame = here(item["frame"].text());
      ++seen.frames;
      EXPECT_LT(difference(frame_pose(model, data, frame), pose_of(item["pose"].numbers(7))), k_pose) << frame;
    } else if (item.has("joint")) {
      const std::string joint = here(item["joint"].text());
      if (model.find_joint(joint).value < 0) continue;  // a loop or a gear
      ++seen.joints;
      const Transform<double> X = frame_pose(model, data, joint);
      EXPECT_LT(difference(X, pose_of(item["pose"].numbers(7))), k_pose) << joint;
      const JointDescription& own = model.joint(joint).description;
      for (std::size_t a = 0; a < item["axes"].size(); ++a) {
        const JsonNode axis = item["axes"][a];
        if (own.type == "fixed" || own.type == "spherical") continue;
        const Vec3<double> u = X.R * (own.type == "composite" ? own.parts[a].axis : own.axis);
        EXPECT_LT(difference({u.x, u.y, u.z}, axis["world"].numbers(3)), k_pose) << joint;
        const auto bound = [](double x) { return std::fabs(x) >= 1e16 ? std::copysign(INFINITY, x) : x; };
        if (!item.has("type") || own.type == "continuous") continue;
        EXPECT_EQ(own.lower[a], bound(axis["lower"].number())) << joint;
        EXPECT_EQ(own.upper[a], bound(axis["upper"].number())) << joint;
        EXPECT_EQ(own.damping.empty() ? 0 : own.damping[a], axis["damping"].number()) << joint;
        EXPECT_EQ(own.friction.empty() ? 0 : own.friction[a], axis["friction"].number()) << joint;
      }
    }
  }
  if (!root.has("poses_by_products_of_exponentials")) return seen;
  const JsonNode states = root["poses_by_products_of_exponentials"];
  for (std::size_t k = 0; k < states.size(); ++k) {
    const std::vector<double> q = states[k]["q"].numbers(static_cast<std::size_t>(model.nq()));
    forward_kinematics(model, data, Eigen::Map<const Eigen::VectorXd>(q.data(), model.nq()));
    for (const std::string& link : states[k]["links"].keys()) {
      const std::vector<double> x = states[k]["links"][link.c_str()].numbers(12);
      const Transform<double> expected{{{x[0], x[1], x[2]}, {x[4], x[5], x[6]}, {x[8], x[9], x[10]}},
                                       {x[3], x[7], x[11]}};
      EXPECT_LT(difference(frame_pose(model, data, link), expected), 1e-12) << link;
      ++seen.states;
    }
  }
  return seen;
}

TEST_F(SharedSdf, EqualWhatAnotherReaderResolved) {
  Compared all_seen;
  for (const fs::path& file : sdf_files()) {
    if (!fs::exists(oracle_of(file))) continue;
    SCOPED_TRACE(file.filename().string());
    const Compared seen = compare(file);
    all_seen.links += seen.links, all_seen.frames += seen.frames;
    all_seen.joints += seen.joints, all_seen.states += seen.states;
  }
  EXPECT_GT(all_seen.links, 200);
  EXPECT_GT(all_seen.frames, 50);
  EXPECT_GT(all_seen.joints, 60);
  EXPECT_GT(all_seen.states, 150);
}

TEST_F(SharedSdf, PitfallsAreReadAsAnotherReaderReadsThem) {
  const JsonDocument oracle = document(shared_folder() / "oracles" / "formats" / "sdf_pitfalls.json");
  int loaded = 0;
  for (const std::string& key : oracle.root().keys()) {
    SCOPED_TRACE(key);
    const JsonNode pitfall = oracle.root()[key.c_str()];
    Diagnostics found;
    const bool wanted = pitfall["zwang"].text() == "ok";
    try {
      const Robot robot = loads_robot(pitfall["xml"].text(), {}, &found);
      EXPECT_TRUE(wanted);
      EXPECT_EQ(robot.model.nv(), pitfall["nv"].integer());
      Data data(robot.model);
      const std::vector<double>& q = robot.configurations[0].q;
      forward_kinematics(robot.model, data, Eigen::Map<const Eigen::VectorXd>(q.data(), robot.model.nq()));
      ++loaded;
      for (std::size_t k = 0; k < pitfall["items"].size(); ++k) {
        const JsonNode item = pitfall["items"][k];
        const char* const kind = item.has("link") ? "link" : item.has("frame") ? "frame" : "joint";
        std::string name = item[kind].text();
        if (robot.model.find_frame(name).value < 0) name.erase(0, 3);  // of one model: without "m::"
        EXPECT_LT(difference(frame_pose(robot.model, data, name), pose_of(item["pose"].numbers(7))), 1e-14) << name;
      }
    } catch (const ModelError& error) {
      EXPECT_FALSE(wanted) << all(found);
      EXPECT_GT(error.diagnostics().front().line, 0);
    }
  }
  EXPECT_EQ(loaded, 23);
}

/// Six loops and ten gears; ranks of a state off the drawn one are doubtful by the file's four to six digits.
TEST_F(SharedSdf, CassieIsClosedAsItIsDrawn) {
  const fs::path file = shared_folder() / "robots" / "cassie.sdf";
  const Robot robot = load_robot(file.string(), with_includes());
  EXPECT_EQ(robot.model.links().size(), 36u);  // and the world
  EXPECT_EQ(robot.model.nv(), 44);
  EXPECT_EQ(robot.model.loops().size(), 6u);
  EXPECT_EQ(robot.constraints.size(), 16);
  EXPECT_EQ(robot.constraints.rows(), 36);
  const JsonDocument oracle = document(oracle_of(file));
  for (const char* list : {"loops", "gears"})
    for (std::size_t k = 0; k < oracle.root()[list].size(); ++k)
      EXPECT_NO_THROW((void)robot.constraints[oracle.root()[list][k].text()]);
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(robot.configurations[0].q.data(), robot.model.nq());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(robot.model.nv());
  ConstraintEvaluator evaluator(robot.model, robot.constraints);
  evaluator.evaluate(q, zero);
  EXPECT_EQ(evaluator.position_error().size(), 36);
  EXPECT_LT(evaluator.position_error().cwiseAbs().maxCoeff(), 1e-14);
  Solver solver(robot.model, robot.constraints);
  const Solution& solution = solver.solve({.q = q, .v = zero, .tau = zero});
  EXPECT_EQ(solution.report.status, Status::ok);
  // Redundant rows: the file's few digits leave singular values of 4e-6 to 7e-4, so that 24, 26 and 28 are ranks of it.
  // q'' is that of the null space of as many rows: argmin |q'' - M^-1 (tau - h)| in M among J q'' = -gamma.
  const auto rank = static_cast<Eigen::Index>(solution.report.rank);
  EXPECT_TRUE(rank == 24 || rank == 26 || rank == 28) << rank;
  Data data(robot.model);
  const Eigen::MatrixXd M = mass_matrix<Eigen::MatrixXd>(robot.model, data, q);
  const Eigen::LLT<Eigen::MatrixXd> factor(M);
  const Eigen::VectorXd free = factor.solve(-inverse_dynamics(robot.model, data, q, zero, zero));
  Eigen::MatrixXd J(36, 44);
  evaluator.jacobian(J);
  const Eigen::MatrixXd rows = factor.matrixL().solve(J.transpose()).transpose();  // J L^-T
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd wanted = -evaluator.gamma() - J * free;
  const Eigen::VectorXd along =
      (svd.matrixU().leftCols(rank).transpose() * wanted).cwiseQuotient(svd.singularValues().head(rank));
  const Eigen::VectorXd more = factor.matrixU().solve(svd.matrixV().leftCols(rank) * along);
  const double scale = solution.acceleration.cwiseAbs().maxCoeff();
  EXPECT_LT((free + more - solution.acceleration).cwiseAbs().maxCoeff(), 1e-7 * scale);
  std::printf("cassie: rank %d of 36 rows, q'' %.1e from the null space's\n", static_cast<int>(rank),
              (free + more - solution.acceleration).cwiseAbs().maxCoeff() / scale);
  const CouplingConstraint* const gear = robot.constraints.added_as<CouplingConstraint>("left-roll-joint");
  ASSERT_NE(gear, nullptr);
  EXPECT_EQ(gear->coordinates, (std::vector<std::string>{"left-roll-ip", "left-roll-op"}));
  EXPECT_EQ(gear->ratio, (std::vector<double>{0.04, 1}));
  Diagnostics found;
  load(file.string(), with_includes(), &found);
  const Diagnostic* const note = find(found, "N_CONSTRAINTS");
  ASSERT_NE(note, nullptr);
  EXPECT_NE(note->found.find("16 constraints"), std::string::npos) << note->text();
  LoadOptions strict = with_includes();
  strict.mode = Mode::strict;
  EXPECT_THROW(load(file.string(), strict), ModelError);
}

/// The two URDF among them, which libsdformat reads, too.
TEST_F(SharedSdf, URDFBesideThemLoad) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(shared_folder() / "models_sdf")) {
    if (entry.path().extension() != ".urdf") continue;
    Diagnostics found;
    EXPECT_NO_THROW(load_robot(entry.path().string(), with_includes(), &found)) << entry.path() << all(found);
    ++files;
  }
  EXPECT_EQ(files, 2);
}

}  // namespace
}  // namespace zwang::test
