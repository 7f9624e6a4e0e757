// SPDX-License-Identifier: BSD-3-Clause
// ContactResponse: how impulses answer where the state of each contact stays what it is: the implicit function theorem
// at the active set of an answer (Alart & Curnier 1991; here for sigma = J v + b + R lambda).
//
//   open     d lambda = 0
//   stick    d sigma = 0, all three rows
//   slip     d sigma_n = 0,   e . d sigma_t + |sigma_t| / (mu lambda_n) p = 0,   d lambda = (n + mu d) p_n + e p
//            d the direction of the friction, e across it
//   limit    d sigma = 0 where it is closed;   dry friction: d sigma = 0 where it holds, else d lambda = 0
//   B J^T d lambda is what impulses add to d v; rows in scales of their own: |J B J^T| = 1.
// Rows that depend on each other: (A + eps) x = r + eps x, repeated, which needs no rank. What is left of r then says
// that the rows contradict each other to first order: there is no derivative.
#pragma once
#include <string>

#include "simulation/contact_rows.hpp"
#include "zwang/simulation/contact_derivatives.hpp"

namespace zwang {

/// A x = r for square A that may be singular with r in its range, by (A + eps) x_1 = r + eps x_0, repeated.
class ProximalSystem {
 public:
  /// A [n x n] row by row; what it is beside, for eps: 0 where A is regular. False: it has no factors.
  bool factor(Index n, const std::vector<double>& A, double size);
  /// x [n]; returns what is left of r.
  double solve(const double* r, double* x);
  /// x of the last solve after a few repetitions, as those of a step's polish.
  const double* coarse() const { return coarse_.data(); }

 private:
  Index n_ = 0;
  std::vector<double> A_, LU_, d_, rest_, coarse_;
  std::vector<Index> order_;
};

class ContactResponse {
 public:
  explicit ContactResponse(const Model& model) : nv_(model.nv()) {}

  /// The answer of a step: impulses and velocities of its rows, sigma with offset and compliance. J of ContactTerms;
  /// B [nv x nv] the velocity for a unit of impulse, row by row; h its length; `speed`: |v| in the metric of M.
  struct Answer {
    const std::vector<ContactRow>& rows;
    const double *J, *B;
    const double *impulses, *sigma;
    double h, speed;
    bool frictionless;  ///< lengths that take overlaps apart
  };
  /// The state of each row; those at a border are appended.
  void classify(const Answer& answer, const ContactRows& names, std::vector<ContactBorder>& borders);
  /// D [nv x columns] += B J^T d lambda, where d sigma = J D + S. False: no such d lambda.
  bool respond(const Answer& answer, const std::vector<double>& S, Index columns, std::vector<double>& D);
  /// Of the last respond(): a row whose impulse nearly depends on those of others, so that D says one motion and a
  /// step, which finds impulses to an accuracy, another; -1: none.
  Index depends() const { return depends_; }

 private:
  struct Unknown {
    Index row[3], equation[2];
    double by[3], of[2];
    int rows, equations;
    double soft;
  };
  void add_contact(const Answer& a, const ContactRow& x, double speed, const ContactRows& names,
                   std::vector<ContactBorder>& borders);
  Index nv_, depends_ = -1;
  std::vector<Unknown> unknown_;
  std::vector<double> scale_, BJ_, G_;  ///< of rows; B J^T a row of J after the other; scaled J B J^T
  std::vector<double> A_, r_, x_, other_, fine_, change_;
  ProximalSystem system_, careful_;
  std::vector<double> soft_;  ///< R of each row
};

}  // namespace zwang
