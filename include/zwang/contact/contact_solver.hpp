// SPDX-License-Identifier: BSD-3-Clause
// ContactSolver: unilateral contact with Coulomb's friction, limits and dry friction, at the level of velocities.
//
//   y = y_f + W lambda,   sigma = W^T y + b + R lambda,   K ∋ lambda ⟂ sigma + Gamma(sigma) ∈ K*
//
// lambda: impulses of the rows [N s, N m s]; sigma: their velocities [m/s, rad/s]; y: the velocity in a square root of
// the kinetic energy, y = L^T v with M = L L^T, so that W = L^-1 J^T. At a contact Gamma adds mu |sigma_t| to the row
// of the normal (De Saxcé & Feng 1998): with it the condition is Signorini's law and Coulomb's, without relaxation.
//
// An answer is judged by the motion that it gives, whatever iteration found it:
//   residual = max over cones of the distance of (lambda, sigma) from a pair that obeys the laws, beside
//              |y_f| + |y| + max |b|,       sigma = W^T (y_f + W lambda) + b
// The distance is the least of |lambda - lambda'| + |sigma - sigma'| over open, stuck and slipping pairs, in rows that
// are scaled to length 1, one number for the rows of a contact. lambda lies in K, up to the rounding of its tangents.
// Where impulses are so large that the rounding of sigma matters beside `accept`, it is added. `ok` says that the
// residual is at most `accept`, no more: other answers may exist. Of those with the same motion it is the
// one of least norm where that lies in the cones (points of equal stiffness), else one on the way to it; a start that
// is an answer already stays as it is.
//
// Stages, until one reaches `target`: no impulse at all; the last impulses and an active-set Newton method (polish);
// ADMM (Carpentier, Le Lidec & Montaut 2024) with polish at checkpoints; a proximal Newton method on the conditions
// themselves (Alart & Curnier 1991); ADMM with a fixed penalty; a homotopy in the coefficients of friction.
#pragma once
#include <string>
#include <vector>

#include "zwang/core/const_vector.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"
#include "zwang/core/status.hpp"
#include "zwang/core/stop.hpp"

namespace zwang {

struct ContactSolverParts;

/// One row, or the three rows of a contact.
struct ContactCone {
  enum class Kind {
    contact,     ///< rows t1 t2 n: |lambda_t| <= mu lambda_n, against sigma_t where it slips
    unilateral,  ///< one row, 0 <= lambda ⟂ sigma >= 0: a joint limit, a rope
    friction     ///< one row, |lambda| <= bound, sigma = 0 within: dry friction of a joint
  };
  Kind kind = Kind::contact;
  double mu = 0;     ///< of a contact, >= 0
  double bound = 0;  ///< of friction, >= 0 [N s, N m s]
};

/// The words of its values, in their order.
constexpr auto words_of(Type<ContactCone::Kind>) { return std::array{"contact", "unilateral", "friction"}; }

/// How exact answers are, and how long they are looked for.
struct ContactSettings {
  double accept = 1e-10;  ///< largest residual of `ok`, > 0
  double target = 1e-12;  ///< residual at which no further stage is tried, 0 < target <= accept
  int iterations = 150;   ///< of the first ADMM, >= 1
  /// Which stages are tried. The last two take up to some 10^4 iterations: seconds for hundreds of rows.
  enum class Effort {
    warm,      ///< the last impulses alone
    ordinary,  ///< ADMM and the proximal Newton method, too
    needed,    ///< all of them, the last two only as long as `accept` is not reached
    full       ///< all of them
  };
  Effort effort = Effort::full;
  Stop stop = {};  ///< asked between iterations
};

/// The words of its values, in their order.
constexpr auto words_of(Type<ContactSettings::Effort>) { return std::array{"warm", "ordinary", "needed", "full"}; }
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<ContactSettings>) {
  using T = ContactSettings;
  v.record("ContactSettings", "How exact answers are, and how long they are looked for.");
  v("accept", &T::accept, "largest residual of ok");
  v("target", &T::target, "residual at which no further stage is tried");
  v("iterations", &T::iterations, "of the first ADMM");
  v("effort", &T::effort, "which stages are tried: warm, ordinary, needed or full");
}

/// What is given. W [n x m] by columns.
struct ContactInput {
  Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> W;
  ConstVector y;                ///< y_f [n]
  ConstVector offset = {};      ///< b [m]; empty: zeros. Of a gap: gap / time step; of a bounce: e times the approach
  ConstVector compliance = {};  ///< R >= 0 [m]; empty: zeros
  ConstVector warm = {};        ///< impulses of a similar problem [m]; empty: none
};

