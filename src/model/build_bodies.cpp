// SPDX-License-Identifier: BSD-3-Clause
// Step 2: bodies. Links behind fixed joints are merged, joint axes become local z,
// constants meant to be 0 or 1 become exactly that.
//
// Frames. Let J be a joint's frame after the motion: child_origin in the child link. The body frame is J turned by R_c,
// with R_c e_z = axis, so that
//   placement of the body in its parent body = (parent link in its body) * origin * R_c
//   child link in the body                   = R_c^T * child_origin^-1
// R_c is the least turn from e_z to the axis: a planar joint about z moves along the joint's own x and y; about
// another axis along R_c e_x and R_c e_y. A universal joint's second axis is R_c e_x likewise.
#include <algorithm>
#include <cmath>

#include "model/build_steps.hpp"

namespace zwang::building {
namespace {

constexpr double k_snap = 1e-12;

/// The greatest length of the description: lengths that are tiny beside it are rounding.
double largest_length(const RobotDescription& robot) {
  double largest = 0;
  const auto see = [&](const Vec3<double>& p) {
    for (int i = 0; i < 3; ++i)
      if (std::fabs(p[i]) > largest && std::isfinite(p[i])) largest = std::fabs(p[i]);
  };
  for (const LinkDescription& l : robot.links) see(l.centre);
  for (const FrameDescription& f : robot.frames) see(f.placement.p);
  for (const JointDescription& j : robot.joints) {
    see(j.origin.p), see(j.child_origin.p);
    for (const JointPart& p : j.parts) see(p.origin.p);
  }
  return largest;
}

/// Rotations typed with six digits are brought back to orthonormal axes: R (3 - R^T R) / 2 squares the error (Bjorck
/// & Bowie 1971).
Mat3<double> orthonormal(Mat3<double> R) {
  for (int step = 0; step < 3; ++step) {
    const Mat3<double> error = transpose_times(R, R) - Mat3<double>::identity();
    double worst = 0;
    for (int i = 0; i < 9; ++i) worst = std::max(worst, std::fabs(error(i / 3, i % 3)));
    if (worst < 1e-14) break;  // rounding of products of rotations
    R = R - R * error * 0.5;
  }
  return R;
}

double snapped_length(double x, double tiny, long& count) {
  if (x == 0 || std::fabs(x) >= tiny) return x;
  ++count;
  return 0;
}

/// Builds the bodies of one robot, edge by edge.
class Builder {
 public:
  Builder(const RobotDescription& robot, const BuildOptions& options, Diagnostics& found)
      : robot_(robot),
        options_(options),
        found_(found) {
    out_.tiny = k_snap * largest_length(robot);
    out_.link_body.assign(robot.links.size(), 0);
    out_.link_in_body.assign(robot.links.size(), Transform<double>::identity());
    out_.body.reserve(robot.links.size() + 1);
    out_.source.reserve(robot.links.size() + 1);
    out_.edge_body.reserve(robot.links.size());
    out_.lumped.reserve(robot.links.size());
    const std::optional<JointTypeInfo> fixed = type_of("fixed", nullptr);
    add_body(0, Transform<double>::identity(), *fixed, {});
  }

  void add(const Edge& edge, Index edge_index) {
    const auto link = static_cast<std::size_t>(edge.link);
    Index body = edge.parent < 0 ? 0 : out_.link_body[static_cast<std::size_t>(edge.parent)];
    Transform<double> at =
        edge.parent < 0 ? Transform<double>::identity() : out_.link_in_body[static_cast<std::size_t>(edge.parent)];
    bool lumped = false;
    if (edge.joint != nullptr) {
      at = at * edge.joint->origin;
      const bool fixed = edge.joint->type == "fixed";
      lumped = fixed && options_.lump;
      if (!lumped) add_joint(edge, edge_index, body, at);
      if (!is_identity(edge.joint->child_origin)) at = at * inverse(edge.joint->child_origin);
    }
    at = snap(at);
    out_.link_body[link] = body;
    out_.link_in_body[link] = at;
    out_.edge_body.push_back(body);
    out_.lumped.push_back(lumped);
    const LinkDescription& l = robot_.links[link];
    out_.body[static_cast<std::size_t>(body)].inertia += at * from_centre(l.mass, l.centre, l.inertia);
  }

