// SPDX-License-Identifier: BSD-3-Clause
// The functions of a robot, recorded: inputs in the order of a call, then the pages on Symbol.
#pragma once
#include <string>
#include <vector>

#include "codegen/recording.hpp"
#include "zwang/codegen/formula.hpp"

namespace zwang::codegen {

using Symbols = std::vector<Symbol>;

/// The numbers in which a formula is computed.
enum class Digits { of_double, of_float };
/// A pivot below this times the magnitudes that cancel in it has lost the digits that the self-test of a file asks for:
/// rounding beside it is 1e-7 (double), 1e-3 (float).
constexpr double least_share(Digits digits) { return digits == Digits::of_float ? 6e-8 / 1e-3 : 1.1e-16 / 1e-7; }

/// Records one function, once.
class Recorder {
 public:
  Recorder(const Model& model, const FormulaOptions& options, Digits digits);

  void inverse_dynamics();
  void forward_dynamics();
  void bias_forces();
  void gravity_forces();
  void mass_matrix();
  void coriolis_matrix();
  void inverse_dynamics_regressor();
  void constrained_dynamics();
  void pose();
  void position();
  void velocity();
  void acceleration();
  void jacobian();
  void inverse_kinematics_step();
  void centre_of_mass();
  void integrate();
  void difference();

  /// The formula, without the nodes that no result needs.
  Formula finish(const std::string& function);

 private:
  Symbols input(const std::string& name, Index rows, Index columns, const std::string& meaning);
  void output(const std::string& name, Index rows, Index columns, const std::string& meaning, const Symbols& x);
  Symbols configuration(const std::string& name = "q");
  Symbols rates(const std::string& name = "v");
  Mat3<Symbol> axes_of(FrameId id) const;
  const Frame& frame() const { return model_.frame(options_.frame); }
  Transform<Symbol> frame_pose() const;
  void take_wrenches(const Symbols& q);
  Symbols inverse(const Symbols& q, const Symbols& v, const Symbols& a);
  Choice small_pivots();
  Symbol cancelling(Index k) const;
  Symbols seen(const Motion<Symbol>& m) const;
  Symbols frame_jacobian(Reference reference);
  void append_rows(const Constraint& c, const Symbols& q, const Symbols& v, std::vector<Symbols>& J, Symbols& b,
                   Symbols& compliance);

  const Model& model_;
  const FormulaOptions& options_;
  double least_share_;
  Recording record_;
  BasicData<Symbol> data_;
  std::vector<FormulaArgument> inputs_, outputs_;
  Choice singular_{0};  ///< a pivot is too small; the constant 0: there is none
};

/// formula(), whose doubt is that of these digits.
Formula record(const Model& model, const std::string& function, const FormulaOptions& options, Digits digits);
/// evaluate(), each node rounded to float.
std::vector<double> evaluate_in_float(const Formula& formula, const std::vector<double>& inputs);

}  // namespace zwang::codegen
