// SPDX-License-Identifier: BSD-3-Clause
// Delassus: row accelerations of a constraint set per unit of its multipliers,  G = J M^-1 J^T + R  at a configuration.
//
// J: the active rows, in the user's order; rows between bodies are sums over their bodies. R: diagonal, the compliances
// of soft rows, 0 for hard ones, so that  G lambda = beta' - J q''_free  for all of them (beta' = beta - J' v). G does
// not depend on velocities, beta or roles. Unit: a row's acceleration per unit of its multiplier.
#pragma once
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"
#include "zwang/rows/settings.hpp"

namespace zwang {

struct DelassusImpl;

/// How the matrix is computed; the result is the same.
enum class DelassusMethod {
  automatic,  ///< pv_osimr, or dense if it does not support these rows
  pv_osimr,   ///< rank-one propagation along the tree of constrained bodies, O(n + m^2)
  efpa,       ///< extended force propagators, O(n + m d + m^2)
  dense,      ///< J M^-1 J^T on the tree-sparse factor of M, O(n d^2 + m d^2 + m^2 d)
};
/// `automatic`, `pv_osimr`, `efpa`, `dense`; throws std::invalid_argument naming the four.
DelassusMethod delassus_method_of(const std::string& word);
/// The words of its values, in their order.
constexpr auto words_of(Type<DelassusMethod>) { return std::array{"automatic", "pv_osimr", "efpa", "dense"}; }

/// After a move the source may only be assigned to. Allocates all memory at construction. Follows the set: rows that
/// are switched, moved or made softer are used from the next compute() on.
class Delassus {
 public:
  /// Throws WorkspaceMismatch where the set was made for another model.
  Delassus(const Model& model, const ConstraintSet& constraints);
  Delassus(Delassus&&) noexcept;
  Delassus& operator=(Delassus&&) noexcept;
  ~Delassus();

  /// Computes the rows and the articulated factor at q, O(n + m). Of `effects` only the rotors are used. Prescribed
  /// coordinates are held: their values are not read. Throws std::invalid_argument naming the argument for wrong sizes
  /// and entries that are not finite, SingularMassError naming the joint if a coordinate has no inertia. After a throw
  /// there is no operator.
  void compute(VectorIn q, const JointEffects& effects = {}, const Prescribed* prescribed = nullptr);
  Index rows() const;  ///< m: active rows at the last compute()

  /// G, m x m, symmetric to the last bit. UnsupportedError naming the joint if pv_osimr or efpa is asked for rows on a
  /// branch of joints that share a coordinate, below the body where these meet.
  void matrix(MatrixOut out, DelassusMethod method = DelassusMethod::automatic);
  /// (G + mu)^-1, m x m, by Cholesky. mu > 0: one for all rows, or one per row. Throws std::invalid_argument if mu is
  /// not positive, or so small that G + mu is not positive definite in rounding.
  void damped_inverse(double mu, MatrixOut out);
  void damped_inverse(VectorIn mu, MatrixOut out);

  /// y = G x without the matrix, O(n + m): wrenches inward, accelerations outward.
  void apply(VectorIn x, VectorOut y);
  /// x = (G + mu)^-1 b without the matrix, O(n + m): x = (b - J a) / mu with (M + J^T J / mu) a = J^T b / mu, an
  /// articulated-body solve with iterative refinement (at most four steps). The factor loses about log10(G / mu)
  /// digits; refinement restores most of them. The factor is kept until mu changes or compute() is called. If rows act
  /// between bodies: by Cholesky of the matrix, O(m^3) once and O(m^2) for each b.
  void solve(VectorIn b, double mu, VectorOut x);
  void solve(VectorIn b, VectorIn mu, VectorOut x);

  const Model& model() const;
  Data& data();  ///< for overrides of inertias and payloads, used from the next compute() on
  const Data& data() const;

 private:
  Owned<DelassusImpl> impl_;
};

}  // namespace zwang
