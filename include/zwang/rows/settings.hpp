// SPDX-License-Identifier: BSD-3-Clause
// What a solve is told beside the set and the state: prescribed coordinates, limits of motors, and settings.
#pragma once
#include <string>
#include <vector>

#include "zwang/algorithm/reference.hpp"
#include "zwang/core/record.hpp"
#include "zwang/core/stop.hpp"
#include "zwang/model/model.hpp"

namespace zwang {

/// A coordinate whose acceleration is given; the solve finds its torque.
struct PrescribedCoordinate {
  Index v = 0;              ///< index in the model's velocity
  double acceleration = 0;  ///< [rad/s^2, m/s^2]
};
/// The coordinates whose accelerations are given.
using Prescribed = std::vector<PrescribedCoordinate>;
/// Adds the coordinates of a joint (as many values as it has), or one coordinate by its name (`root_joint[0]`). Throws
/// std::invalid_argument for an unknown name, a wrong number of values, a coordinate given twice, or a joint that
/// mimics another.
void prescribe(const Model& model, Prescribed& list, const std::string& name, const std::vector<double>& acceleration);

/// Treatment of dependent and nearly dependent rows.
enum class Singularity {
  truncation,  ///< rank revealed; lambda least-norm, inconsistent rows in least squares, in the rows' own units
  proximal,    ///< (Lambda + mu) lambda' = b + mu lambda until convergence: the same answer without a rank decision
  damping,     ///< (Lambda + mu) lambda = b: bounded multipliers, rows are missed by mu lambda
  weighted,    ///< truncation in the metric of the constraints' weights
};
/// The words of its values, in their order.
constexpr auto words_of(Type<Singularity>) { return std::array{"truncation", "proximal", "damping", "weighted"}; }
/// Throws std::invalid_argument naming the four.
Singularity singularity_of(const std::string& word);

/// What motors can give: lower <= tau + J^T lambda of driver rows <= upper. Where a motor would need more, the driver
/// rows that use it give way (docs/inequalities.md). Not at prescribed coordinates, which move whatever it takes.
struct MotorLimits {
  std::vector<double> lower = {}, upper = {};  ///< [nv] [N m, N]; infinite: none there; empty: no motor has limits
  bool empty() const { return lower.empty() && upper.empty(); }
};
/// -effort and +effort of the joints, as the model's file gives them; none at joints without a known effort. Throws
/// std::invalid_argument where the file gives no effort at all.
MotorLimits motor_limits(const Model& model);
/// Limits the motor of a joint, each of its coordinates, or of one coordinate by its name. Throws std::invalid_argument
/// for an unknown name, a joint that mimics another, NaN, or lower > upper.
void limit_motor(const Model& model, MotorLimits& limits, const std::string& name, double lower, double upper);

/// All settings except `spare_rows` may change between solves.
struct SolverSettings {
  std::string method = "automatic";  ///< one of methods()
  double tolerance = 0;              ///< smallest angle between rows worth obeying (docs/report.md); 0: 1e-11
  double feasibility = 1e-9;         ///< a row with a larger relative residual counts as not held
  Singularity singularity = Singularity::truncation;
  double regularisation = 0;  ///< mu of damping and proximal over the mean of Lambda's diagonal; 0: 1e-6 and 1e-8
  int max_iterations = 200;   ///< of proximal, constrained_aba and loop_aba
  JointEffects joint_effects = {};
  MotorLimits motor_limits = {};
  Index spare_rows = 0;  ///< room for rows added to the set after construction of the solver
  /// Asked when a solve, a resolve or an impulse begins, and every few ms where many rows take long. Once it says yes,
  /// that call ends soon with the status `stopped`; the next one is solved as by a new solver. A batch asks from its
  /// threads.
  Stop stop = {};
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<SolverSettings>) {
  using T = SolverSettings;
  v.record("SolverSettings", "How a solver solves.");
  v("method", &T::method, "one of methods(); checked by the next solve");
  v("tolerance", &T::tolerance, "smallest angle between rows worth obeying; 0: 1e-11");
  v("feasibility", &T::feasibility, "a row whose relative residual is larger is not held");
  v("singularity", &T::singularity, "truncation, proximal, damping or weighted");
  v("regularisation", &T::regularisation,
    "mu of damping and proximal over the mean of Lambda's diagonal; 0: the default");
  v("max_iterations", &T::max_iterations, "of proximal, constrained_aba and loop_aba");
  v("joint_effects", &T::joint_effects, "a copy: assign to change it");
  v("motor_limits", &T::motor_limits, "what motors can give", {.attribute = false});
  v("spare_rows", &T::spare_rows, "room for rows added to the set later", {.attribute = false});
  v("stop", &T::stop, "asked when it begins, and every few ms", {.attribute = false});
}

}  // namespace zwang
