// SPDX-License-Identifier: BSD-3-Clause
// Robots as MJCF. What is written is read again and moves the same:
//   M = B^T M' B,   h = B^T (h' + M' B' v),   v' = B v
// with M', h' of the robot read again. B is read off keyframes: of the states (q, e_k) the velocities are its columns,
// so that names, order and kind of coordinates may differ; of mimicking joints it holds the relation.
#include <memory>
#include <optional>
#include <random>

#include "mjcf_support.hpp"
#include "support/robots.hpp"
#include "zwang/io/write.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

std::vector<double> numbers(const Vector& x) { return {x.data(), x.data() + x.size()}; }
Vector vector(const std::vector<double>& x) { return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size())); }

Robot robot_of(RobotDescription description, const BuildOptions& options = {}) {
  const Model model = build(std::move(description), options);
  return {model, ConstraintSet(model), {}};
}

std::string codes(const std::vector<Loss>& losses) {
  std::string out;
  for (const Loss& l : losses)
    out += l.code + ' ' + l.element + ' ' + l.name + ": " + l.lost + " -> " + l.instead + '\n';
  return out;
}
const Loss* find(const WrittenRobot& written, const std::string& code, const std::string& name = "") {
  for (const Loss& l : written.losses)
    if (l.code == code && (name.empty() || l.name == name)) return &l;
  return nullptr;
}

/// A random state, each coordinate in reach of the others.
Vector some_q(const Model& model, std::uint64_t seed) {
  Vector q(model.nq());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  neutral(model, q);
  Vector d(model.nv());
  for (double& x : d) x = uniform(random);
  const Vector start = q;
  integrate(model, start, d, q);
  return q;
}
Vector some_v(const Model& model, std::uint64_t seed) {
  std::mt19937_64 random(seed + 99);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector v(model.nv());
  for (double& x : v) x = uniform(random);
  return v;
}

/// The robot with states by which both sides know each other.
struct Again {
  Robot robot;
  WrittenRobot written;
  Diagnostics found;

  Again(Robot given, const std::vector<Vector>& states, const WriteOptions& options = {}) : robot(std::move(given)) {
    const Index n = robot.model.nv();
    Robot more = robot;
    for (std::size_t s = 0; s < states.size(); ++s)
      for (Index k = 0; k < n; ++k)
        more.configurations.push_back(
            {"state " + std::to_string(s) + ' ' + std::to_string(k), numbers(states[s]), numbers(Vector::Unit(n, k))});
    written = write_mjcf(more, options);
    LoadOptions load;
    load.resolve_meshes = false;
    load.limits.depth = 1000;
    read_ = std::make_shared<Robot>(loads_robot(written.text, load, &found));
  }
  const Robot& read() const { return *read_; }

  const Configuration& state(std::size_t s, Index k) const {
    const std::string name = "state " + std::to_string(s) + ' ' + std::to_string(k);
    for (const Configuration& c : read().configurations)
      if (c.name == name) return c;
    throw std::out_of_range(name);
  }
  Vector q(std::size_t s) const { return vector(state(s, 0).q); }
  Matrix B(std::size_t s) const {
    Matrix b(read().model.nv(), robot.model.nv());
    for (Index k = 0; k < robot.model.nv(); ++k) b.col(k) = vector(state(s, k).v);
    return b;
  }

 private:
  std::shared_ptr<Robot> read_;
};

/// Largest differences, relative to the largest entry.
struct Differs {
  double matrix = 0, bias = 0, pose = 0, rows = 0;
};

Vector bias(const Model& model, const Vector& q, const Vector& v, bool effects) {
  Data data(model);
  JointEffects bare;
  bare.damping = bare.springs = effects;
  return bias_forces(model, data, q, v, {}, bare);
}

