// SPDX-License-Identifier: BSD-3-Clause
// Linearised: a solved problem, differentiated at its solution on the factor that the solve left
// (zwang/question/derivatives.hpp has the equations).
//
//   whole            d r1 from the derivatives of inverse dynamics, wrenches of rows being external ones; d r2 by the
//                    columns of the joints; a right-hand side for every column
//   from the right   (xi, nu, alpha) of every body along the direction; d r1, d r2 from them; one right-hand side
//   from the left    one right-hand side:  [M, J^T; J, -R] [y; z] = [g_a; -g_lambda];   the gradient by an input x is
//                    -(y . d r1/dx + z . d r2/dx);  rows add K^T z, P^T z, N^T z to Q, P, N of their bodies
// (algorithm/page/inverse_dynamics_products.hpp). y at a prescribed coordinate is minus the weight of its torque.
//
// An impulse (Shock): r2 = J dv - change, whose change varies by -share (J v-):
// rows_by_q and by_q gain share d(J v-)/dq.
//
// Dependent rows, G = J M^-1 J^T of the hard ones, lambda = G^+ b of least norm at constant rank:
//   d lambda += (1 - G G^+) d(J x)/dq,   x = M^-1 J^T G^+ lambda held.
// The rank is constant nearby only if c . d r2 = 0 for all c with c^T J = 0: tried with one c at random.
#pragma once
#include <optional>
#include <vector>

#include "question/derivatives/elimination.hpp"
#include "question/derivatives/joint_places.hpp"
#include "question/derivatives/result_memory.hpp"
#include "question/derivatives/row_variations.hpp"
#include "solve/solver_parts.hpp"
#include "zwang/core/random.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang {

class Linearised final : public Question {
 public:
  explicit Linearised(SolverParts& parts);
  const SolutionDerivatives& whole();
  const InputGradient& from_the_left(const SolutionGradient& of,
                                     const GradientParts& wrt = {.inertial_parameters = false, .placement = false});
  const SolutionVariation& from_the_right(const InputVariation& along);

 private:
  using Left = page::ProductFromTheLeft<double>;
  using Right = page::ProductFromTheRight<double>;
  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  enum class Of { all, drivers };

  // linearised.cpp
  const char* begin(bool will_eliminate);
  void end();
  /// Calls end() at the end of a scope, whatever ends it.
  struct Ending {
    explicit Ending(Linearised& x) : of(x) {}
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;
    ~Ending() { of.end(); }
    Linearised& of;
  };
  const char* refusal() const;
  bool has_kinematics() const;
  void make_room();
  void clear_results(bool of_motors);
  void clear(InputGradient& g);
  bool is_finite(const InputGradient& g) const;
  bool counts(Index row, Of which) const { return which == Of::all || problem_.rows.role[row] == Role::driver; }
  auto counted(Of which) const {
    return [this, which](Index row) { return counts(row, which); };
  }
  Index row_of(Index k) const { return problem_.rows.row_of[k]; }
  /// A right-hand side of zeros.
  void ask_nothing(Index columns);

  // responses.cpp
  const char* respond();
  bool is_in_doubt() const;
  void keep_sides();
  bool find_rest();
  const char* check_response();
  void add_rest();

  // dependent_rows.cpp
  const char* find_dependent_rows(bool will_eliminate);
  bool moves_freely(const double* x) const;
  void add_shock_of_dependent_rows(double column, double& scale_q, double& scale_v);
  const char* find_vanishing_rows(Random& random);
  bool has_dependent_rows() const { return dependent_; }
  const char* project(double* rows);
  const char* project_once(double* rows);
  void enter_rates(const double* x);
  void rates_from_the_left(const double* x, const double* c, double* by_q);
  void rates_from_the_right(const double* x, const double* dq, double* out);

  // products.cpp
  void add_rows(const Right& x, const InputVariation& along, double* rho) const;
  void turn_wrenches(const Right& x, Of which, const double* dq, double* torque) const;
  void driver_torque_from_the_left(const double* weight, double* by_q);
  void driver_torque_from_the_right(const double* dq, double* out);
  void add_driver_torque(const double* multipliers, double* out) const;

  // parameters.cpp
  void numbers_of_rows_and_joints();
  void add_excess_by_masses(const Left& x);
  void add_masses_of_rows(const Left& x, Of which, const double* z = nullptr);
  void add_masses_of_rates(const double* c);
  void add_placements(double sign);

  // row_errors.cpp
  bool put_rows(const double* from, const JacobianView& to);
  bool row_errors();
  bool add_rates_of_shock();

  // whole_solution.cpp
  void add_wrench_derivatives(Of which, bool with_own, double sign, Matrix& out) const;
  bool may_eliminate() const;
  bool eliminate();
  const char* solve_all_columns();
  template <class Ask> const char* solve_columns(JacobianView SolutionJacobian::*by, Ask&& ask);
  void add_driver_columns(JacobianView SolutionJacobian::*by);
  const char* add_dependent_columns();

  SolverParts& parts_;
  Problem& problem_;
  RowVariations rows_;
  RightHandSides sides_, rest_;          ///< rest_: what the answers to `sides_` leave of their equations
  Buffer<Force<double>> external_;       ///< [n + 1] those of the user, while rows have theirs in Data
  Buffer<Padded<Motion<double>>> kept_;  ///< [n + 1] the accelerations in Data, while others are there
  bool has_external_ = false, dependent_ = false;
  bool moved_ = false;  ///< Data has the kinematics of other velocities than those of the solution
  unsigned stages_ = 0;
  struct OfModel {
    Buffer<unsigned char> mimics;  ///< [spanning nv] columns of joints that follow another
    std::vector<page::JointPlace> placements;
  } of_model_;
  struct Asked {
    Buffer<Columns> tau, b;  ///< [nv], [m] of respond()
  } asked_;
  Buffer<double> acceleration_, lambda_;  ///< of the solution: [nv], [m]
  Buffer<double> dependent_motion_;       ///< [nv] x of dependent rows
  Buffer<double> y_, z_;  ///< [nv], [m] of the product from the left; z: d lambda of that from the right
  struct Scratch {
    Buffer<double> torque, by_q, by_v, x, answer, rest;  ///< [nv]
    Buffer<double> row, null, lambda, known;             ///< [m]
    std::optional<Elimination> elimination;
    std::optional<RowMatrices> rows;
    Buffer<double> compact;  ///< results without rows that are released
  } scratch_;
  struct Residuals {
    Matrix torque_by_q{nullptr, 0, 0}, torque_by_v{nullptr, 0, 0};  ///< [nv x nv] d r1
    Matrix driver_by_q{nullptr, 0, 0};                              ///< [nv x nv] d (J^T lambda) of driver rows
  } residuals_;
  SolutionDerivatives derivatives_;
  /// Where zeros and ones of motors stand that no row acts for, which every call leaves as they are.
  struct ConstantMotors {
    const double* at = nullptr;
    Index nv = 0, rows = 0;
    bool operator==(const ConstantMotors&) const = default;
  } constant_motors_;
  InputGradient gradient_;
  GradientParts wrt_;  ///< of gradient_
  SolutionVariation variation_;
  struct Memory {
    ResultMemory derivatives, residuals, gradient, variation;
  } memory_;
};

}  // namespace zwang
