// SPDX-License-Identifier: BSD-3-Clause
// How a robot with loops moves: as the same mechanism made by hand, whichever joint of a link is cut,
// and as a closed form says of a four-bar linkage.
#include <Eigen/QR>
#include <array>
#include <cmath>

#include "support.hpp"
#include "support/close.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Triad = std::array<Vec3<double>, 3>;  // across, across, along

const char* const k_types[] = {"fixed",       "revolute",      "continuous",  "revolute_unbounded",
                               "prismatic",   "planar",        "universal",   "spherical",
                               "cylindrical", "spherical_zyx", "translation", "floating"};

/// Two chains of four hinges from the base, whose ends `left4` and `right4` both carry `plate`: by a joint of type
/// `first` and, later in the description, one of type `second`. Closed at q = 0.
RobotDescription two_chains(const std::string& first, const std::string& second, Random& random, bool swapped = false) {
  RobotDescription d{.name = "two chains"};
  const auto add_link = [&](const std::string& name) {
    const double mass = random.uniform(0.5, 2);
    d.links.push_back(
        {.name = name, .mass = mass, .centre = random.direction() * 0.2, .inertia = random.inertia(mass, 0.3)});
  };
  const auto add_joint = [&](const std::string& name, const std::string& type, const std::string& parent,
                             const std::string& child, const Transform<double>& origin) {
    d.joints.push_back({.name = name, .type = type, .parent = parent, .child = child, .origin = origin});
    d.joints.back().axis = random.direction();
  };
  add_link("base");
  Transform<double> end[2];
  for (int side = 0; side < 2; ++side) {
    const std::string name = side == 0 ? "left" : "right";
    Transform<double> X = Transform<double>::identity();
    std::string last = "base";
    for (int k = 1; k <= 4; ++k) {
      const std::string next = name + std::to_string(k);
      const Transform<double> origin = random.pose(0.5);
      add_link(next);
      add_joint("to " + next, "revolute", last, next, origin);
      X = X * origin;
      last = next;
    }
    end[side] = X;
  }
  add_link("plate");
  const Transform<double> at = random.pose(0.5);
  const Vec3<double> axis = random.direction();
  add_joint("first", first, "left4", "plate", at);
  add_joint("second", second, "right4", "plate", inverse(end[1]) * (end[0] * at));
  d.joints[d.joints.size() - 2].axis = axis;
  if (swapped) std::swap(d.joints[d.joints.size() - 2], d.joints.back());
  return d;
}

/// Axes across and along u; the first is where the least turn from e_z to u takes e_x.
Triad triad(const Vec3<double>& u) {
  const Vec3<double> w{-u.y, u.x, 0};  // e_z x u
  const Vec3<double> x{1, 0, 0};
  const Vec3<double> wx = zwang::cross(w, x);
  const Vec3<double> t = x + wx + zwang::cross(w, wx) * (1 / (1 + u.z));
  return {t, zwang::cross(u, t), u};
}

/// What a joint of that type holds, written out: for each row an angular or linear direction.
RowSelection rows_by_hand(const std::string& type, const Triad& axes) {
  std::vector<double> matrix;
  const auto row = [&](bool angular, int direction) {
    const Vec3<double>& a = axes[static_cast<std::size_t>(direction)];
    for (int k = 0; k < 6; ++k) matrix.push_back((k >= 3) == angular ? a[k % 3] : 0.0);
  };
  const bool hinge = type == "revolute" || type == "continuous" || type == "revolute_unbounded";
  const bool ball = type == "spherical" || type == "spherical_zyx";
  const bool point = hinge || ball || type == "fixed" || type == "universal";
  const bool no_turn = type == "fixed" || type == "prismatic" || type == "translation";
  for (int k = 0; k < 3; ++k) {
    const bool along = k == 2;
    if (point || (type == "planar" && along) || ((type == "prismatic" || type == "cylindrical") && !along))
      row(false, k);
    if (no_turn || ((hinge || type == "planar" || type == "cylindrical") && !along)) row(true, k);
  }
  if (type == "universal") row(true, 1);  // u1 = u, u2 = t: neither turns about u x t
  if (matrix.empty()) return {};
  RowSelection s = rows(matrix);
  if (type == "universal") s.free_axes = {axes[2].x, axes[2].y, axes[2].z, axes[0].x, axes[0].y, axes[0].z};
  return s;
}