/// `turning`: linear velocities of some joints have other axes, so that B moves.
Differs differs(const Robot& robot, std::uint64_t seed, bool effects, bool turning = false,
                const WriteOptions& options = {}) {
  const Model& a = robot.model;
  const Vector q = some_q(a, seed), v = some_v(a, seed);
  Vector later(a.nq()), before(a.nq());
  const double h = 1e-5;
  integrate(a, q, v * h, later);
  integrate(a, q, v * -h, before);
  if (a.nv() == 0) return {};
  const Again again(robot, turning ? std::vector<Vector>{q, later, before} : std::vector<Vector>{q}, options);
  const Model& b = again.read().model;
  const Matrix B = again.B(0);
  Vector moved = Vector::Zero(b.nv());
  if (turning) moved = (again.B(1) - again.B(2)) / (2 * h) * v;
  const Vector q2 = again.q(0);
  Data of_a(a), of_b(b);
  Matrix M(a.nv(), a.nv()), M2(b.nv(), b.nv());
  mass_matrix(a, of_a, q, M);
  mass_matrix(b, of_b, q2, M2);
  Differs out;
  out.matrix = largest(B.transpose() * M2 * B - M) / std::max(1e-12, largest(M));
  const Vector own = bias(a, q, v, effects), other = B.transpose() * (bias(b, q2, B * v, effects) + M2 * moved);
  out.bias = largest(own - other) / std::max({1e-9, largest(own), 9.81 * total_mass(a)});
  for (const Link& l : a.links()) {
    if (!b.find_link(l.name) || l.name == "world") continue;
    const Transform<double> X = frame_pose(a, of_a, q, "link:" + l.name), Y = frame_pose(b, of_b, q2, "link:" + l.name);
    out.pose = worse(out.pose, largest(X.R.eigen() - Y.R.eigen()), largest(X.p.eigen() - Y.p.eigen()));
  }
  for (const Frame& f : a.frames()) {
    if (f.kind != Frame::Kind::user) continue;
    const Transform<double> X = frame_pose(a, of_a, q, f.name), Y = frame_pose(b, of_b, q2, f.name);
    out.pose = worse(out.pose, largest(X.R.eigen() - Y.R.eigen()), largest(X.p.eigen() - Y.p.eigen()));
  }
  return out;
}

void expect_same(const Robot& robot, const std::string& what, double tolerance, bool effects, bool turning = false,
                 const WriteOptions& options = {}) {
  for (const std::uint64_t seed : {1u, 2u}) {
    try {
      const Differs d = differs(robot, seed, effects, turning, options);
      EXPECT_LT(d.matrix, tolerance) << what;
      EXPECT_LT(d.bias, turning ? 1e-8 : tolerance) << what;
      EXPECT_LT(d.pose, tolerance) << what;
    } catch (const ModelError& error) { ADD_FAILURE() << what << ": " << error.what(); }
  }
}

/// What of joints of one coordinate is read again as it was.
void expect_joints_kept(const Robot& robot, const std::string& what) {
  const Again again(robot, {some_q(robot.model, 1)});
  const Model &a = robot.model, &b = again.read().model;
  for (const Joint& j : a.joints()) {
    if (j.v.size != 1 || j.q.size != 1 || !j.mimic.leader.empty() || j.type == "helical") continue;
    const JointId id = b.find_joint(j.name);
    ASSERT_TRUE(static_cast<bool>(id)) << what << ' ' << j.name;
    const Joint& k = b.joints()[static_cast<std::size_t>(id.value)];
    EXPECT_EQ(k.type == "prismatic", j.type == "prismatic") << what << ' ' << j.name;
    const JointDescription &d = j.description, &e = k.description;
    const auto one = [](const std::vector<double>& x, double otherwise) {
      return x.empty() || std::isnan(x[0]) ? otherwise : x[0];
    };
    double low = one(d.lower, -unlimited), high = one(d.upper, unlimited);
    if (j.type == "continuous" || low == high) low = -unlimited, high = unlimited;
    if (std::isfinite(low) != std::isfinite(high))
      (std::isfinite(low) ? high : low) = std::isfinite(low) ? 1e10 : -1e10;
    EXPECT_EQ(one(e.lower, -unlimited), low) << what << ' ' << j.name;
    EXPECT_EQ(one(e.upper, unlimited), high) << what << ' ' << j.name;
    const double most = one(d.effort, 0);
    EXPECT_EQ(one(e.effort, 0), std::isfinite(most) ? most : 0) << what << ' ' << j.name;
    EXPECT_EQ(one(e.damping, 0), one(d.damping, 0)) << what << ' ' << j.name;
    EXPECT_EQ(one(e.friction, 0), one(d.friction, 0)) << what << ' ' << j.name;
    EXPECT_EQ(one(e.stiffness, 0), one(d.stiffness, 0)) << what << ' ' << j.name;
    if (one(d.stiffness, 0) != 0) {
      EXPECT_EQ(one(e.spring_reference, 0), one(d.spring_reference, 0)) << what << ' ' << j.name;
    }
    const double ratio = one(d.gear_ratio, 1);
    EXPECT_EQ(one(e.rotor_inertia, 0), ratio * ratio * one(d.rotor_inertia, 0)) << what << ' ' << j.name;
  }
}

