// SPDX-License-Identifier: BSD-3-Clause
// Random constraints and their rows (imposed.hpp).
#include "dynamics/imposed.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/rolling_joint.hpp"

namespace zwang::test {

using reference::Axes;
using reference::Kind;
using reference::Matrix3;
using reference::Vector3;

namespace {

reference::UserMotions user_motions() {
  const auto rolling = [](const auto* q, const std::vector<double>& parameters) {
    using J = std::remove_cvref_t<decltype(*q)>;
    reference::Pose<J> X;
    const J c = cos(q[1]), s = sin(q[1]);
    X.R << c, -s, J(0), s, c, J(0), J(0), J(0), J(1);
    X.p(0) = q[0] * J(parameters.at(0));
    return X;
  };
  return {{"rolling", reference::user_motion(2, rolling)}};
}

Matrix3<Real> axes_of(const reference::State& s, const FrameConstraint& c) {
  if (c.in == "world" || c.in == "local_world_aligned") return Matrix3<Real>::Identity();
  return s.pose(c.in == "local" ? c.frame : c.in).R;
}

std::string any_frame(const Robot& robot, Random& random) {
  const auto& frames = robot.model.frames();
  return frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))].name;
}

/// Both on one body, half a turn apart: which way the angular error points is then a matter of rounding.
bool half_a_turn_apart(const Model& model, const std::string& a, const std::string& b) {
  const Frame &one = model.frame(model.find_frame(a)), &other = model.frame(model.find_frame(b));
  const double trace = one.in_body.R.eigen().cwiseProduct(other.in_body.R.eigen()).sum();  // 1 + 2 cos of the angle
  return one.body == other.body && trace < -1 + 1e-6;
}

}  // namespace

Robot::Robot(const RobotDescription& d, const BuildOptions& o)
    : description(d),
      options(o),
      model(build(d, o)),
      reference(d, o, model, user_motions()) {}

std::shared_ptr<const UserJoint> rolling_joint() { return user_joint<Rolling>(); }

Robot random_robot_of_all_joints(std::uint64_t seed, int joints) {
  RandomRobot options;
  options.joints = joints;
  const char* roots[] = {"fixed", "floating", "planar", "spherical"};
  options.root = roots[seed % 4];
  options.user = {rolling_joint()};
  RobotDescription d = random_robot(seed, options);
  for (JointDescription& j : d.joints)  // parts of a composite joint may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  d.frames.push_back({"tool", d.links.back().name, {}});
  Random random(seed + 77);
  d.frames.back().placement = random.pose(0.3);
  BuildOptions build_options;
  build_options.lump = seed % 3 != 0;
  build_options.gravity = {random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-12, 3)};
  return Robot(d, build_options);
}

const std::string& name_of(const AnyConstraint& c) {
  return std::visit([](const auto& x) -> const std::string& { return x.name; }, c);
}
Role role_of(const AnyConstraint& c) {
  return std::visit([](const auto& x) { return x.role; }, c);
}
bool is_active(const AnyConstraint& c) {
  return std::visit([](const auto& x) { return x.active; }, c);
}
void add(ConstraintSet& set, const AnyConstraint& c) {
  std::visit([&](const auto& x) { set.add(x); }, c);
}

ConstraintSet Imposed::set(const Model& model) const {
  ConstraintSet s(model);
  for (const AnyConstraint& c : constraints) add(s, c);
  return s;
}
SolveInput Imposed::input(bool with_tau) const {
  SolveInput in;
  in.q = state.q;
  in.v = state.v;
  if (with_tau) in.tau = state.tau;
  in.external = &external;
  return in;
}

std::vector<double> random_rows(Random& random, int k) {
  std::vector<double> m;
  for (int i = 0; i < 6 * k; ++i) m.push_back(random.below(4) == 0 ? 0.0 : random.uniform(-2, 2));
  return m;
}

FrameConstraint random_frame_constraint(const Robot& robot, Random& random, const std::string& name) {
  static const char* const words[] = {"linear",  "angular", "all", "linear.x,angular.z", "angular.y linear.z",
                                      "linear.y"};
  FrameConstraint c;
  c.name = name;
  c.frame = any_frame(robot, random);
  c.rows = random.below(2) ? rows(words[random.below(6)]) : rows(random_rows(random, 1 + random.below(4)));
  const std::string axes[] = {"local", "world", "local_world_aligned", any_frame(robot, random)};
  c.in = axes[random.below(4)];
  if (random.below(4) > 0)
    for (Index i = 0; i < c.rows.size(); ++i) c.beta.push_back(random.uniform(-5, 5));
  c.acceleration = random.below(2) ? AccelerationKind::classical : AccelerationKind::spatial;
  c.role = random.below(2) ? Role::driver : Role::physical;
  return c;
}