/// Tolerance: two bases of the same rows; the accelerations are some 1e3 of the rounding of Λ⁻¹ apart,
/// 1e-12 of their size.
TEST(LoopLaw, ALoopOfAFileMovesAsTheSameRowsByHand) {
  BuildOptions options;
  options.loops = ClosedLoops::constraints;
  for (const char* type : k_types)
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(std::string(type) + ", seed " + std::to_string(seed));
      Random random(seed + 17);
      RobotDescription d = two_chains("spherical", type, random);
      const Model model = build(d, options);
      ASSERT_EQ(model.loops().size(), 1u);
      ConstraintSet set(model);
      set.add_loops();

      const JointDescription cut = d.joints.back();
      d.joints.pop_back();
      d.frames = {{"seat", cut.parent, cut.origin}};
      const Model tree = build(d);
      ConstraintSet by_hand(tree);
      const RowSelection expected = rows_by_hand(type, triad(cut.axis));
      if (expected.size() > 0)
        by_hand.add(LoopConstraint{.name = "second", .frame = "seat", .other = "plate", .rows = expected});
      ASSERT_EQ(set.rows(), by_hand.rows());

      ASSERT_EQ(model.coordinate_names(), tree.coordinate_names());
      const RandomState x = random_state(tree, seed);
      Solver a(model, set), b(tree, by_hand);
      const Solution &s = a.solve({.q = x.q, .v = x.v, .tau = x.tau}), &t = b.solve({.q = x.q, .v = x.v, .tau = x.tau});
      ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
      EXPECT_EQ(s.report.rank, set.rows());
      EXPECT_CLOSE(s.acceleration, t.acceleration, 1e-12);
    }
}

/// Velocities of all links, [v; w] one below the other, per velocity of the joints.
Eigen::MatrixXd link_jacobian(const Model& model, Data& data) {
  Eigen::MatrixXd S(6 * static_cast<Eigen::Index>(model.links().size()), model.nv()), J(6, model.nv());
  Eigen::Index row = 0;
  for (const Link& l : model.links()) {
    jacobian(model, data, model.find_frame(l.name), Reference::local_world_aligned, J);
    S.middleRows(row, 6) = J;
    row += 6;
  }
  return S;
}
Vector link_accelerations(const Model& model, const Vector& q, const Vector& v, const Vector& a) {
  Data data(model);
  forward_kinematics(model, data, q, v, a);
  Vector out(6 * static_cast<Eigen::Index>(model.links().size()));
  Eigen::Index row = 0;
  for (const Link& l : model.links()) {
    const Motion<double> m = frame_acceleration(model, data, model.find_frame(l.name), AccelerationKind::classical);
    out.segment(row, 6) << m.v.x, m.v.y, m.v.z, m.w.x, m.w.y, m.w.z;
    row += 6;
  }
  return out;
}
Vector torques_on_hinges(const Model& model) {
  Vector tau = Vector::Zero(model.nv());
  for (const Joint& j : model.joints())
    if (j.name.starts_with("to "))
      tau(j.v.first) = j.name.back() - '2' + (j.name[3] == 'l' ? 0.5 : -0.25);  // different on each of them
  return tau;
}