TEST(WriteMjcf, EveryUrdfMovesTheSame) {
  for (const std::string& file : models()) {
    for (const char* root : {"automatic", "floating", "planar"}) {
      LoadOptions options;
      options.root = root;
      const Robot robot = load_robot(model_file(file), options);
      expect_same(robot, file + ' ' + root, 1e-12, std::string(root) != "planar", std::string(root) == "planar");
      expect_joints_kept(robot, file + ' ' + root);
    }
  }
}

TEST(WriteMjcf, EverySharedRobotMovesTheSame) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  for (const std::string& file : shared_robots(".urdf")) {
    for (const char* root : {"automatic", "floating"}) {
      LoadOptions options;
      options.root = root;
      options.resolve_meshes = false;
      const Robot robot = load_robot(shared_robot(file), options);
      expect_same(robot, file + ' ' + root, 1e-9, true);  // inertias that break A + B >= C by rounding are nudged
      expect_joints_kept(robot, file + ' ' + root);
    }
  }
}

TEST(WriteMjcf, SampleRobotsMoveTheSame) {
  for (const std::string& name : sample_names()) {
    if (name == "zoo") continue;  // below
    BuildOptions options;
    if (name == "quadruped") options.root = "floating";
    expect_same(robot_of(sample(name), options), name, 1e-12, true);
  }
}

TEST(WriteMjcf, RandomRobotsOfJointsThatMujocoHasMoveTheSame) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomRobot options;
    options.types = {"revolute", "prismatic", "continuous", "fixed"};
    const Robot robot = robot_of(random_robot(seed, options));
    expect_same(robot, "seed " + std::to_string(seed), 1e-12, true);
    expect_joints_kept(robot, "seed " + std::to_string(seed));
  }
}

TEST(WriteMjcf, RandomRobotsOfEveryJointMoveTheSame) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomRobot options;
    options.types = {"revolute",    "prismatic",          "floating", "spherical",     "planar",
                     "translation", "revolute_unbounded", "helical",  "spherical_zyx", "universal",
                     "cylindrical", "continuous",         "fixed"};
    options.armature = options.damping = options.friction = 0;  // one number for all axes in MJCF
    options.root = seed % 3 == 0 ? "floating" : seed % 3 == 1 ? "fixed" : "spherical";
    expect_same(robot_of(random_robot(seed, options)), "seed " + std::to_string(seed), 1e-12, false, true);
  }
}

TEST(WriteMjcf, RandomCompositesMoveTheSame) {
  int written = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomRobot options;
    options.types = {"composite"};
    options.joints = 3;
    options.armature = options.damping = options.friction = 0;
    RobotDescription d = random_robot(seed, options);
    bool has_ellipsoid = false;
    for (const JointDescription& j : d.joints)
      for (const JointPart& p : j.parts) has_ellipsoid = has_ellipsoid || p.type == "ellipsoid";
    if (has_ellipsoid) continue;
    ++written;
    expect_same(robot_of(std::move(d)), "seed " + std::to_string(seed), 1e-11, false, true);
  }
  EXPECT_GT(written, 20);
}

// Six freedoms fill a body: the slide of the screw is the first joint of the next one.
TEST(WriteMjcf, AScrewIsCoupledAcrossBodies) {
  for (const int parts : {0, 5, 6}) {
    RobotDescription d;
    LinkDescription tip{.name = "tip"};
    tip.mass = 1;
    tip.inertia = Sym3<double>::diagonal(0.1, 0.1, 0.1);
    d.links = {{.name = "world"}, tip};
    JointDescription joint{.name = "j", .type = "composite", .parent = "world", .child = "tip"};
    joint.parts.assign(static_cast<std::size_t>(parts), {.type = "revolute"});
    for (int k = 0; k < parts; ++k)
      joint.parts[static_cast<std::size_t>(k)].axis = {k % 2 ? 1.0 : 0.0, 0, k % 2 ? 0.0 : 1.0};
    joint.parts.push_back({.type = "helical", .axis = {0, 1, 0}, .parameters = {0.1}});
    d.joints = {joint};
    const Robot robot = robot_of(d);
    expect_same(robot, "screw", 1e-12, false);
    const std::string text = write_mjcf(robot).text, turn = "j_" + std::to_string(parts + 1);
    const std::string equality = "joint1=\"j_" + std::to_string(parts + 2) + "\" joint2=\"" + turn + "\"";
    EXPECT_NE(text.find(equality), std::string::npos) << text;
  }
}