ContactConstraint random_contact(const Robot& robot, Random& random, const std::string& name) {
  ContactConstraint c;
  c.name = name;
  c.frame = any_frame(robot, random);
  c.point = {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)};
  c.normal = random.direction() * random.uniform(0.2, 3);
  if (random.below(2)) c.tangent = random.direction() * 2.0;
  c.rows = 1 + random.below(3);
  if (random.below(2))
    for (int i = 0; i < c.rows; ++i) c.beta.push_back(random.uniform(-5, 5));
  c.role = random.below(3) == 0 ? Role::driver : Role::physical;
  return c;
}

LoopConstraint random_loop(const Robot& robot, Random& random, const std::string& name) {
  static const char* const words[] = {"linear",  "angular", "all", "linear.x,angular.z", "linear angular.x angular.y",
                                      "linear.y"};
  static const char* const joints[] = {"hinge", "slider", "cylindrical", "planar", "ball", "weld", "universal"};
  LoopConstraint c;
  c.name = name;
  c.frame = any_frame(robot, random);
  c.other = any_frame(robot, random);
  if (half_a_turn_apart(robot.model, c.frame, c.other)) c.other = c.frame;
  const int kind = random.below(3);
  if (kind == 0) c.rows = joint_rows(joints[random.below(7)], random.direction());
  if (kind == 1) c.rows = rows(words[random.below(6)]);
  if (kind == 2) c.rows = rows(random_rows(random, 1 + random.below(3)));
  for (Index i = 0; i < c.rows.size(); ++i) {
    c.beta.push_back(random.uniform(-5, 5));
    c.target.push_back(random.uniform(-1, 1));
    c.target_velocity.push_back(random.uniform(-1, 1));
  }
  if (random.below(2)) c.stabilisation = {random.uniform(0.3, 2), random.uniform(0.5, 2)};
  c.role = random.below(2) ? Role::driver : Role::physical;
  bool linear = true;
  for (std::size_t k = 0; k < c.rows.matrix.size(); ++k) linear = linear && (k % 6 < 3 || c.rows.matrix[k] == 0);
  if (linear && c.beta[0] < 2) c.in = "local_world_aligned";
  return c;
}

Imposed random_imposed_with_loops(const Robot& robot, std::uint64_t seed) {
  Imposed x = random_imposed(robot, seed);
  Random random(seed + 31);
  const int n = 1 + random.below(3);
  for (int i = 0; i < n; ++i)
    x.constraints.insert(x.constraints.begin() + random.below(static_cast<int>(x.constraints.size()) + 1),
                         random_loop(robot, random, "loop " + std::to_string(i)));
  return x;
}

Imposed random_imposed(const Robot& robot, std::uint64_t seed) {
  Imposed x;
  x.state = random_state(robot.reference, seed);
  Random random(seed + 1000003);
  const int n = 1 + random.below(4);
  for (int i = 0; i < n; ++i) {
    const std::string name = "constraint " + std::to_string(i);
    if (random.below(3) == 0)
      x.constraints.push_back(random_contact(robot, random, name));
    else
      x.constraints.push_back(random_frame_constraint(robot, random, name));
  }
  if (n > 2 && random.below(3) == 0) std::visit([](auto& c) { c.active = false; }, x.constraints[1]);
  const std::pair<Reference, Axes> seen[] = {{Reference::local, Axes::local},
                                             {Reference::world, Axes::world},
                                             {Reference::local_world_aligned, Axes::local_world_aligned}};
  for (const auto& [in, axes] : seen) {
    ExternalWrench w{robot.model.find_frame(any_frame(robot, random)), {}, in};
    reference::External r{robot.model.frame(w.frame).name, {}, axes};
    for (int k = 0; k < 6; ++k) r.wrench(k) = w.wrench[k] = random.uniform(-8, 8);
    x.external.push_back(w);
    x.reference_external.push_back(r);
  }
  return x;
}

