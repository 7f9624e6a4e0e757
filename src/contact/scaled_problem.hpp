// SPDX-License-Identifier: BSD-3-Clause
// A problem of contact with rows of one size, and the certificate of an answer.
//
//   y = y_0 + W l,   s = W^T y + b,   g = W^T y_0 + b,   G = W^T W
// Rows are divided such that the rows of a cone have length 1 on average: one number for the rows of a contact, so that
// its cone stays a cone. A row with a compliance R has sqrt(R) as a further entry of its column and 0 as one of y_0: it
// is the velocity of a spring, and no other page knows of it.
#pragma once
#include "contact/cones.hpp"
#include "zwang/core/pack.hpp"

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
  using Two = Pack<double, 2>;
  Two first(0.0), second(0.0);  // sums that do not wait for each other
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    first += Two::load(x + i) * Two::load(y + i);
    second += Two::load(x + i + 2) * Two::load(y + i + 2);
  }
  double rest = first[0];
  for (; i < n; ++i) rest += x[i] * y[i];
  return (rest + first[1]) + (second[0] + second[1]);
}
inline void add(Index n, double a, const double* x, double* to) {
  using Two = Pack<double, 2>;
  Index i = 0;
  for (; i + 2 <= n; i += 2) (Two::load(to + i) + Two(a) * Two::load(x + i)).store(to + i);
  for (; i < n; ++i) to[i] += a * x[i];
}
inline double largest(Index n, const double* x) {
  double most = 0;
  for (Index i = 0; i < n; ++i) most = std::max(most, std::fabs(x[i]));
  return most;
}

}  // namespace zwang::contact
