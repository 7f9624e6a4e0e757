// SPDX-License-Identifier: BSD-3-Clause
// Step 4c: links without mass between joints that undo each other, as two
// parallel slides or two coaxial hinges in a row.
//
// A body without inertia may move as it likes where the joints behind it take its motion up. W(i) are the motions
// of the body that carries joint i that i and what is behind it take up while all bodies with inertia stand still:
// of a body with inertia the span of the joint's columns S; of one without S + A, with A the intersection of W
// over its children. Where columns of S depend on each other and A, the joint moves without moving inertia, and
// the mass matrix has no inverse. S moves with q: what is dependent at some configurations is dependent everywhere
// (the minors are analytic functions of q).
#include <cmath>
#include <string>
#include <vector>

#include "model/build_steps.hpp"
#include "zwang/model/joint_types.hpp"

namespace zwang::building {
namespace {

constexpr double k_dependent =
    1e-8;  // of a unit vector: the square root of eps, as far as errors of products of poses reach
constexpr int k_samples = 3;

struct Six {
  double x[6];
};
/// Orthonormal vectors of six numbers.
struct Span {
  Six basis[6];
  int size = 0;
  /// Adds the direction of a vector; false where it is in the span already.
  bool add(Six s) {
    double length = 0;
    for (const double x : s.x) length += x * x;
    length = std::sqrt(length);
    if (!(length > 0) || size == 6) return false;
    for (double& x : s.x) x /= length;
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < size; ++k) {
        double along = 0;
        for (int i = 0; i < 6; ++i) along += basis[k].x[i] * s.x[i];
        for (int i = 0; i < 6; ++i) s.x[i] -= along * basis[k].x[i];
      }
    length = 0;
    for (const double x : s.x) length += x * x;
    length = std::sqrt(length);
    if (length < k_dependent) return false;
    for (double& x : s.x) x /= length;
    basis[size++] = s;
    return true;
  }
  /// What is orthogonal to it.
  Span complement() const {
    Span all = *this, out;
    for (int i = 0; i < 6; ++i) {
      Six unit{};
      unit.x[i] = 1;
      if (all.add(unit)) out.basis[out.size++] = all.basis[all.size - 1];
    }
    return out;
  }
};

/// A joint at a configuration: its pose in the body that carries it, and its columns that move no rotor.
struct Placed {
  Transform<double> X = Transform<double>::identity();
  Motion<double> s[max_joint_columns] = {};
  int columns = 0;
};

Placed place(const Body<double>& body, const double* parameters, const ModelArrays& arrays, Index number, int sample,
             bool shared) {
  Placed out;
  visit(body.kind, [&]<class J>(J) {
    if constexpr (!std::is_same_v<J, User> && J::nv > 0) {  // what users have written may be any function
      double q[8] = {}, sine[8] = {}, cosine[8] = {};
      for (int k = 0; k < J::nq; ++k) q[k] = std::sin(1.7 * static_cast<double>(number) + 2.3 * k + 0.9 * sample + 0.4);
      J::template normalize<double>(q);
      for (int k = 0, at = 0; k < J::nq; ++k)
        if ((J::angles >> k) & 1) {
          sine[at] = std::sin(q[k]);
          cosine[at++] = std::cos(q[k]);
        }
      const JointInput<double> in{q, sine, cosine, parameters, nullptr};
      J::place(body, in, out.X);
      Motion<double> s[max_joint_columns];
      J::columns(in, s);
      for (Index k = 0; k < J::nv; ++k)
        if (!shared && arrays.in_double.column[static_cast<std::size_t>(body.v + k)].armature == 0)
          out.s[out.columns++] = s[k];
    }
  });
  return out;
}

bool weighs_nothing(const Inertia<double>& i) { return i.m == 0 && i.I.xx == 0 && i.I.yy == 0 && i.I.zz == 0; }

/// Linear parts over a length of the robot, so that metres and radians may be compared.
Six scaled(const Motion<double>& m, double length) {
  return {{m.v.x / length, m.v.y / length, m.v.z / length, m.w.x, m.w.y, m.w.z}};
}
/// The same motion seen in the frame in which the body's frame has the pose X.
Six in_parent(const Six& s, const Transform<double>& X, double length) {
  const Vec3<double> v{s.x[0] * length, s.x[1] * length, s.x[2] * length}, w{s.x[3], s.x[4], s.x[5]};
  const Vec3<double> turned = X.R * w;
  return scaled({X.R * v + cross(X.p, turned), turned}, length);
}

}  // namespace

