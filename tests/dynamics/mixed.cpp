// SPDX-License-Identifier: BSD-3-Clause
// Random hybrid problems and their statement in the reference (mixed.hpp).
#include "dynamics/mixed.hpp"

#include <algorithm>
#include <cmath>

namespace zwang::test {

using reference::HybridProblem;

SolveInput Mixed::input() const {
  SolveInput in = Imposed::input();
  in.prescribed = &prescribed;
  return in;
}

Robot sample_robot(const std::string& name, const std::string& root) {
  BuildOptions options;
  options.root = root;
  return Robot(sample(name), options);
}

Robot regular_robot(std::uint64_t seed, const RandomRobot& options) {
  RobotDescription d = random_robot(seed, options);
  for (JointDescription& j : d.joints)
    if (j.type == "composite") j.rotor_inertia = {0.05};
  return Robot(d);
}

Policy policy_of(const AnyConstraint& c) {
  return std::visit([](const auto& x) { return x.policy; }, c);
}
int priority_of(const AnyConstraint& c) {
  return std::visit([](const auto& x) { return x.priority; }, c);
}

Mixed with_senses(const Robot& robot, Mixed x, std::uint64_t seed) {
  Random random(seed * 31 + 1);
  for (AnyConstraint& any : x.constraints)
    std::visit(
        [&](auto& c) {
          c.sense.resize(static_cast<std::size_t>(bind(robot.model, c).size()));
          for (Sense& word : c.sense) word = static_cast<Sense>(random.below(3));
        },
        any);
  return x;
}

Prescribed random_prescribed(const Robot& robot, Random& random) {
  Prescribed list;
  std::vector<const Joint*> movable;
  for (const Joint& j : robot.model.joints())
    if (j.v.size > 0 && j.mimic.leader.empty()) movable.push_back(&j);
  if (movable.empty()) return list;
  const bool everything = random.below(20) == 0;
  const int wanted = everything ? static_cast<int>(movable.size()) : 1 + random.below(3);
  std::vector<bool> chosen(movable.size(), false);
  for (int k = 0; k < wanted; ++k) {
    std::size_t at = everything ? static_cast<std::size_t>(k)
                                : static_cast<std::size_t>(random.below(static_cast<int>(movable.size())));
    if (k == 0 && random.below(4) == 0) at = 0;  // often the root
    if (chosen[at]) continue;
    chosen[at] = true;
    const Joint& j = *movable[at];
    if (j.v.size > 1 && !everything && random.below(3) == 0) {  // one coordinate of several
      const Index of = j.v.first + random.below(j.v.size);
      prescribe(robot.model, list, robot.model.coordinate_names()[static_cast<std::size_t>(of)],
                {random.uniform(-5, 5)});
      continue;
    }
    std::vector<double> a;
    for (Index i = 0; i < j.v.size; ++i) a.push_back(random.uniform(-5, 5));
    prescribe(robot.model, list, j.name, a);
  }
  return list;
}

std::vector<bool> held_coordinates(const Model& model, const Prescribed& prescribed) {
  std::vector<bool> held(static_cast<std::size_t>(model.nv()), false);
  for (const PrescribedCoordinate& p : prescribed) held[static_cast<std::size_t>(p.v)] = true;
  return held;
}

namespace {

Index size_of(const AnyConstraint& c) {
  if (const auto* f = std::get_if<FrameConstraint>(&c)) return f->rows.size();
  if (const auto* l = std::get_if<LoopConstraint>(&c)) return l->rows.size();
  return std::get<ContactConstraint>(c).rows;
}
std::vector<double> positive(Random& random, Index rows, double low, double high) {
  std::vector<double> out;
  const Index n = random.below(3) == 0 ? 1 : rows;  // one for all
  for (Index i = 0; i < n; ++i) out.push_back(std::pow(10.0, random.uniform(low, high)));
  return out;
}

void choose_settings(Random& random, const MixedOptions& options, SolverSettings& s) {
  const int method = random.below(options.soft ? 8 : 6);
  s.method = method < 3                     ? "automatic"
             : method < 5                   ? "popov_vereshchagin"
             : method < 6 || !options.early ? "pv_early"
                                            : "pv_soft";
  if (method == 7) s.method = "automatic";
  if (!options.other_singularities) return;
  const int rule = random.below(8);
  s.singularity = rule == 0   ? Singularity::weighted
                  : rule == 1 ? Singularity::damping
                  : rule == 2 ? Singularity::proximal
                              : Singularity::truncation;
  if (s.singularity == Singularity::damping && random.below(2))
    s.regularisation = std::pow(10.0, random.uniform(-6, -2));
}

template <class Type> void choose_policy(Random& random, const MixedOptions& options, const SolverSettings& s,
                                         bool levels, Index rows, Type& c) {
  const bool all_soft = s.method == "pv_soft";
  if (options.early && random.below(3) == 0) c.policy = Policy::early;
  if (all_soft || (options.soft && random.below(4) == 0)) {
    c.policy = Policy::soft;
    c.compliance = positive(random, rows, -2, 1);
    return;
  }
  if (levels) c.priority = random.below(4);
  if (options.drivers_left_out && random.below(4) == 0) {
    const int drivers = 1 + random.below(15);
    c.compensate = {!(drivers & 1), !(drivers & 2), !(drivers & 4), !(drivers & 8)};
  }
  if (random.below(2)) c.weight = positive(random, rows, -1, 1);
}

/// Rows of unit-free meaning: what one constraint adds to the problem beside its rows.
void append_rule(const AnyConstraint& any, bool all_soft, Index rows, HybridProblem& p, std::vector<Real>& R,
                 std::vector<Real>& weight) {
  std::visit(
      [&](const auto& c) {
        const bool soft = all_soft || c.policy == Policy::soft;
        unsigned out = 0;
        if (!c.compensate.gravity) out |= HybridProblem::gravity_driver;
        if (!c.compensate.external) out |= HybridProblem::external_driver;
        if (!c.compensate.tau) out |= HybridProblem::tau_driver;
        if (!c.compensate.prescribed) out |= HybridProblem::prescribed_driver;
        const auto entry = [](const std::vector<double>& of, Index i) {
          return Real(of[of.size() == 1 ? 0 : static_cast<std::size_t>(i)]);
        };
        for (Index i = 0; i < rows; ++i) {
          R.push_back(soft ? entry(c.compliance, i) : 0);
          weight.push_back(c.weight.empty() ? 1 : entry(c.weight, i));
          p.level.push_back(c.priority);
          p.left_out.push_back(out);
        }
      },
      any);
}

void append_rows(const Rows& r, Posed& p) {
  const Eigen::Index m = p.A.rows(), k = r.A.rows();
  p.A.conservativeResize(m + k, Eigen::NoChange);
  p.reach.conservativeResize(m + k, Eigen::NoChange);
  p.b.conservativeResize(m + k);
  p.size.conservativeResize(m + k);
  p.A.bottomRows(k) = r.A;
  p.reach.bottomRows(k) = r.reach;
  p.b.tail(k) = r.b;
  p.size.tail(k) = r.size;
}

Vec column(const std::vector<Real>& x) { return Eigen::Map<const Vec>(x.data(), static_cast<Eigen::Index>(x.size())); }

}  // namespace

Mixed random_mixed(const Robot& robot, std::uint64_t seed, const MixedOptions& options) {
  Mixed x;
  static_cast<Imposed&>(x) =
      options.loops && seed % 2 == 1 ? random_imposed_with_loops(robot, seed) : random_imposed(robot, seed);
  Random random(seed * 31 + 7);
  choose_settings(random, options, x.settings);
  const bool one_level =
      x.settings.singularity == Singularity::damping || x.settings.singularity == Singularity::proximal;
  const bool levels = options.priorities && !one_level && random.below(2) == 0;
  for (AnyConstraint& any : x.constraints)
    std::visit([&](auto& c) { choose_policy(random, options, x.settings, levels, size_of(any), c); }, any);
  if (options.prescribed && random.below(2) == 0) x.prescribed = random_prescribed(robot, random);
  return x;
}

void restate(const Robot& robot, const Mixed& x, Stated& s) {
  HybridProblem& p = s.problem;
  Posed& posed = s.posed;
  posed.tau = x.state.tau.cast<Real>();
  posed.A.resize(0, posed.M.cols());
  posed.reach.resize(0, posed.M.cols());
  posed.b = posed.size = Vec(0);
  posed.constraint.clear();
  posed.row.clear();
  p.level.clear();
  p.left_out.clear();
  std::vector<Real> R, weight;
  int row = 0;
  for (std::size_t c = 0; c < x.constraints.size(); ++c) {
    const Index k = size_of(x.constraints[c]);
    if (is_active(x.constraints[c])) {
      append_rows(rows_of(robot, *s.state, x.constraints[c]), posed);
      append_rule(x.constraints[c], x.settings.method == "pv_soft", k, p, R, weight);
      for (Index i = 0; i < k; ++i) {
        posed.constraint.push_back(static_cast<int>(c));
        posed.row.push_back(row + i);
      }
    }
    row += k;
  }
  p.M = posed.M;
  p.h = posed.h;
  p.tau = posed.tau;
  p.A = posed.A;
  p.b = posed.b;
  p.R = column(R);
  p.weight = column(weight);
  p.rule = x.settings.singularity == Singularity::damping    ? HybridProblem::Rule::damping
           : x.settings.singularity == Singularity::weighted ? HybridProblem::Rule::weighted
                                                             : HybridProblem::Rule::truncation;
  if (x.settings.regularisation > 0) p.regularisation = x.settings.regularisation;
  p.prescribed.clear();
  for (const PrescribedCoordinate& at : x.prescribed) p.prescribed.push_back({at.v, at.acceleration});
}

Stated stated(const Robot& robot, const Mixed& x) {
  Stated s;
  s.state = std::make_shared<const reference::State>(robot.reference.at(x.state.q, x.state.v));
  s.posed.M = s.state->mass_matrix();
  s.posed.h = s.state->bias(x.reference_external);
  s.problem.gravity = -s.state->gravity_forces();
  s.problem.external = s.state->generalised_force(x.reference_external);
  restate(robot, x, s);
  return s;
}

const Constraint& constraint_of(const ConstraintSet& set, const Posed& p, Eigen::Index active_row) {
  return set.constraints()[static_cast<std::size_t>(p.constraint[static_cast<std::size_t>(active_row)])];
}

Externals with_reactions(const Robot& robot, const Imposed& x, const reference::State& state, const Solution& s) {
  Externals external = x.external;
  for (const AnyConstraint& c : x.constraints) {
    if (!is_active(c) || role_of(c) == Role::driver) continue;
    if (const auto* l = std::get_if<LoopConstraint>(&c)) {  // about b's origin: on b, and back on a
      const reference::Pose<Real> A = state.pose(l->frame), B = state.pose(l->other);
      const Eigen::Matrix<Real, 6, 1> w = s[l->name].wrench.cast<Real>();
      const bool between_points = l->in == "local_world_aligned";  // each force at its own point, in world axes
      const reference::Matrix3<Real> R = between_points ? reference::Matrix3<Real>::Identity() : A.R;
      const reference::Vector3<Real> force = R * w.head(3), moment = R * w.tail(3);
      ExternalWrench on_a{robot.model.find_frame(l->frame), {}}, on_b{robot.model.find_frame(l->other), {}};
      reference::Vector3<Real> moment_at_a = moment;
      if (!between_points) moment_at_a += (B.p - A.p).cross(force);
      for (int k = 0; k < 3; ++k) {
        on_b.wrench[k] = static_cast<double>(force(k));
        on_b.wrench[3 + k] = static_cast<double>(moment(k));
        on_a.wrench[k] = -static_cast<double>(force(k));
        on_a.wrench[3 + k] = -static_cast<double>(moment_at_a(k));
      }
      external.push_back(on_a);
      external.push_back(on_b);
      continue;
    }
    const auto* f = std::get_if<FrameConstraint>(&c);
    const std::string& frame = f ? f->frame : std::get<ContactConstraint>(c).frame;
    const std::string in = f ? f->in : "local_world_aligned";
    Eigen::Matrix<Real, 6, 1> w = s[name_of(c)].wrench.cast<Real>();
    if (in != "world" && in != "local_world_aligned") {
      const reference::Matrix3<Real> R = state.pose(in == "local" ? frame : in).R;
      w << (R * w.head(3)).eval(), (R * w.tail(3)).eval();
    }
    if (!f) {  // a contact's wrench is about its point: carried to the frame's origin
      const Vec3<double>& q = std::get<ContactConstraint>(c).point;
      const reference::Vector3<Real> r = state.pose(frame).R * reference::Vector3<Real>(q.x, q.y, q.z),
                                     force = w.head(3);
      w.tail(3) += r.cross(force);
    }
    ExternalWrench e{
        robot.model.find_frame(frame), {}, in == "world" ? Reference::world : Reference::local_world_aligned};
    for (int k = 0; k < 6; ++k) e.wrench[k] = static_cast<double>(w(k));
    external.push_back(e);
  }
  return external;
}

}  // namespace zwang::test