/// The largest part of a row of `a` outside of the span of `b`, rows of unit length.
double outside(Matrix a, const Matrix& b) {
  if (a.rows() == 0) return 0;
  if (b.rows() == 0) return largest(a);
  for (Eigen::Index i = 0; i < a.rows(); ++i) a.row(i) /= std::max(1e-9, a.row(i).norm());
  const Eigen::BDCSVD<Matrix> svd(b, Eigen::ComputeThinV);
  const Eigen::Index rank = (svd.singularValues().array() > 1e-9 * std::max(1e-9, svd.singularValues()[0])).count();
  const Matrix V = svd.matrixV().leftCols(rank);
  return largest(a - (a * V) * V.transpose());
}

Matrix rows_of(const Robot& robot, const Vector& q) {
  ConstraintEvaluator evaluator(robot.model, robot.constraints);
  evaluator.evaluate(q, Vector::Zero(robot.model.nv()));
  Matrix J(evaluator.rows(), robot.model.nv());
  evaluator.jacobian(J);
  return J;
}

/// Rows hold the same motions, at a state that satisfies them.
void expect_same_rows(const Robot& robot, const Vector& q, const std::string& what) {
  const Again again(robot, {q});
  const Matrix J = rows_of(robot, q), J2 = rows_of(again.read(), again.q(0)) * again.B(0);
  EXPECT_LT(outside(J, J2), 1e-9) << what << '\n' << codes(again.written.losses);
  EXPECT_LT(outside(J2, J), 1e-9) << what << '\n' << codes(again.written.losses);
}

const Configuration& configuration(const Robot& robot, const std::string& name) {
  for (const Configuration& c : robot.configurations)
    if (c.name == name) return c;
  throw std::out_of_range(name);
}

void expect_same_loops(const std::string& path) {
  LoadOptions options;
  options.resolve_meshes = false;
  options.loops = ClosedLoops::constraints;
  const Robot robot = load_robot(path, options);
  if (robot.constraints.rows() == 0) return;
  Vector q = vector(configuration(robot, "file").q);
  if (path.find("cassie") == std::string::npos) {
    Vector start(robot.model.nq());
    integrate(robot.model, q, some_v(robot.model, 5) * 0.2, start);
    q = assemble(robot.model, robot.constraints, start).q;
  }
  const Again again(robot, {q});
  const Matrix J = rows_of(robot, q), J2 = rows_of(again.read(), again.q(0)) * again.B(0);
  // Loops that MuJoCo does not have are named; the others hold the same.
  if (!find(again.written, "L_LOOP")) { EXPECT_LT(outside(J, J2), 1e-7) << path << codes(again.written.losses); }
  EXPECT_LT(outside(J2, J), 1e-7) << path << codes(again.written.losses);
  EXPECT_GT(J2.rows(), 0) << path;
  for (const Loss& l : again.written.losses) EXPECT_NE(l.code, "L_COUPLING") << path;
}

TEST(WriteMjcf, LoopsAndCouplingsHoldTheSameMotions) {
  for (const char* file : {"five_bar.urdf", "four_bar.urdf", "slider_crank.sdf", "gripper.xml", "drop.xml"})
    expect_same_loops(model_file(file));
  if (shared_folder("models_urdf_plus").empty()) GTEST_SKIP() << "no shared folder models_urdf_plus";
  for (const auto& entry : std::filesystem::directory_iterator(shared_folder("models_urdf_plus")))
    if (entry.path().extension() == ".urdf") expect_same_loops(entry.path().string());
  expect_same_loops(shared_robot("cassie.sdf"));
}

