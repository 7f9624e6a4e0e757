// SPDX-License-Identifier: BSD-3-Clause
// The functions of a robot, recorded: inputs in the order of a call, then the pages on Symbol.
#pragma once
#include <string>
#include <vector>

#include "codegen/recording.hpp"
#include "zwang/codegen/formula.hpp"

namespace zwang::codegen {

using Symbols = std::vector<Symbol>;

/// Records one function, once.
class Recorder {
 public:
  Recorder(const Model& model, const FormulaOptions& options);

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
  Symbols seen(const Motion<Symbol>& m) const;
  Symbols frame_jacobian(Reference reference);
  void append_rows(const Constraint& c, const Symbols& q, const Symbols& v, std::vector<Symbols>& J, Symbols& b,
                   Symbols& compliance);

  const Model& model_;
  const FormulaOptions& options_;
  Recording record_;
  BasicData<Symbol> data_;
  std::vector<FormulaArgument> inputs_, outputs_;
  Choice singular_{0};  ///< a pivot is too small; the constant 0: there is none
};

}  // namespace zwang::codegen