namespace {

/// The builder takes cos(pi / 2) for what it means: zero.
constexpr Real k_zero = 1e-13L;
constexpr Real k_cancelled = 1e-17L;  // what long double leaves of terms that cancel

Mat jacobian_of(const reference::State& s, const std::string& frame, Axes at) {
  Mat J = s.jacobian(frame, at);
  const Real largest = J.size() > 0 ? J.cwiseAbs().maxCoeff() : 0;
  return J.unaryExpr([&](Real x) { return std::fabs(x) <= k_zero * largest ? Real(0) : x; });
}

Rows rows_of_frame(const reference::State& s, const FrameConstraint& c) {
  const Matrix3<Real> R = axes_of(s, c);
  const int k = static_cast<int>(c.rows.matrix.size()) / 6, nv = static_cast<int>(s.v().size());
  Rows out;
  out.K.resize(k, 6);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < 6; ++j) out.K(i, j) = c.rows.matrix[static_cast<std::size_t>(6 * i + j)];
  out.K.leftCols(3) = (out.K.leftCols(3) * R.transpose()).eval();
  out.K.rightCols(3) = (out.K.rightCols(3) * R.transpose()).eval();
  const Axes at = c.in == "world" ? Axes::world : Axes::local_world_aligned;
  const Kind kind = c.acceleration == AccelerationKind::classical ? Kind::classical : Kind::spatial;
  const Vec rest = s.acceleration(c.frame, Vec::Zero(nv), at, kind);
  const Mat J = jacobian_of(s, c.frame, at);
  out.A = out.K * J;
  out.b = -out.K * rest;
  const Vec weight = out.K.cwiseAbs().rowwise().sum();
  out.size = weight * rest.cwiseAbs().maxCoeff();
  out.reach = weight * J.cwiseAbs().colwise().maxCoeff();
  for (int i = 0; i < k && !c.beta.empty(); ++i) {
    out.b(i) += c.beta[static_cast<std::size_t>(i)];
    out.size(i) += std::fabs(c.beta[static_cast<std::size_t>(i)]);
  }
  return out;
}

/// [t1 t2 n], the tangent as given without its part along n, or the world axis least along n.
Matrix3<Real> contact_axes(const ContactConstraint& c) {
  const Vector3<Real> n = Vector3<Real>(c.normal.x, c.normal.y, c.normal.z).normalized();
  Vector3<Real> t(c.tangent.x, c.tangent.y, c.tangent.z);
  if (t.isZero(0)) {
    int least = 0;
    n.cwiseAbs().minCoeff(&least);
    t = Vector3<Real>::Unit(least);
  }
  t = (t - n * n.dot(t)).normalized();
  Matrix3<Real> axes;
  axes << t, n.cross(t), n;
  return axes;
}

Rows rows_of_contact(const reference::State& s, const ContactConstraint& c) {
  const Matrix3<Real> axes = contact_axes(c);
  const std::vector<int> chosen = c.rows == 1 ? std::vector{2} : c.rows == 2 ? std::vector{0, 2} : std::vector{0, 1, 2};
  const reference::Pose<Real> X = s.pose(c.frame);
  const Vector3<Real> r = X.R * Vector3<Real>(c.point.x, c.point.y, c.point.z);
  const auto J = s.jacobian(c.frame, Axes::local_world_aligned);
  const reference::Vector6<Real> a =
      s.acceleration(c.frame, Vec::Zero(s.v().size()), Axes::local_world_aligned, Kind::classical);
  const Vector3<Real> w = s.velocity(c.frame, Axes::local_world_aligned).tail(3), al = a.tail(3);
  const Vector3<Real> rest = Vector3<Real>(a.head(3)) + al.cross(r) + w.cross(Vector3<Real>(w.cross(r)));
  Rows out;
  const int k = static_cast<int>(chosen.size());
  out.K = Mat::Zero(k, 6);
  out.A.resize(k, J.cols());
  out.b = out.size = Vec::Zero(k);
  const Real lever = 1 + r.cwiseAbs().sum();
  out.reach = Vec::Constant(k, lever) * J.cwiseAbs().colwise().maxCoeff();
  for (int i = 0; i < k; ++i) {
    const Vector3<Real> d = axes.col(chosen[static_cast<std::size_t>(i)]);
    out.K.row(i).head(3) = d;
    out.A.row(i) = d.transpose() * J.topRows(3) + Vector3<Real>(r.cross(d)).transpose() * J.bottomRows(3);
    const Real beta = c.beta.empty() ? 0 : c.beta[static_cast<std::size_t>(i)];
    out.b(i) = beta - d.dot(rest);
    out.size(i) = std::fabs(beta) + 2 * (rest.cwiseAbs().maxCoeff() + a.cwiseAbs().maxCoeff() * lever);
  }
  return out;
}