// Two free bodies, so that every row counts.
TEST(WriteMjcf, LoopsHoldFreeBodiesAsTheirJointWould) {
  for (const auto& [type, rank] : {std::pair{"ball", 3}, std::pair{"hinge", 5}, std::pair{"weld", 6}}) {
    RobotDescription d;
    d.links = {{.name = "world"}};
    const Transform<double> at{rotation_from_rpy(Vec3<double>{0.3, -0.5, 0.7}), {0.2, -0.1, 0.4}};
    for (const char* name : {"a", "b"}) {
      LinkDescription l{.name = name};
      l.mass = 1;
      l.inertia = Sym3<double>::diagonal(0.1, 0.1, 0.1);
      d.links.push_back(l);
      d.joints.push_back({.name = std::string(name) + "_free", .type = "floating", .parent = "world", .child = name});
      d.frames.push_back({.name = std::string(name) + "_end", .parent = name, .placement = at});
    }
    Robot robot = robot_of(d);
    LoopConstraint loop{.name = "loop", .frame = "a_end", .other = "b_end"};
    loop.rows = joint_rows(type, {0.6, 0, 0.8});
    robot.constraints.add(loop);
    Vector q(robot.model.nq());
    neutral(robot.model, q);
    expect_same_rows(robot, q, type);
    const Again again(robot, {q});
    const Matrix J = rows_of(again.read(), again.q(0));
    EXPECT_EQ(Eigen::FullPivLU<Matrix>(J).setThreshold(1e-9).rank(), rank) << type;
  }
}

TEST(WriteMjcf, EverySharedMjcfMovesTheSameAgain) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  int files = 0;
  for (const char* folder : {"models_mjcf", "robots_mjcf"}) {
    if (shared_folder(folder).empty()) GTEST_SKIP() << "no shared folder " << folder;
    for (const auto& entry : std::filesystem::directory_iterator(shared_folder(folder))) {
      if (entry.path().extension() != ".xml") continue;
      const std::string name = entry.path().filename().string();
      std::optional<Robot> robot;
      try {
        LoadOptions options;
        options.resolve_meshes = false;
        robot.emplace(load_robot(entry.path().string(), options));
      } catch (const ModelError&) { continue; }
      if (robot->model.nv() == 0 || robot->model.nv() > 120) continue;
      ++files;
      expect_same(*robot, name, 1e-11, true);
      expect_joints_kept(*robot, name);
      const Again again(*robot, {some_q(robot->model, 3)});
      // What is drawn, and all keyframes.
      for (const Configuration& c : robot->configurations) {
        const bool renamed = c.name == "file" && again.written.text.find("<key name=\"file\"") != std::string::npos;
        const Configuration& d = configuration(again.read(), renamed ? "file_" : c.name);
        EXPECT_LT(relative(vector(d.q), vector(c.q)), 1e-12) << name << ' ' << c.name;
        EXPECT_LT(largest(vector(d.v) - vector(c.v)), 1e-12 * std::max(1.0, largest(vector(c.v)))) << name;
      }
      if (!find(again.written, "L_MOTOR")) {
        EXPECT_EQ(again.read().model.actuated(), robot->model.actuated()) << name;
      }
      EXPECT_EQ(again.read().constraints.size(), robot->constraints.size()) << name;
      // Names: all that are lost belong to nothing that moves.
      for (const Joint& j : robot->model.joints()) EXPECT_TRUE(bool(again.read().model.find_joint(j.name))) << name;
      for (const Link& l : robot->model.links()) EXPECT_TRUE(bool(again.read().model.find_link(l.name))) << name;
      for (const Loss& l : again.written.losses)
        EXPECT_TRUE(l.code == "L_SOFT" || l.code == "L_ARMATURE" || l.code == "L_DAMPING" || l.code == "L_CONTACT" ||
                    l.code == "L_NAME" || l.code == "L_MASSLESS" || l.code == "L_INERTIA" || l.code == "L_SHAPE" ||
                    (l.code == "L_CONFIGURATION" && l.instead == "keyframe file") ||
                    l.lost == "that no joint has a motor")
            << name << ' ' << codes({l});
      const Vector q = vector(configuration(*robot, "file").q);
      if (robot->constraints.size() > 0) expect_same_rows(*robot, q, name);
    }
  }
  EXPECT_GE(files, 50);
}

}  // namespace
}  // namespace zwang::test
