// SPDX-License-Identifier: BSD-3-Clause
// Step 4: properties of joints besides motion: limits, rotor inertia, damping, friction, springs; actuation and names.
//
// The leader of a mimic group carries its followers: with v_s = G v the powers add up to
//   armature, damping, stiffness: sum of m^2 x,    friction: sum of |m| x.
#include <cmath>
#include <optional>
#include <string_view>

#include "model/build_steps.hpp"

namespace zwang::building {
namespace {

/// Entry k of a vector with one number per coordinate, one for all, or none.
double entry(const std::vector<double>& values, Index count, Index k, double otherwise) {
  if (values.empty()) return otherwise;
  if (values.size() == 1 || static_cast<Index>(values.size()) != count) return values[0];
  return values[static_cast<std::size_t>(k)];
}

/// The joint of each spanning column and of each spanning coordinate, seen from one body.
struct Part {
  const JointDescription& joint;
  const BodySource& source;
  const Body<double>& body;
  Index nq, nv;  // of the whole joint
};

void check_counts(const JointDescription& joint, Index nq, Index nv, Diagnostics& found) {
  const auto check = [&](const char* which, const std::vector<double>& values, Index count) {
    if (values.size() <= 1 || static_cast<Index>(values.size()) == count) return;
    refuse(found, "E_LIMIT_COUNT", joint, std::to_string(values.size()) + " numbers for " + which,
           "none, 1, or " + std::to_string(count) + ": one per coordinate");
  };
  check("lower", joint.lower, nq);
  check("upper", joint.upper, nq);
  check("velocity", joint.velocity, nv);
  check("effort", joint.effort, nv);
  check("damping", joint.damping, nv);
  check("friction", joint.friction, nv);
  check("stiffness", joint.stiffness, nv);
  check("spring_reference", joint.spring_reference, nq);
  check("rotor_inertia", joint.rotor_inertia, nv);
  check("gear_ratio", joint.gear_ratio, nv);
}

/// One stiffness for all directions: k |log|^2 / 2 has no other torque along log.
std::optional<BallSpring<double>> ball_spring_of(const Part& part, Index body, Diagnostics& found) {
  const JointDescription& joint = part.joint;
  const std::string_view type = part.source.type.name;
  if (type != "spherical") return std::nullopt;
  const auto stiffness = [&](Index k) { return entry(joint.stiffness, part.nv, part.source.local_v + k, 0); };
  for (Index k = 1; k < 3; ++k)
    if (stiffness(k) != stiffness(0)) {
      refuse(found, "E_SPRING", joint, "different stiffnesses of a spherical joint",
             "one for all three directions: tau = -k log(R_0^T R)", "apply another spring as a torque");
      return std::nullopt;
    }
  if (stiffness(0) == 0) return std::nullopt;
  if (joint.spring_reference.empty()) return BallSpring<double>{body, Quat<double>::identity()};
  double x[4];
  for (Index k = 0; k < 4; ++k) x[k] = entry(joint.spring_reference, part.nq, part.source.local_q + k, 0);
  const Quat<double> reference{x[0], x[1], x[2], x[3]};
  const double length = norm(reference);
  if (!(length > 1e-6) || !std::isfinite(length) || joint.spring_reference.size() == 1) {
    refuse(found, "E_SPRING", joint, "a spring_reference without a direction", "a quaternion (x, y, z, w)",
           "leave it out for the identity");
    return std::nullopt;
  }
  return BallSpring<double>{body, normalized(reference)};
}

Passive<double> passive_of(const Part& part, Index k, Diagnostics& found) {
  const JointDescription& joint = part.joint;
  const Index local = part.source.local_v + k;
  Passive<double> p{};
  p.damping = entry(joint.damping, part.nv, local, 0);
  p.friction = entry(joint.friction, part.nv, local, 0);
  p.stiffness = entry(joint.stiffness, part.nv, local, 0);
  p.reference = 0;
  p.q = -1;
  if (p.stiffness == 0 || part.source.type.name == std::string_view("spherical")) return p;
  if (!part.source.type.additive) {
    refuse(found, "E_SPRING", joint, "a spring on a joint of type '" + std::string(part.source.type.name) + "'",
           "springs on spherical joints and on those whose q is additive",
           "set the stiffness to 0 and apply the spring as a torque");
    p.stiffness = 0;
    return p;
  }
  p.q = part.body.q + k;
  p.reference = entry(joint.spring_reference, part.nq, part.source.local_q + k, 0);
  return p;
}

double armature_of(const Part& part, Index k) {
  const Index local = part.source.local_v + k;
  const double ratio = entry(part.joint.gear_ratio, part.nv, local, 1);
  return ratio * ratio * entry(part.joint.rotor_inertia, part.nv, local, 0);
}

/// A bound of |v| or |tau|. A bound of 0 is none that is known (CONVENTIONS.md, Limits).
double bound(const std::vector<double>& given, const Part& part, Index local, bool endless) {
  const double x = entry(given, part.nv, local, endless ? unlimited : unknown);
  return x == 0 ? unknown : x;
}

void fill_limits(const Part& part, bool endless, const Coordinates& c, std::size_t edge, Model::Impl& impl) {
  const JointDescription& joint = part.joint;
  for (Index k = 0; k < part.body.nq; ++k) {
    const Index local = part.source.local_q + k;
    const auto q = static_cast<std::size_t>(c.q[edge].first + local);
    const bool none = joint.type == "continuous" || ((part.source.type.unit >> k) & 1);
    impl.lower[q] = none ? -unlimited : entry(joint.lower, part.nq, local, endless ? -unlimited : unknown);
    impl.upper[q] = none ? unlimited : entry(joint.upper, part.nq, local, endless ? unlimited : unknown);
  }
  for (Index k = 0; k < part.body.nv; ++k) {
    const Index local = part.source.local_v + k;
    const auto v = static_cast<std::size_t>(c.v[edge].first + local);
    impl.velocity_limit[v] = bound(joint.velocity, part, local, endless);
    impl.effort_limit[v] = bound(joint.effort, part, local, endless);
  }
}

/// Limits of a follower are limits of its leader, q = multiplier q_leader + offset: the group moves within all of them.
/// Where they leave the leader no room, files mean something else by them, and the leader's own hold.
void limit_leader(Mode mode, const Order& order, const Coordinates& c, std::size_t e, Model::Impl& impl,
                  Diagnostics& found) {
  const JointDescription& joint = *order.edges[e].joint;
  const double m = c.multiplier[e], offset = c.offset[e];
  const auto lead = static_cast<std::size_t>(c.leader[e]);
  if (m == 0 || c.q[e].size != 1) return;
  const auto q = static_cast<std::size_t>(c.q[lead].first), v = static_cast<std::size_t>(c.v[lead].first);
  const bool endless = joint.type == "continuous";
  const double low = endless ? -unlimited : entry(joint.lower, 1, 0, unknown);
  const double high = endless ? unlimited : entry(joint.upper, 1, 0, unknown);
  const double a = ((m > 0 ? low : high) - offset) / m, b = ((m > 0 ? high : low) - offset) / m;
  const double lower = std::isfinite(a) && !(a <= impl.lower[q]) ? a : impl.lower[q];
  const double upper = std::isfinite(b) && !(b >= impl.upper[q]) ? b : impl.upper[q];
  if (lower < upper || std::isnan(lower) || std::isnan(upper)) {
    impl.lower[q] = lower;
    impl.upper[q] = upper;
  } else if (impl.lower[q] < impl.upper[q]) {
    refuse(
        found, "W_LIMIT", joint,
        "limits of '" + joint.name + "' that leave '" + order.edges[lead].joint->name + "', which it mimics, no room",
        "limits within which both can move", "those of the leader hold");
    if (mode != Mode::strict) found.back().severity = Severity::warning;
  }
  const double most = entry(joint.velocity, 1, 0, unknown) / std::fabs(m);
  if (most > 0 && most < unlimited && !(most >= impl.velocity_limit[v])) impl.velocity_limit[v] = most;
}

bool has_motor_by_default(const Edge& edge) { return !edge.root && is_driven_by_default(*edge.joint); }

/// A mimic group is actuated if its leader is, or if a follower is declared to be.
void fill_actuated(const Order& order, const Coordinates& c, Model::Impl& impl) {
  for (std::size_t i = 0; i < order.edges.size(); ++i) {
    const Edge& edge = order.edges[i];
    if (edge.joint == nullptr) continue;
    const bool owns = c.leader[i] == static_cast<Index>(i);
    const bool yes = edge.joint->actuated == JointDescription::Actuated::yes;
    const bool by_default =
        owns && edge.joint->actuated == JointDescription::Actuated::by_default && has_motor_by_default(edge);
    if (!yes && !by_default) continue;
    for (Index v = c.v[i].first; v < c.v[i].end(); ++v) impl.actuated[static_cast<std::size_t>(v)] = true;
  }
}

void fill_names(const Order& order, const Coordinates& c, Model::Impl& impl) {
  impl.coordinate_joint.reserve(static_cast<std::size_t>(c.nv));
  impl.coordinate_names.reserve(static_cast<std::size_t>(c.nv));
  for (std::size_t i = 0; i < order.edges.size(); ++i) {
    const Edge& edge = order.edges[i];
    if (edge.joint == nullptr || c.leader[i] != static_cast<Index>(i)) continue;
    for (Index k = 0; k < c.v[i].size; ++k) {
      impl.coordinate_joint.push_back(edge.id);
      impl.coordinate_names.push_back(c.v[i].size == 1 ? edge.joint->name
                                                       : edge.joint->name + '[' + std::to_string(k) + ']');
    }
  }
}

}  // namespace

void fill_effects(const BuildOptions& options, const Order& order, const Bodies& bodies, const Coordinates& c,
                  ModelArrays& arrays, Model::Impl& impl, Diagnostics& found) {
  const auto nq = static_cast<std::size_t>(c.nq), nv = static_cast<std::size_t>(c.nv);
  impl.lower.assign(nq, unknown);
  impl.upper.assign(nq, unknown);
  for (std::vector<double>* x : {&impl.velocity_limit, &impl.effort_limit}) x->assign(nv, unknown);
  for (std::vector<double>* x : {&impl.damping, &impl.friction, &impl.armature, &impl.stiffness}) x->assign(nv, 0.0);
  impl.actuated.assign(nv, false);

  TreeArrays<double>& a = arrays.in_double;
  a.passive.reserve(a.column.size());
  bool some = false;
  for (std::size_t i = 1; i < bodies.body.size(); ++i) {
    const BodySource& s = bodies.source[i];
    const auto e = static_cast<std::size_t>(s.edge);
    const Part part{*order.edges[e].joint, s, bodies.body[i], c.q[e].size, c.v[e].size};
    if (s.part == 0) check_counts(part.joint, part.nq, part.nv, found);
    if (const auto spring = ball_spring_of(part, static_cast<Index>(i), found)) a.ball_spring.push_back(*spring);
    if (c.leader[e] == s.edge) fill_limits(part, order.edges[e].root, c, e, impl);
    for (Index k = 0; k < part.body.nv; ++k) {
      Column<double>& column = a.column[static_cast<std::size_t>(part.body.v + k)];
      const Passive<double> p = passive_of(part, k, found);
      const auto v = static_cast<std::size_t>(column.v);
      const double m = column.multiplier;
      column.armature = armature_of(part, k);
      impl.armature[v] += m * m * column.armature;
      impl.damping[v] += m * m * p.damping;
      impl.stiffness[v] += m * m * p.stiffness;
      impl.friction[v] += std::fabs(m) * p.friction;
      some = some || p.damping != 0 || p.friction != 0 || p.stiffness != 0;
      a.passive.push_back(p);
    }
  }
  for (std::size_t e = 0; e < order.edges.size(); ++e)
    if (order.edges[e].joint != nullptr && c.leader[e] != static_cast<Index>(e))
      limit_leader(options.mode, order, c, e, impl, found);
  if (!some) a.passive.clear();
  fill_actuated(order, c, impl);
  fill_names(order, c, impl);
}

}  // namespace zwang::building