/// Angular error of a loop seen from a: its rate is `A` w, and the rate of that for w' = 0 is `bias`.
struct Turn {
  Vector3<Real> psi, bias;
  Matrix3<Real> A;
};
Matrix3<Real> cross_matrix(const Vector3<Real>& a) {
  Matrix3<Real> m;
  m << 0, -a(2), a(1), a(2), 0, -a(0), -a(1), a(0), 0;
  return m;
}
Matrix3<Real> rate_of_log(const Vector3<Real>& psi) {  // 1 - [psi]/2 + g [psi]^2
  const Real x = psi.norm();
  const Real g = x < 1e-4L ? 1 / 12.0L + x * x / 720 : (1 - x / 2 * std::cos(x / 2) / std::sin(x / 2)) / (x * x);
  return Matrix3<Real>::Identity() - cross_matrix(psi) / 2 + g * cross_matrix(psi) * cross_matrix(psi);
}
Vector3<Real> log_of(const Matrix3<Real>& R) {
  const Eigen::AngleAxis<Real> x(R);
  const Real angle = x.angle() > std::numbers::pi_v<Real> ? x.angle() - 2 * std::numbers::pi_v<Real> : x.angle();
  return x.axis() * angle;
}
Turn turn(const Matrix3<Real>& R, const Vector3<Real>& w, const LoopConstraint& c) {
  const int k = static_cast<int>(c.rows.matrix.size()) / 6;
  Eigen::Matrix<Real, Eigen::Dynamic, 3> angular(k, 3);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < 3; ++j) angular(i, j) = c.rows.matrix[static_cast<std::size_t>(6 * i + 3 + j)];
  const Eigen::JacobiSVD<Mat> svd(Mat(angular), Eigen::ComputeFullV);
  int held = 0;
  while (held < svd.singularValues().size() && svd.singularValues()(held) > 1e-9L) ++held;
  Turn t;
  if (held == 0 || held == 3 || (held == 1 && c.rows.free_axes.empty())) {
    t.psi = log_of(R);
    t.A = rate_of_log(t.psi);
    const Vector3<Real> rate = t.A * w;
    const Real h = 1e-6L;
    t.bias = (rate_of_log(t.psi + h * rate) - rate_of_log(t.psi - h * rate)) / (2 * h) * w;
  } else if (held == 2) {
    // psi = f u x y, f = t / sin t, with f' = (1 - t cot t) / sin^2 t times (u x y) . w
    const Vector3<Real> u = svd.matrixV().col(2), y = R * u;
    const auto rate = [&](const Vector3<Real>& at) {
      const Vector3<Real> m = u.cross(at);
      const Real cosine = u.dot(at), sine = m.norm();
      const bool small = sine < 1e-4L && cosine > 0;
      const Real f = small ? 1 + sine * sine / 6 : std::atan2(sine, cosine) / sine;
      Matrix3<Real> A = -f * (cross_matrix(u) * cross_matrix(at));
      A += (small ? 1 / 3.0L : (1 - cosine * f) / (sine * sine)) * (m * m.transpose());
      return A;
    };
    const Vector3<Real> m = u.cross(y), moves = w.cross(y);
    t.psi = m.norm() < 1e-4L && u.dot(y) > 0 ? Vector3<Real>(m * (1 + m.squaredNorm() / 6))
                                             : Vector3<Real>(m * (std::atan2(m.norm(), u.dot(y)) / m.norm()));
    t.A = rate(y);
    const Real h = 1e-6L;
    t.bias = (rate(y + h * moves) - rate(y - h * moves)) / (2 * h) * w;
  } else {
    const std::vector<double>& f = c.rows.free_axes;
    const Vector3<Real> u1{f[0], f[1], f[2]}, u2{f[3], f[4], f[5]};
    const Vector3<Real> k2 = u1.cross(u2), y = R * u2;
    t.psi = -k2 * u1.dot(y);
    t.A = -k2 * Vector3<Real>(y.cross(u1)).transpose();
    t.bias = -k2 * u1.dot(Vector3<Real>(w.cross(Vector3<Real>(w.cross(y)))));
  }
  return t;
}

