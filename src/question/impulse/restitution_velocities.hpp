// SPDX-License-Identifier: BSD-3-Clause
// What Poisson's and Stronge's restitution require of the velocities of rows, beyond J v = w.
//
// The compression ends with J v = w and has the impulses c. In the restitution that follows, rows with E > 0 (A) act
// with given impulses f; all others (B) hold what they hold. The motion is M x = J_A^T f + J_B^T l, J_B x = 0 (soft
// rows: + R l). Where f is known, so are the velocities u of the rows for which all rows must be solved, u = (u_A, 0):
//
//   u_A = N H^-1 N^T f,   H = N^T K_AA N,   K: lambda = K u of the factor
//   N: a basis of the u_A that J can have with u_B = 0, lower levels giving way
//
//   Poisson      f = E c
//   energetic    f = s_i c of constraint i,   s_i sum_k g_ik s_k = E_i^2 d_i
//                g_ik = c_i.(N H^-1 N^T) c_k,   d_i = -c_i.(J v- - w)
//
// Impulses that grow in proportion do the work -d_i / 2 in the compression and s_i sum_k g_ik s_k / 2 in the
// restitution. The second line is the minimum of 1/2 s.g s - sum E_i^2 d_i log s_i, which is convex: one s > 0. A
// constraint with d_i <= 0 has not been compressed; its rows are among B.
// Poisson 1838; Routh, Dynamics of a System of Rigid Bodies (1905), art. 168 ff.; Glocker & Pfeiffer, Multiple impacts
// with friction in rigid multibody systems, Nonlinear Dynamics 7 (1995) 471-497; Stronge, Rigid body collisions with
// friction, Proc. R. Soc. A 431 (1990) 169-181. DIFFERS: rows pull as well as push, friction is what rows hold, and no
// path of the impulse is followed but the straight one. Cost |A| right-hand sides and O(|A|^3).
#pragma once
#include "solve/solver_parts.hpp"

namespace zwang {

class RestitutionVelocities {
 public:
  explicit RestitutionVelocities(const Problem& problem);

  struct Contact {
    const double *velocity, *target, *restitution;  ///< [rows of the set] J v-, w, E
  };
  /// After the compression, on the factor and the answer of `parts`, which keep their numbers but for those of
  /// right-hand sides. singular_mass where an impulse f would move nothing that has inertia; not_converged.
  Status find(SolverParts& parts, const Contact& contact, bool energetic);
  const double* velocity() const { return u_.data(); }  ///< [rows of the set] u
  /// Constraints that are not compressed. `restitution` [rows of the set]: E.
  void warn(const Problem& problem, const double* restitution, SolveReport& report) const;

 private:
  void choose(const SolverParts& parts, const Contact& contact, bool energetic);
  bool ask_columns(SolverParts& parts);
  void find_basis(const SolverParts& parts);
  bool factor();
  void respond(const double* f, double* u);
  bool scale_by_energy(const Problem& problem, const Contact& contact);
  bool balance(Index count);

  Buffer<double> u_;            ///< [rows of the set]
  Buffer<double> impulse_;      ///< [m] c
  Buffer<double> dissipated_;   ///< [constraints] d; 0 without E
  Buffer<unsigned char> held_;  ///< [constraints] not compressed
  Buffer<Index> row_;           ///< [A] rows of the sweep
  Index count_ = 0, rank_ = 0;  ///< of A; of N
  Buffer<double> K_, missed_;   ///< [A x A] lambda_A; [A x m] u - J x of the hard rows, column by column
  Buffer<double> basis_, H_;    ///< [A x A] N and what is orthogonal to it, vector by vector; the Cholesky factor of H
  Buffer<double> f_, x_, y_;    ///< [A]
  Buffer<double> g_, s_, scaled_, response_;  ///< [constraints x constraints], [constraints], and scratch
  Buffer<Index> constraint_;                  ///< [constraints with f]
};

}  // namespace zwang
