// SPDX-License-Identifier: BSD-3-Clause
// EvenLoads: of all impulses that give the same motion, those that points of equal stiffness would carry.
//
//   min sum |lambda_c|^2   with   W lambda = W lambda_0,   as far as lambda stays in K
// over all that is closed: in a contact that sticks three impulses are free, in one that slips only its size.
// Laws of rigid bodies leave the loads of a face open, and a step begins with those of the step before: loads that
// rest on a corner may turn about it in the next step, which is an answer, too, but not that of any face. The least
// norm is the limit of equal compliances that go to 0. The part of lambda without motion is eps (G + eps)^-1 lambda,
// repeated; what leaves a cone on the way stays on its surface, and the others go on.
#pragma once
#include "contact/scaled_problem.hpp"

namespace zwang::contact {

class EvenLoads {
 public:
  void reserve(Index rows, Index all);
  /// l stays where the answer would become worse than `enough`, or nothing is to be changed.
  void run(const ScaledProblem& p, double enough, double* l);
  /// Whether a contact is closed and slips without a load beside one that sticks. Then l becomes a start from which all
  /// may stick: the same motion, with loads that are spread as if they did.
  bool could_stick(const ScaledProblem& p, double enough, double* l);

 private:
  struct Unknown {
    Index cone = 0, row[3] = {};
    double by[3] = {1, 0, 0};
    int rows = 1;
  };
  enum class State { out, held, slips };
  void classify(const ScaledProblem& p, double enough, const double* l);
  bool move(const ScaledProblem& p, double* l);
  double part_in_cone(const Cone& cone, State state, const double* l) const;

  Buffer<State> state_;  ///< of each cone
  Buffer<Unknown> unknown_;
  Buffer<double> G_, x_, move_, best_, y_, s_;
};

}  // namespace zwang::contact