/// The same problem by its matrix: sigma = G lambda + g, G [m x m] symmetric, without negative eigenvalues. What the
/// motion is made of is not known then: the residual is beside |G^1/2 lambda| + max |g|.
struct ContactMatrixInput {
  Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> G;
  ConstVector g;          ///< [m]
  ConstVector warm = {};  ///< impulses of a similar problem [m]; empty: none
};

/// Where an answer comes from.
enum class ContactStage { none, warm, admm, proximal_newton, fixed_penalty, homotopy };
/// The words of its values, in their order.
constexpr auto words_of(Type<ContactStage>) {
  return std::array{"none", "warm", "admm", "proximal_newton", "fixed_penalty", "homotopy"};
}

/// What is known of an answer. Cones by their place in the list.
struct ContactReport {
  Status status = Status::ok;  ///< ok, not_converged, infeasible, stopped, non_finite_input, overflow
  double residual = 0;
  double signorini = 0;    ///< largest of -sigma_n, -lambda_n, min(|lambda_n|, |sigma_n|) [m/s, N s]
  double coulomb = 0;      ///< largest |lambda_t| - mu lambda_n [N s]
  double dissipation = 0;  ///< largest |lambda_t . sigma_t + mu lambda_n |sigma_t|| [J]
  ContactStage stage = ContactStage::none;
  int polish_iterations = 0, admm_iterations = 0, newton_iterations = 0;
  Index worst = -1;  ///< the cone with the residual; -1: none
  /// Where no answer exists: the cones whose rows contradict each other, by Farkas' lemma.
  std::vector<Index> conflicts = {};
  /// Open or slipping contacts with G_nn <= mu |G_nt|, Painlevé's bound: there may be other answers.
  std::vector<Index> not_unique = {};
  /// Those of them whose impulse is ten times what the largest approach of a cone explains: shocks without a collision.
  std::vector<Index> shocks = {};
  /// All of it in a sentence.
  std::string explain() const;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<ContactReport>) {
  using T = ContactReport;
  v.record("ContactReport", "What is known of an answer. Cones by their place in the list.");
  v("status", &T::status, "ok, not_converged, infeasible, stopped, non_finite_input or overflow");
  v("residual", &T::residual, "largest distance from a pair that obeys the laws, beside the speeds");
  v("signorini", &T::signorini, "largest of -sigma_n, -lambda_n, min(|lambda_n|, |sigma_n|)");
  v("coulomb", &T::coulomb, "largest |lambda_t| - mu lambda_n");
  v("dissipation", &T::dissipation, "largest |lambda_t . sigma_t + mu lambda_n |sigma_t||");
  v("stage", &T::stage, "where it comes from: none, warm, admm, proximal_newton, fixed_penalty or homotopy");
  v("polish_iterations", &T::polish_iterations, "of the active-set Newton method");
  v("admm_iterations", &T::admm_iterations, "of ADMM");
  v("newton_iterations", &T::newton_iterations, "of the proximal Newton method");
  v("worst", &T::worst, "the cone with the residual; -1: none");
  v("conflicts", &T::conflicts, "where no answer exists: the cones whose rows contradict each other");
  v("not_unique", &T::not_unique, "open or slipping contacts beyond Painleve's bound: there may be other answers");
  v("shocks", &T::shocks, "those of them whose impulse is not one of an approach");
}

/// Owns its workspace: after reserve(), problems of that size allocate nothing, problems that are given by their matrix
/// after the first of them. Larger ones enlarge it.
class ContactSolver {
 public:
  /// Throws std::invalid_argument naming a setting that is out of range.
  explicit ContactSolver(const ContactSettings& settings = {});
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;
  ~ContactSolver();

  /// Room for problems of n entries of y, with so many rows and cones.
  void reserve(Index n, Index rows, Index cones);

  /// Throws std::invalid_argument naming an argument of another size, a negative mu, bound or compliance. Numbers that
  /// are not finite: status non_finite_input.
  const ContactReport& solve(const std::vector<ContactCone>& cones, const ContactInput& input);
  /// Also std::invalid_argument where G is not symmetric, or has a negative eigenvalue that is no rounding. velocity()
  /// is then G^1/2 lambda in some axes.
  const ContactReport& solve(const std::vector<ContactCone>& cones, const ContactMatrixInput& input);

  Eigen::Map<const Eigen::VectorXd> impulses() const;        ///< lambda [m]
  Eigen::Map<const Eigen::VectorXd> velocity() const;        ///< y [n]
  Eigen::Map<const Eigen::VectorXd> row_velocities() const;  ///< sigma [m]
  const ContactReport& report() const;

 private:
  Owned<ContactSolverParts> parts_;
};

}  // namespace zwang