/// Which joint of a link is cut is nobody's business: the links move alike. Tolerance: two trees of some ten bodies
/// whose rows have a condition of up to 1e4 each; 1e-10 of the accelerations is 1e6 roundings.
TEST(LoopLaw, TheLinksMoveAlikeWhicheverJointIsCut) {
  BuildOptions options;
  options.loops = ClosedLoops::constraints;
  for (const char* first : k_types)
    for (const char* second : k_types) {
      SCOPED_TRACE(std::string(first) + " and " + second);
      Model model[2] = {build(RobotDescription{.links = {{.name = "x"}}}),
                        build(RobotDescription{.links = {{.name = "x"}}})};
      Vector q[2], v[2], moved[2];
      for (int k = 0; k < 2; ++k) {
        Random random(5);
        model[k] = build(two_chains(first, second, random, k == 1), options);
        ASSERT_EQ(model[k].loops()[0].name, k == 0 ? "second" : "first");
        const Model& m = model[k];
        q[k] = neutral(m);
        Data data(m);
        forward_kinematics(m, data, q[k]);
        const Loop& loop = m.loops()[0];
        const RowSelection held = loop_constraint(m, loop).rows;
        if (k == 0) {  // any velocity that the rows allow: a and b stand on each other, so that J = K J_b seen from a
          Random draw(9);
          v[0] = draw.vector(m.nv());
          if (held.size() > 0) {
            Eigen::MatrixXd relative(6, m.nv());
            relative_jacobian(m, data, loop.successor, loop.predecessor, Reference::local, relative);
            const Eigen::MatrixXd J = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>>(
                                          held.matrix.data(), held.size(), 6) *
                                      relative;
            const Vector error = J * v[0], back = J.completeOrthogonalDecomposition().solve(error);
            v[0] -= back;
          }
          moved[0] = link_jacobian(m, data) * v[0];
        } else {
          const Eigen::MatrixXd S = link_jacobian(m, data);
          v[1] = S.colPivHouseholderQr().solve(moved[0]);
          moved[1] = S * v[1];
          ASSERT_LE((moved[1] - moved[0]).cwiseAbs().maxCoeff(), 1e-12)
              << "the joint in the tree allows what the rows do";
        }
      }
      Vector a[2];
      for (int k = 0; k < 2; ++k) {
        ConstraintSet set(model[k]);
        set.add_loops();
        Solver solver(model[k], set);
        const Vector tau = torques_on_hinges(model[k]);
        const Solution& s = solver.solve({.q = q[k], .v = v[k], .tau = tau});
        ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
        const Vector found = s.acceleration;
        a[k] = link_accelerations(model[k], q[k], v[k], found);
      }
      EXPECT_CLOSE(a[0], a[1], 1e-10);
    }
}

/// A bar of the four-bar linkage in its plane: centre of mass in its own axes, first axis along it.
struct Bar {
  double length, mass, inertia, x, y;
};

struct Plane {
  double x, y;
  Plane operator+(const Plane& o) const { return {x + o.x, y + o.y}; }
  Plane operator*(double s) const { return {x * s, y * s}; }
};
double dot(const Plane& a, const Plane& b) { return a.x * b.x + a.y * b.y; }
Plane turned(double angle, const Plane& p) {
  return {std::cos(angle) * p.x - std::sin(angle) * p.y, std::sin(angle) * p.x + std::cos(angle) * p.y};
}
Plane quarter(const Plane& p) { return {-p.y, p.x}; }