void find_dependent(const BuildOptions& options, const Order& order, const Bodies& bodies, const Coordinates& c,
                    const ModelArrays& arrays, Diagnostics& found) {
  const std::size_t n = bodies.body.size();
  bool any = false;
  double length = 0;
  for (std::size_t i = 1; i < n; ++i) {
    const Body<double>& b = bodies.body[i];
    any = any || (weighs_nothing(b.inertia) && b.last > static_cast<Index>(i) + 1);
    length = std::max(length, std::sqrt(dot(b.placement.p, b.placement.p)));
  }
  if (!any) return;
  if (!(length > 0)) length = 1;
  std::vector<char> shared(order.edges.size(), 0);  // a mimic group moves other bodies, too
  for (std::size_t i = 0; i < order.edges.size(); ++i)
    if (c.leader[i] != static_cast<Index>(i)) shared[i] = shared[static_cast<std::size_t>(c.leader[i])] = 1;
  std::vector<int> dependent(n, 0);
  for (int sample = 0; sample < k_samples; ++sample) {
    std::vector<Span> held(n);  // what nothing behind the body takes up; of bodies without inertia
    for (std::size_t i = n - 1; i > 0; --i) {
      const Body<double>& b = bodies.body[i];
      const BodySource& source = bodies.source[i];
      const bool light = weighs_nothing(b.inertia), leaf = b.last == static_cast<Index>(i) + 1;
      const bool carrier_light =
          b.parent > 0 && weighs_nothing(bodies.body[static_cast<std::size_t>(b.parent)].inertia);
      if (!carrier_light && (!light || leaf)) continue;
      const Placed joint = place(b, bodies.parameters.data() + source.parameters, arrays, static_cast<Index>(i), sample,
                                 shared[static_cast<std::size_t>(source.edge)] != 0);
      Span taken = light ? held[i].complement() : Span();
      bool new_ones = true;
      for (int k = 0; k < joint.columns; ++k) new_ones = taken.add(scaled(joint.s[k], length)) && new_ones;
      if (!new_ones && light && !leaf) ++dependent[i];
      if (!carrier_light) continue;
      Span in_carrier;
      for (int k = 0; k < taken.size; ++k) in_carrier.add(in_parent(taken.basis[k], joint.X, length));
      const Span rest = in_carrier.complement();
      for (int k = 0; k < rest.size; ++k) held[static_cast<std::size_t>(b.parent)].add(rest.basis[k]);
    }
  }
  for (std::size_t i = 1; i < n; ++i) {
    // Parts of one composite joint are not looked at: whoever writes seven coordinates for a body means them.
    if (dependent[i] < k_samples || bodies.source[i].edge == bodies.source[i + 1].edge) continue;
    const JointDescription& joint = *order.edges[static_cast<std::size_t>(bodies.source[i].edge)].joint;
    const std::string& behind =
        order.edges[static_cast<std::size_t>(bodies.source[i + 1].edge)].joint->name;  // depth first: a child
    refuse(found, "W_MASSLESS", joint,
           "joint '" + joint.name + "' moves a body without inertia, and joint '" + behind +
               "' behind it can undo that motion",
           "mass on the link between them, or an armature",
           "inverse dynamics works; forward dynamics is singular in these joints");
    if (options.mode == Mode::strict)
      found.back().hint += "; mode standard only warns";
    else
      found.back().severity = Severity::warning;
  }
}

}  // namespace zwang::building