/// phi = K [p; psi] with p, psi of b seen from a.
Rows rows_of_loop(const reference::State& s, const LoopConstraint& c) {
  const reference::Pose<Real> a = s.pose(c.frame), b = s.pose(c.other);
  const int k = static_cast<int>(c.rows.matrix.size()) / 6, nv = static_cast<int>(s.v().size());
  const auto at_b = [&](const reference::Vector6<Real>& V) {  // a motion about the world's origin, at b's
    reference::Vector6<Real> x = V;
    x.head(3) += Vector3<Real>(V.tail(3)).cross(b.p);
    return x;
  };
  const Vec none = Vec::Zero(nv);
  const reference::Vector6<Real> va = at_b(s.velocity(c.frame, Axes::world)),
                                 vb = at_b(s.velocity(c.other, Axes::world));
  const reference::Vector6<Real> V = vb - va, acc = at_b(s.acceleration(c.other, none, Axes::world, Kind::spatial)) -
                                                    at_b(s.acceleration(c.frame, none, Axes::world, Kind::spatial));
  const Vector3<Real> wa = va.tail(3), w = V.tail(3), point = vb.head(3), slip = V.head(3);
  const Matrix3<Real> to_a = a.R.transpose();
  const Turn t = turn(to_a * b.R, to_a * w, c);
  Mat J = s.jacobian(c.other, Axes::world) - s.jacobian(c.frame, Axes::world);
  for (int i = 0; i < nv; ++i) J.col(i) = at_b(J.col(i));
  Mat G(6, nv);
  G.topRows(3) = to_a * J.topRows(3);
  G.bottomRows(3) = t.A * to_a * J.bottomRows(3);
  Vec rest(6), phi(6), rate(6);
  rest.head(3) = to_a * (acc.head(3) + w.cross(point) - wa.cross(slip));
  rest.tail(3) = t.A * to_a * (acc.tail(3) - wa.cross(w)) + t.bias;
  phi << to_a * (b.p - a.p), t.psi;
  rate << to_a * slip, t.A * to_a * w;
  if (c.in == "local_world_aligned") {  // one point less another, in axes that stand still
    const auto rest_of = [&](const std::string& frame) -> Vector3<Real> {
      return s.acceleration(frame, none, Axes::local_world_aligned, Kind::classical).head(3);
    };
    G.topRows(3) = jacobian_of(s, c.other, Axes::local_world_aligned).topRows(3) -
                   jacobian_of(s, c.frame, Axes::local_world_aligned).topRows(3);
    rest.head(3) = rest_of(c.other) - rest_of(c.frame);
    phi.head(3) = b.p - a.p;
    rate.head(3) = G.topRows(3) * s.v();
  }
  Rows out;
  out.K = Mat::Zero(k, 6);
  out.A.resize(k, nv);
  out.b = out.size = Vec::Zero(k);
  const Real reach_of_acc = 1 + s.acceleration(c.other, none, Axes::world, Kind::spatial).cwiseAbs().maxCoeff() +
                            s.acceleration(c.frame, none, Axes::world, Kind::spatial).cwiseAbs().maxCoeff();
  const Real lever = 1 + b.p.norm(), speed = 1 + va.cwiseAbs().maxCoeff() + vb.cwiseAbs().maxCoeff();
  out.reach.resize(k, nv);
  const Vec columns = s.jacobian(c.other, Axes::world).cwiseAbs().colwise().maxCoeff().transpose() +
                      s.jacobian(c.frame, Axes::world).cwiseAbs().colwise().maxCoeff().transpose();
  const Real kp = c.stabilisation.time_constant > 0 ? 1 / Real(c.stabilisation.time_constant) : 0;
  for (int i = 0; i < k; ++i) {
    Vec row(6);
    for (int j = 0; j < 6; ++j) row(j) = c.rows.matrix[static_cast<std::size_t>(6 * i + j)];
    const auto at = static_cast<std::size_t>(i);
    const Real e = row.dot(phi) - (c.target.empty() ? 0 : Real(c.target[at]));
    const Real e1 = row.dot(rate) - (c.target_velocity.empty() ? 0 : Real(c.target_velocity[at]));
    const Real wanted =
        (c.beta.empty() ? 0 : Real(c.beta[at])) - 2 * Real(c.stabilisation.damping_ratio) * kp * e1 - kp * kp * e;
    out.A.row(i) = row.transpose() * G;
    out.b(i) = wanted - row.dot(rest);
    const Real weight = 4 * row.cwiseAbs().sum() * (1 + t.A.cwiseAbs().maxCoeff());
    out.size(i) = std::fabs(wanted) + weight * (lever * reach_of_acc + speed * speed);
    out.reach.row(i) = weight * lever * columns.transpose();
  }
  return out;
}

}  // namespace