/// Crank angle a at speed w and torque tau; rod angle b, rocker angle c follow from L1 e(a) + L2 e(b) = g + L3 e(c).
struct FourBar {
  Bar bar[3];
  double ground;
  /// b and c on the branch where the rod is above the line to the rocker's foot.
  void close(double a, double& b, double& c) const {
    const Plane P = turned(a, {bar[0].length, 0}), D{ground - P.x, -P.y};
    const double L2 = bar[1].length, L3 = bar[2].length, d = std::hypot(D.x, D.y);
    b = std::atan2(D.y, D.x) + std::acos((L2 * L2 + d * d - L3 * L3) / (2 * L2 * d));
    const Plane C = P + turned(b, {L2, 0});
    c = std::atan2(C.y, C.x - ground);
  }
  /// x e'(b) L2 - y e'(c) L3 = right.
  void solve(double b, double c, const Plane& right, double& x, double& y) const {
    const Plane u = quarter(turned(b, {bar[1].length, 0})), w = quarter(turned(c, {-bar[2].length, 0}));
    const double det = u.x * w.y - u.y * w.x;
    x = (right.x * w.y - right.y * w.x) / det;
    y = (u.x * right.y - u.y * right.x) / det;
  }
  /// d'Alembert's principle along the one freedom: sum m r'.(r'' - g) + sum I k (k a'' + k' w^2) = tau.
  double acceleration(double a, double w, double tau, double gravity) const {
    double b, c, kb, kc, kb2, kc2;
    close(a, b, c);
    const Plane crank = turned(a, {bar[0].length, 0});
    solve(b, c, quarter(crank) * -1, kb, kc);
    solve(b, c, crank + turned(b, {bar[1].length, 0}) * (kb * kb) + turned(c, {-bar[2].length, 0}) * (kc * kc), kb2,
          kc2);
    const double angle[3] = {a, b, c}, k[3] = {1, kb, kc}, k2[3] = {0, kb2, kc2};
    double inertia = 0, force = tau;
    for (int i = 0; i < 3; ++i) {
      const Plane arm = turned(angle[i], {bar[i].x, bar[i].y});
      Plane rate = quarter(arm) * k[i], rest = quarter(arm) * (k2[i] * w * w) + arm * (-k[i] * k[i] * w * w);
      if (i == 1) {
        rate = rate + quarter(crank);
        rest = rest + crank * (-w * w);
      }
      inertia += bar[i].mass * dot(rate, rate) + bar[i].inertia * k[i] * k[i];
      force -= bar[i].mass * dot(rate, rest + Plane{0, gravity}) + bar[i].inertia * k[i] * k2[i] * w * w;
    }
    return force / inertia;
  }
  std::string urdf() const {
    const auto n = [](double x) { return std::to_string(x); };
    const auto body = [&](const char* name, const Bar& b) {
      return link(name, "<inertial><origin xyz='" + n(b.x) + ' ' + n(b.y) + " 0'/><mass value='" + n(b.mass) +
                            "'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='" + n(b.inertia) +
                            "'/></inertial>");
    };
    const auto hinge = [&](const char* name, const char* parent, const char* child, double x) {
      return joint(name, parent, child, "<origin xyz='" + n(x) + " 0 0'/><axis xyz='0 0 1'/>", "continuous");
    };
    return robot(link("ground") + body("crank", bar[0]) + body("rod", bar[1]) + body("rocker", bar[2]) +
                 link("tip", "") + hinge("motor", "ground", "crank", 0) +
                 hinge("crank pin", "crank", "rod", bar[0].length) + hinge("foot", "ground", "rocker", ground) +
                 joint("tip mount", "rocker", "tip", "<origin xyz='" + n(bar[2].length) + " 0 0'/>", "fixed") +
                 hinge("rocker pin", "rod", "tip", bar[1].length));
  }
};

TEST(LoopLaw, AFourBarLinkageMovesByItsClosedForm) {
  const FourBar f{{{0.25, 1.5, 0.02, 0.125, 0.0}, {0.75, 0.5, 0.03, 0.25, 0.0625}, {0.5, 0.75, 0.025, 0.25, -0.03125}},
                  0.875};
  LoadOptions options;
  options.loops = ClosedLoops::constraints;
  options.gravity = {0, -9.81, 0};
  const Model model = loads(f.urdf(), options);
  ASSERT_EQ(model.nv(), 3);
  ASSERT_EQ(model.loops().size(), 1u);
  ConstraintSet set(model);
  ASSERT_EQ(set.add_loops(), 1);
  Solver solver(model, set);
  const Index crank = model.joint("motor").q.first, pin = model.joint("crank pin").q.first,
              foot = model.joint("foot").q.first;
  for (int turn = 0; turn < 48; ++turn) {  // all the way round: the crank is the shortest bar (Grashof)
    const double a = turn * 0.1309, w = -3 + 0.25 * turn, tau = 2 - 0.1 * turn;
    double b, c, kb, kc;
    f.close(a, b, c);
    f.solve(b, c, quarter(turned(a, {f.bar[0].length, 0})) * -1, kb, kc);
    Vector q(3), v(3), torque = Vector::Zero(3);
    q(crank) = a, q(pin) = b - a, q(foot) = c;
    v(crank) = w, v(pin) = (kb - 1) * w, v(foot) = kc * w;
    torque(crank) = tau;
    const Solution& s = solver.solve({.q = q, .v = v, .tau = torque});
    ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
    EXPECT_EQ(s.report.rank, 2) << "of five rows: the others hold the linkage in its plane, where it is already";
    // Forces of some 20 N over 0.05 kg m^2: 1e-12 of the largest term.
    EXPECT_NEAR(s.acceleration(crank), f.acceleration(a, w, tau, 9.81), 1e-12 * (500 + w * w));
    EXPECT_LE(s.position_error.cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LE(s.velocity_error.cwiseAbs().maxCoeff(), 1e-14);
  }
}

}  // namespace
}  // namespace zwang::test
