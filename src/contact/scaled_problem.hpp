// SPDX-License-Identifier: BSD-3-Clause
// A problem of contact with rows of one size, and the certificate of an answer.
//
//   y = y_0 + W l,   s = W^T y + b,   g = W^T y_0 + b,   G = W^T W
// Rows are divided such that the rows of a cone have length 1 on average: one number for the rows of a contact, so that
// its cone stays a cone. A row with a compliance R has sqrt(R) as a further entry of its column and 0 as one of y_0: it
// is the velocity of a spring, and no other page knows of it.
#pragma once
#include "contact/cones.hpp"

namespace zwang::contact {

class ScaledProblem {
 public:
  /// Room for cones and rows, and for n entries of y.
  void reserve(Index n, Index rows, Index cones);
  /// W [n x m] by columns, `stride` numbers apart.
  void set(Index n, Index m, const double* W, Index stride, const double* y, const double* b, const double* R,
           const ContactCone* cones, Index count);

  /// Whether its numbers, their squares and V can be represented: otherwise nothing can be said of an answer.
  bool is_representable() const;

  /// y and s of impulses l.
  void motion(const double* l, double* y, double* s) const;
  /// The certificate: the largest distance of a cone from the laws, beside speed(); `worst` the cone that has it.
  double residual(const double* l, Index* worst = nullptr) const;
  /// What rounding can be in it, of sigma = W^T (y_0 + W l) + b, whose terms cancel where impulses are large. 0 where
  /// the lengths of rows say that it is below `matters`.
  double rounding(const double* l, double matters) const;
  /// The projection of l - u, u from the motion of l.
  void projected(const double* l, double* out) const;
  void project(const double* z, double* out) const {
    for (Index c = 0; c < count; ++c) contact::project(cone[c], z, out);
  }
  /// out := Gamma(s), zero but at the normals.
  void shift(const double* s, double* out) const;
  double speed(const double* y) const;  ///< V of the certificate

  Index n = 0, m = 0, count = 0;
  Buffer<Cone> cone;
  Buffer<double> W, G, y_0, b, g;
  const double* column(Index k) const { return W.data() + k * n; }
  Index begin(Index k) const { return begin_[k]; }  ///< of the entries of a column that are not 0
  Index end(Index k) const { return end_[k]; }

 private:
  void scale(const ContactCone* cones);
  Buffer<Index> begin_, end_;  ///< contacts of few bodies among many have short columns
  mutable Buffer<double> y_, s_, z_;
};

inline double dot(Index n, const double* x, const double* y) {
  double sum[4] = {0, 0, 0, 0};  // sums that do not wait for each other
  Index i = 0;
  for (; i + 4 <= n; i += 4)
    for (Index k = 0; k < 4; ++k) sum[k] += x[i + k] * y[i + k];
  for (; i < n; ++i) sum[0] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
inline void add(Index n, double a, const double* x, double* to) {
  for (Index i = 0; i < n; ++i) to[i] += a * x[i];
}
inline double largest(Index n, const double* x) {
  double most = 0;
  for (Index i = 0; i < n; ++i) most = std::max(most, std::fabs(x[i]));
  return most;
}

}  // namespace zwang::contact
