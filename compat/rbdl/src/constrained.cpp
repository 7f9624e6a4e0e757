// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/Dynamics.h>
#include <zwang/question/constrained_inverse_dynamics.hpp>
#include <zwang/question/impulse.hpp>

#include "bound.hpp"

namespace RigidBodyDynamics {

using detail::Bound;
using detail::Robot;
using Math::MatrixNd;
using Math::VectorNd;
using Wrenches = std::vector<Math::SpatialVector>;

namespace {

void check_result(const char* function, const zwang::SolveReport& report) {
  if (!zwang::has_result(report.status))
    throw Errors::RBDLError(std::string(function) + ": " + zwang::name_of(report.status));
}

void solve(const char* function, Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& Tau,
           ConstraintSet& CS, VectorNd& QDDot, bool update, const Wrenches* f_ext) {
  Bound& bound = CS.kept.of(model, CS);
  Robot& robot = bound.at(function, model, Q, &QDot, update);
  robot.to_model(function, "the size of Tau", Tau, bound.tau);
  const zwang::Solution& solution =
      bound.solver.solve({.q = bound.q, .v = bound.v, .tau = bound.tau, .external = bound.externals(function, f_ext)});
  check_result(function, solution.report);
  robot.from_model(function, "the size of QDDot", solution.acceleration, QDDot);
  bound.rows_from(solution.multipliers, CS.force);
  robot.set_a(function, QDDot);
}

void shock(const char* function, Model& model, const VectorNd& Q, const VectorNd& before, ConstraintSet& CS,
           VectorNd& after) {
  Bound& bound = CS.kept.of(model, CS);
  Robot& robot = bound.at(function, model, Q, &before, true);
  detail::check_size(function, "the size of v_plus", CS.v_plus.size(), static_cast<long>(CS.size()));
  for (std::size_t k = 0; k < bound.rows.size(); ++k) bound.target[bound.rows[k]] = CS.v_plus[static_cast<long>(k)];
  const zwang::Impulse& impulse = bound.solver.impulse({.q = bound.q, .v = bound.v, .target = bound.target});
  check_result(function, impulse.report);
  robot.from_model(function, "the size of QDotPlus", impulse.velocity, after);
  bound.rows_from(impulse.multipliers, CS.impulse);
}

/// The coordinates with motors, by zwang's names.
std::vector<std::string> motors_of(const char* function, const ConstraintSet& CS, const Bound& bound,
                                   const Robot& robot) {
  detail::check_size(function, "the size of the actuation map", static_cast<long>(CS.actuated.size()),
                     static_cast<long>(robot.columns.size()));
  std::vector<std::string> motors;
  for (std::size_t k = 0; k < CS.actuated.size(); ++k)
    if (CS.actuated[k]) motors.push_back(bound.model.coordinate_names()[static_cast<std::size_t>(robot.columns[k])]);
  if (motors.empty()) throw Errors::RBDLError(std::string(function) + ": SetActuationMap names no motor");
  return motors;
}

/// Inverse dynamics with the motors of the set: the solution, and the robot at the state.
template <class Use> void inverse(const char* function, Model& model, const VectorNd& Q, const VectorNd& QDot,
                                  const VectorNd& desired, ConstraintSet& CS, double penalty, bool update,
                                  const Wrenches* f_ext, Use&& use) {
  Bound& bound = CS.kept.of(model, CS);
  Robot& robot = bound.at(function, model, Q, &QDot, update);
  robot.to_model(function, "the size of QDDotDesired", desired, bound.a);
  const std::vector<std::string> motors = motors_of(function, CS, bound, robot);
  VectorNd weight = VectorNd::Zero(model.dof_count);
  for (std::size_t k = 0; k < CS.actuated.size(); ++k)
    if (CS.actuated[k]) weight[robot.columns[k]] = 1;
  zwang::InverseSettings settings;
  settings.penalty = penalty;
  zwang::ConstrainedInverseDynamics question(bound.model, bound.set, motors, settings);
  question.data().set_gravity(robot.scratch.gravity);
  use(bound, robot,
      question.solve(
          {.q = bound.q, .v = bound.v, .a = bound.a, .weight = weight, .external = bound.externals(function, f_ext)}));
}

}  // namespace

void CalcConstraintsJacobian(Model& model, const VectorNd& Q, ConstraintSet& CS, MatrixNd& G, bool update_kinematics) {
  Bound& bound = CS.kept.of(model, CS);
  const Robot& robot = bound.at("CalcConstraintsJacobian", model, Q, nullptr, update_kinematics);
  detail::check_shape("CalcConstraintsJacobian", G, static_cast<long>(CS.size()), model.dof_count);
  bound.evaluate();
  bound.write_jacobian(robot, G);
}

void CalcConstraintsPositionError(Model& model, const VectorNd& Q, ConstraintSet& CS, VectorNd& err,
                                  bool update_kinematics) {
  Bound& bound = CS.kept.of(model, CS);
  bound.at("CalcConstraintsPositionError", model, Q, nullptr, update_kinematics);
  bound.evaluate();
  bound.write_position_error(err);
}

void CalcConstraintsVelocityError(Model& model, const VectorNd& Q, const VectorNd& QDot, ConstraintSet& CS,
                                  VectorNd& err, bool update_kinematics) {
  Bound& bound = CS.kept.of(model, CS);
  bound.at("CalcConstraintsVelocityError", model, Q, &QDot, update_kinematics);
  bound.evaluate();
  bound.rows_from(bound.evaluator.velocity_error(), err);
}

void CalcConstrainedSystemVariables(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd&,
                                    ConstraintSet& CS, bool update_kinematics, Wrenches* f_ext) {
  Bound& bound = CS.kept.of(model, CS);
  const Robot& robot = bound.at("CalcConstrainedSystemVariables", model, Q, &QDot, update_kinematics);
  bound.evaluate();
  bound.write_jacobian(robot, CS.G);
  bound.write_position_error(CS.err);
  bound.rows_from(bound.evaluator.velocity_error(), CS.errd);
  bound.rows_from(bound.evaluator.gamma(), CS.gamma);
  CompositeRigidBodyAlgorithm(model, Q, CS.H, false);
  NonlinearEffects(model, Q, QDot, CS.C, f_ext);
}

void ForwardDynamicsConstraintsDirect(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& Tau,
                                      ConstraintSet& CS, VectorNd& QDDot, bool update_kinematics, Wrenches* f_ext) {
  solve("ForwardDynamicsConstraintsDirect", model, Q, QDot, Tau, CS, QDDot, update_kinematics, f_ext);
}
void ForwardDynamicsConstraintsRangeSpaceSparse(Model& model, const VectorNd& Q, const VectorNd& QDot,
                                                const VectorNd& Tau, ConstraintSet& CS, VectorNd& QDDot,
                                                bool update_kinematics, Wrenches* f_ext) {
  solve("ForwardDynamicsConstraintsRangeSpaceSparse", model, Q, QDot, Tau, CS, QDDot, update_kinematics, f_ext);
}
void ForwardDynamicsConstraintsNullSpace(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& Tau,
                                         ConstraintSet& CS, VectorNd& QDDot, bool update_kinematics, Wrenches* f_ext) {
  solve("ForwardDynamicsConstraintsNullSpace", model, Q, QDot, Tau, CS, QDDot, update_kinematics, f_ext);
}
void ForwardDynamicsContactsKokkevis(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& Tau,
                                     ConstraintSet& CS, VectorNd& QDDot) {
  for (const ConstraintSet::Group& group : CS.groups)
    if (group.type != ConstraintTypeContact)
      throw Errors::RBDLError(
          "ForwardDynamicsContactsKokkevis: the set has loops: ForwardDynamicsConstraintsDirect takes them");
  solve("ForwardDynamicsContactsKokkevis", model, Q, QDot, Tau, CS, QDDot, true, nullptr);
}

void ComputeConstraintImpulsesDirect(Model& model, const VectorNd& Q, const VectorNd& QDotMinus, ConstraintSet& CS,
                                     VectorNd& QDotPlus) {
  shock("ComputeConstraintImpulsesDirect", model, Q, QDotMinus, CS, QDotPlus);
}
void ComputeConstraintImpulsesRangeSpaceSparse(Model& model, const VectorNd& Q, const VectorNd& QDotMinus,
                                               ConstraintSet& CS, VectorNd& QDotPlus) {
  shock("ComputeConstraintImpulsesRangeSpaceSparse", model, Q, QDotMinus, CS, QDotPlus);
}
void ComputeConstraintImpulsesNullSpace(Model& model, const VectorNd& Q, const VectorNd& QDotMinus, ConstraintSet& CS,
                                        VectorNd& QDotPlus) {
  shock("ComputeConstraintImpulsesNullSpace", model, Q, QDotMinus, CS, QDotPlus);
}

void InverseDynamicsConstraints(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& QDDotDesired,
                                ConstraintSet& CS, VectorNd& QDDotOutput, VectorNd& TauOutput, bool update_kinematics,
                                Wrenches* f_ext) {
  const char* const function = "InverseDynamicsConstraints";
  inverse(function, model, Q, QDot, QDDotDesired, CS, 0, update_kinematics, f_ext,
          [&](Bound& bound, Robot& robot, const zwang::InverseSolution& solution) {
            if (!solution.report.fully_actuated())
              throw Errors::RBDLError(
                  "InverseDynamicsConstraints: the motors and the rows do not determine every acceleration: "
                  "InverseDynamicsConstraintsRelaxed, or zwang's ConstrainedInverseDynamics");
            robot.from_model(function, "the size of QDDotOutput", solution.acceleration, QDDotOutput);
            robot.from_model(function, "the size of TauOutput", solution.tau, TauOutput);
            bound.rows_from(solution.multipliers, CS.force);
          });
}

void InverseDynamicsConstraintsRelaxed(Model& model, const VectorNd& Q, const VectorNd& QDot,
                                       const VectorNd& QDDotDesired, ConstraintSet& CS, VectorNd& QDDotOutput,
                                       VectorNd& TauOutput, bool update_kinematics, Wrenches* f_ext) {
  const char* const function = "InverseDynamicsConstraintsRelaxed";
  inverse(function, model, Q, QDot, QDDotDesired, CS, 100, update_kinematics, f_ext,
          [&](Bound& bound, Robot& robot, const zwang::InverseSolution& solution) {
            robot.from_model(function, "the size of QDDotOutput", solution.acceleration, QDDotOutput);
            robot.from_model(function, "the size of TauOutput", solution.tau, TauOutput);
            bound.rows_from(solution.multipliers, CS.force);
          });
}

bool isConstrainedSystemFullyActuated(Model& model, const VectorNd& Q, const VectorNd& QDot, ConstraintSet& CS,
                                      bool update_kinematics, Wrenches* f_ext) {
  const char* const function = "isConstrainedSystemFullyActuated";
  Bound& bound = CS.kept.of(model, CS);
  const Robot& robot = bound.at(function, model, Q, &QDot, update_kinematics);
  bound.externals(function, f_ext);  // their number; the answer does not depend on them
  return zwang::is_fully_actuated(bound.model, bound.set, bound.q, motors_of(function, CS, bound, robot));
}

}  // namespace RigidBodyDynamics
