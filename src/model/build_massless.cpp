// SPDX-License-Identifier: BSD-3-Clause
// Step 4b: joints at the end of a chain that turn or shift nothing.
//
// The body behind such a joint does not bend, so D = S^T I S of the joint's columns S is its share of the mass matrix.
// Where D has no inverse, neither has the mass matrix. Columns of most joints are constant in the body; those of joints
// of several angles are not, and D must be singular at all of some angles. check() says so of a body without mass and
// inertia; this step finds what depends on the axis: a point mass on it, a rod that turns about itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/build_steps.hpp"
#include "zwang/model/joint_types.hpp"

namespace zwang::building {
namespace {

constexpr int k_columns = max_joint_columns;

/// Whether elimination of D meets a pivot that is rounding beside its terms. `size` holds the magnitudes of the terms.
bool singular(double (&d)[k_columns][k_columns], double (&size)[k_columns], Index n) {
  // Of a joint about one axis, forward dynamics finds pivots singular up to about this.
  constexpr double k_rounding = 32 * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k; i < n; ++i)
      if (d[i][i] * size[best] > d[best][best] * size[i]) best = i;
    for (Index i = 0; i < n; ++i) std::swap(d[i][k], d[i][best]);
    for (Index i = 0; i < n; ++i) std::swap(d[k][i], d[best][i]);
    std::swap(size[k], size[best]);
    if (!(d[k][k] > k_rounding * size[k])) return true;
    for (Index i = k + 1; i < n; ++i) {
      const double l = d[i][k] / d[k][k];
      for (Index j = k + 1; j < n; ++j) d[i][j] -= l * d[k][j];
    }
  }
  return false;
}

/// Whether a joint with the columns `s` moves a body without inertia in some direction.
bool moves_nothing(const Motion<double>* s, Index n, const Inertia<double>& inertia, const double* armature) {
  const double about_origin = std::fabs(inertia.I.xx) + std::fabs(inertia.I.yy) + std::fabs(inertia.I.zz);
  double d[k_columns][k_columns], size[k_columns];
  for (Index i = 0; i < n; ++i) {
    const Force<double> f = inertia * s[i];
    for (Index j = 0; j < n; ++j) d[i][j] = dot(s[j], f);
    d[i][i] += armature[i];
    size[i] = inertia.m * dot(s[i].v, s[i].v) + about_origin * dot(s[i].w, s[i].w) + std::fabs(armature[i]);
  }
  return singular(d, size, n);
}

/// Of a joint with the body's kind. Where columns depend on q they are functions of angles alone, and det D is a
/// polynomial of their sines and cosines: it vanishes at all of these angles only if it vanishes everywhere.
bool has_massless_column(const Body<double>& body, const double* parameters, const double* armature) {
  constexpr double k_angles[3][3] = {{0.6, -0.9, 1.3}, {-1.1, 0.4, 2.2}, {2.5, 1.2, -0.7}};
  bool found = false;
  visit(body.kind, [&]<class J>(J) {
    if constexpr (!std::is_same_v<J, User> && J::nv > 0) {  // what users have written may be any function
      Motion<double> s[k_columns];
      if constexpr (J::constant_columns) {
        double q[8] = {}, zero[3] = {}, one[3] = {1, 1, 1};
        J::neutral(q);
        J::columns(JointInput<double>{q, zero, one, parameters, nullptr}, s);
        found = moves_nothing(s, J::nv, body.inertia, armature);
      } else {
        static_assert(J::nq <= 3 && J::angles == (1 << J::nq) - 1);
        found = true;
        for (const auto& q : k_angles) {
          double sine[3], cosine[3];
          for (int k = 0; k < 3; ++k) {
            sine[k] = std::sin(q[k]);
            cosine[k] = std::cos(q[k]);
          }
          J::columns(JointInput<double>{q, sine, cosine, parameters, nullptr}, s);
          found = found && moves_nothing(s, J::nv, body.inertia, armature);
        }
      }
    }
  });
  return found;
}

}  // namespace

void find_massless(const BuildOptions& options, const Order& order, const Bodies& bodies, const Coordinates& c,
                   const ModelArrays& arrays, Diagnostics& found) {
  const TreeArrays<double>& a = arrays.in_double;
  std::vector<char> shared(order.edges.size(), 0);  // a mimic group moves other bodies, too
  for (std::size_t i = 0; i < order.edges.size(); ++i)
    if (c.leader[i] != static_cast<Index>(i)) shared[i] = shared[static_cast<std::size_t>(c.leader[i])] = 1;
  for (std::size_t i = 1; i < bodies.body.size(); ++i) {
    const Body<double>& body = bodies.body[i];
    const BodySource& source = bodies.source[i];
    const auto edge = static_cast<std::size_t>(source.edge);
    const bool leaf = body.last == static_cast<Index>(i) + 1;
    const JointDescription& joint = *order.edges[edge].joint;
    const Inertia<double>& inertia = body.inertia;
    const bool nothing =
        inertia.m == 0 && inertia.I.xx == 0 && inertia.I.yy == 0 && inertia.I.zz == 0;  // check() said so
    if (!leaf || nothing || shared[edge]) continue;
    double armature[k_columns] = {};
    for (Index k = 0; k < std::min<Index>(body.nv, k_columns); ++k)
      armature[k] = a.column[static_cast<std::size_t>(body.v + k)].armature;
    if (!has_massless_column(body, bodies.parameters.data() + source.parameters, armature)) continue;
    refuse(found, "W_MASSLESS", joint,
           "joint '" + joint.name + "' moves a body that has no inertia in some of its directions",
           "inertia about the axis of a joint that turns, mass behind a joint that shifts",
           "inverse dynamics works; forward dynamics is singular in this joint");
    if (options.mode == Mode::strict)
      found.back().hint += "; mode standard only warns";
    else
      found.back().severity = Severity::warning;
  }
}

}  // namespace zwang::building