Rows rows_of(const Robot& robot, const reference::State& s, const AnyConstraint& c) {
  const auto* f = std::get_if<FrameConstraint>(&c);
  const auto* l = std::get_if<LoopConstraint>(&c);
  Rows r = f ? rows_of_frame(s, *f) : l ? rows_of_loop(s, *l) : rows_of_contact(s, std::get<ContactConstraint>(c));
  const Real zero = f ? k_cancelled : k_zero;
  for (Eigen::Index k = 0; k < r.A.size(); ++k)
    if (std::fabs(r.A.data()[k]) <= zero * r.reach.data()[k]) r.A.data()[k] = 0;
  r.size += r.K.cwiseAbs().rowwise().sum() * robot.reference.gravity().norm();
  return r;
}

Posed pose(const Robot& robot, const Imposed& x, const reference::Effects& effects) {
  const reference::State s = robot.reference.at(x.state.q, x.state.v);
  Posed p;
  p.M = s.mass_matrix(effects);
  p.h = s.bias(x.reference_external, effects);
  p.tau = x.state.tau.cast<Real>();
  p.A.resize(0, p.M.cols());
  p.reach.resize(0, p.M.cols());
  int row = 0;
  for (std::size_t c = 0; c < x.constraints.size(); ++c) {
    const Rows r = rows_of(robot, s, x.constraints[c]);
    const Eigen::Index m = p.A.rows(), k = r.A.rows();
    for (int i = 0; i < k; ++i, ++row) {
      if (!is_active(x.constraints[c])) continue;
      p.constraint.push_back(static_cast<int>(c));
      p.row.push_back(row);
    }
    if (!is_active(x.constraints[c])) continue;
    p.A.conservativeResize(m + k, Eigen::NoChange);
    p.b.conservativeResize(m + k);
    p.size.conservativeResize(m + k);
    p.reach.conservativeResize(m + k, Eigen::NoChange);
    p.A.bottomRows(k) = r.A;
    p.reach.bottomRows(k) = r.reach;
    p.b.tail(k) = r.b;
    p.size.tail(k) = r.size;
  }
  return p;
}

bool clear_rank(const reference::Constrained& s) {
  if (s.singular_values.size() == 0) return true;
  const Real top = std::max<Real>(s.singular_values(0), 1e-300L);
  for (const Real x : s.singular_values)
    if (x > 1e-11L * top && x < 1e-5L * top) return false;
  return true;
}

double amplification(const Posed& p, const reference::Constrained& s) {
  const Vec scale = p.M.diagonal().cwiseSqrt().cwiseInverse();
  const Mat E = scale.asDiagonal() * p.M * scale.asDiagonal();
  const Vec e = Eigen::SelfAdjointEigenSolver<Mat>(E, Eigen::EigenvaluesOnly).eigenvalues();
  Real k = e(e.size() - 1) / e(0);
  if (s.rank > 0) k *= s.singular_values(0) / s.singular_values(s.rank - 1);
  return static_cast<double>(k);
}

double kkt_residual(const Posed& p, const Vec& a, const Vec& lambda) {
  const Vec r = p.M * a + p.h - p.tau - p.A.transpose() * lambda;
  const Vec size = p.M.cwiseAbs() * a.cwiseAbs() + p.h.cwiseAbs() + p.tau.cwiseAbs() +
                   p.A.transpose().cwiseAbs() * lambda.cwiseAbs();
  Real worst = 0;
  for (Eigen::Index k = 0; k < r.size(); ++k) {
    if (!std::isfinite(static_cast<double>(r(k)))) return INFINITY;
    if (size(k) > 0) worst = std::max(worst, std::fabs(r(k)) / size(k));
  }
  return static_cast<double>(worst);
}

Vec active_part(const Posed& p, const VectorView& all) {
  Vec out(static_cast<Eigen::Index>(p.row.size()));
  for (std::size_t i = 0; i < p.row.size(); ++i) out(static_cast<Eigen::Index>(i)) = all(p.row[i]);
  return out;
}

}  // namespace zwang::test
