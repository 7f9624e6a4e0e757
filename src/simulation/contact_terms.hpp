// SPDX-License-Identifier: BSD-3-Clause
// ContactTerms: how the rows of contacts, their gaps and their forces vary with the configuration. With a and b the
// bodies of a point, J their columns of twists at the world's origin, V their twists at a velocity v, x the point, n
// its normal, F = [f; x x f] the wrench of the multipliers on b:
//
//   d x = d x_a + P d(b beside a),   d n = d w_a x n + N d(b beside a),   d gap = g d(b beside a)      (PointMotion)
//   d t_i = -(t_i . d n) n: the tangents turn with the normal and not about it, which no law of a contact sees
//   S = d(J v)/dq = t . (dV/dq at x + w x d x) + d t . u,         u = V_b - V_a at x, w its angular part
//   Q = d(J^T lambda)/dq = J^T d F + (d J^T/dq) F,                [dJ^T/dq F]_jk = F . d(twist at v = e_j)/dq_k
// Matrices have a row after the other. Cost O(nv^2) for each body that is touched.
#pragma once
#include <string>

#include "simulation/contact_rows.hpp"

namespace zwang {

class ContactTerms {
 public:
  explicit ContactTerms(const Model& model);

  /// For rows at q, their multipliers, and a velocity [nv]; where these are 0 J alone. False: a point is no smooth
  /// function of q; `why` names it.
  bool evaluate(const double* q, const std::vector<ContactRow>& rows, const ContactRows& names,
                const double* multipliers, const double* v);

  Index rows() const { return rows_; }
  const double* J(Index r) const { return J_.data() + at(r); }            ///< [nv]
  const double* S(Index r) const { return S_.data() + at(r); }            ///< [nv]
  const double* gap(Index cone) const { return gap_.data() + at(cone); }  ///< d of the gap of a row of the list [nv]
  const double* Q() const { return Q_.data(); }                           ///< [nv x nv]
  std::string why;
  /// The largest difference of estimates of a point that is known by differences alone; and its name.
  double error = 0;

 private:
  struct Body {
    bool is_known = false, is_loaded = false;
    std::vector<double> J, V;  ///< [6 x nv], d of its twist by q; by columns
    double twist[6], force[6];
  };
  std::size_t at(Index r) const { return static_cast<std::size_t>(r) * static_cast<std::size_t>(nv_); }
  Body* body(Index k, const std::string& link, const double* q, const double* v);
  bool add_point(const double* q, const ContactRow& x, const ContactRows& names, const double* multipliers,
                 const double* v, Index cone);
  void add_columns(const double* q);

  const Model model_;
  Index nv_, rows_ = 0;
  Data data_;
  std::vector<double> J_, S_, gap_, Q_, column_, unit_;
  std::vector<Body> bodies_;
  std::vector<std::string> links_;  ///< one of each body
};

}  // namespace zwang