  Bodies finish() {
    std::vector<Body<double>>& b = out_.body;
    const std::size_t n = b.size() - 1;
    for (std::size_t i = 1; i <= n; ++i) {
      const auto p = static_cast<std::size_t>(b[i].parent);
      b[i].depth = b[p].depth + 1;
      b[i].root = p == 0 ? static_cast<Index>(i) : b[p].root;
    }
    for (std::size_t i = n + 1; i-- > 0;) {
      b[i].last = std::max(b[i].last, static_cast<Index>(i) + 1);
      if (i > 0) {
        Body<double>& p = b[static_cast<std::size_t>(b[i].parent)];
        p.last = std::max(p.last, b[i].last);
      }
    }
    return std::move(out_);
  }

 private:
  Transform<double> snap(const Transform<double>& x) { return snapped(x, out_.tiny, out_.snapped); }

  Index add_body(Index parent, const Transform<double>& placement, const JointTypeInfo& type,
                 const std::vector<double>& parameters, const UserJoint* user = nullptr) {
    Body<double> b{};
    b.placement = placement;
    b.inertia = Inertia<double>::zero();
    b.parent = parent;
    b.kind = type.kind;
    b.nq = type.nq;
    b.nv = type.nv;
    b.user = user;
    BodySource s;
    s.type = type;
    s.parameters = static_cast<Index>(out_.parameters.size());
    s.parameter_count = static_cast<Index>(parameters.size());
    out_.parameters.insert(out_.parameters.end(), parameters.begin(), parameters.end());
    out_.body.push_back(b);
    out_.source.push_back(s);
    return static_cast<Index>(out_.body.size()) - 1;
  }

  /// One moving body: `body` and `at` enter as the parent body and the joint frame in it, and leave as the new body
  /// and J in it.
  void move(const JointTypeInfo& type, const Vec3<double>& axis, const std::vector<double>& parameters,
            const JointDescription& joint, Index& body, Transform<double>& at) {
    Mat3<double> turn = Mat3<double>::identity();
    if (type.has_axis) {
      if (const std::optional<Vec3<double>> unit = unit_axis(axis, out_.snapped))
        turn = canonical_rotation(*unit);
      else
        refuse(found_, "E_AXIS", joint, "an axis without a direction", "three finite numbers, not all zero");
    }
    if (type.parameters >= 0 && static_cast<int>(parameters.size()) != type.parameters)
      refuse(found_, "E_PARAMETERS", joint, std::to_string(parameters.size()) + " parameters",
             std::to_string(type.parameters) + " for a joint of type '" + type.name + "'");
    const auto finite = [](double x) { return std::isfinite(x); };
    if (type.parameters >= 0 && !std::all_of(parameters.begin(), parameters.end(), finite))
      refuse(found_, "E_NUMBER", joint, "a parameter that is not finite", "finite numbers");
    body = add_body(body, snap({at.R * turn, at.p}), type, parameters,
                    joint.type == "composite" ? nullptr : joint.user.get());
    at = {transpose(turn), Vec3<double>::zero()};
  }

  void add_joint(const Edge& edge, Index edge_index, Index& body, Transform<double>& at) {
    const JointDescription& joint = *edge.joint;
    const std::size_t before = out_.body.size();
    if (joint.type == "composite") {
      add_parts(joint, body, at);
    } else if (const std::optional<JointTypeInfo> type = type_of(joint.type, joint.user.get())) {
      move(*type, joint.axis, joint.parameters, joint, body, at);
    } else {
      refuse(found_, "E_JOINT_TYPE", joint, "'" + joint.type + "'", "a joint type of this library");
    }
    Index q = 0, v = 0;
    for (std::size_t i = before; i < out_.body.size(); ++i) {
      BodySource& s = out_.source[i];
      s.edge = edge_index;
      s.part = static_cast<Index>(i - before);
      s.local_q = q;
      s.local_v = v;
      q += s.type.nq;
      v += s.type.nv;
    }
  }

  /// A chain of massless bodies; fixed parts only move the next part's origin.
  void add_parts(const JointDescription& joint, Index& body, Transform<double>& at) {
    const Index start = body;
    for (const JointPart& part : joint.parts) {
      at = at * part.origin;
      if (part.type == "fixed") continue;
      if (const std::optional<JointTypeInfo> type = type_of(part.type, nullptr))
        move(*type, part.axis, part.parameters, joint, body, at);
      else
        refuse(found_, "E_JOINT_TYPE", joint, "a part of type '" + part.type + "'",
               "a joint type of this library, not composite or user");
    }
    if (body == start)
      refuse(found_, "E_PARAMETERS", joint, "a composite joint without a moving part", "at least one part that moves",
             "use the type 'fixed' for a joint that does not move");
  }

  const RobotDescription& robot_;
  const BuildOptions& options_;
  Diagnostics& found_;
  Bodies out_;
};

}  // namespace

Transform<double> snapped(const Transform<double>& x, double tiny, long& count) {
  Transform<double> y{orthonormal(x.R), x.p};
  for (int i = 0; i < 3; ++i) {
    y.p[i] = snapped_length(x.p[i], tiny, count);
    for (int j = 0; j < 3; ++j) y.R[i][j] = snapped_length(y.R(i, j), k_snap, count);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double& e = y.R[i][j];
      const bool alone =
          y.R(i, (j + 1) % 3) == 0 && y.R(i, (j + 2) % 3) == 0 && y.R((i + 1) % 3, j) == 0 && y.R((i + 2) % 3, j) == 0;
      const double one = std::copysign(1.0, e);
      if (!alone || e == one || std::fabs(e - one) > k_snap) continue;
      e = one;
      ++count;
    }
  return y;
}

std::optional<Vec3<double>> unit_axis(const Vec3<double>& axis, long& count) {
  // Scaled so that squares neither overflow nor underflow.
  const double scale = std::max({std::fabs(axis.x), std::fabs(axis.y), std::fabs(axis.z)});
  if (!(scale > 0) || !std::isfinite(scale) || !std::isfinite(axis.x + axis.y + axis.z)) return std::nullopt;
  Vec3<double> a{axis.x / scale, axis.y / scale, axis.z / scale};
  for (int i = 0; i < 3; ++i) a[i] = snapped_length(a[i], k_snap, count);
  const double length = norm(a);
  return Vec3<double>{a.x / length, a.y / length, a.z / length};
}

Mat3<double> canonical_rotation(const Vec3<double>& a) {
  // R = 1 + [w] + [w]^2 / (1 + c) with w = e_z x a = (-y, x, 0) and c = z; where c < 0, 1 + c = (x^2 + y^2) / (1 - c)
  // without cancellation. At a = -e_z the direction of the least turn is free: half a turn about x.
  const double x = a.x, y = a.y, c = a.z, s2 = x * x + y * y;
  if (s2 == 0) return c < 0 ? Mat3<double>{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}} : Mat3<double>::identity();
  const double k = c < 0 ? (1 - c) / s2 : 1 / (1 + c);
  const double xy = x == 0 || y == 0 ? 0.0 : -x * y * k;
  return {{1 - x * x * k, xy, x}, {xy, 1 - y * y * k, y}, {x == 0 ? 0.0 : -x, y == 0 ? 0.0 : -y, c}};
}

Bodies bodies(const RobotDescription& robot, const BuildOptions& options, const Order& order, Diagnostics& found) {
  Builder builder(robot, options, found);
  for (std::size_t i = 0; i < order.edges.size(); ++i) builder.add(order.edges[i], static_cast<Index>(i));
  return builder.finish();
}

}  // namespace zwang::building
