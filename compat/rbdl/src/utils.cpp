// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/rbdl_utils.h>

#include <zwang/algorithm/quantities.hpp>
#include <zwang/algorithm/zero_moment_point.hpp>

#include "robot.hpp"

namespace RigidBodyDynamics {
namespace Utils {

using detail::from;
using detail::Robot;
using Math::Vector3d;
using Math::VectorNd;

namespace {

Robot& at(const char* function, Model& model, bool update, const VectorNd& q, const VectorNd* qdot = nullptr,
          const VectorNd* qddot = nullptr) {
  Robot& robot = model.kept.of(model);
  if (update) robot.set(function, q, qdot, qddot);
  robot.read_gravity();
  return robot;
}

}  // namespace

void CalcCenterOfMass(Model& model, const VectorNd& q, const VectorNd& qdot, const VectorNd* qddot, double& mass,
                      Vector3d& com, Vector3d* com_velocity, Vector3d* com_acceleration, Vector3d* angular_momentum,
                      Vector3d* change_of_angular_momentum, bool update_kinematics) {
  if (qddot == nullptr && (com_acceleration != nullptr || change_of_angular_momentum != nullptr))
    throw Errors::RBDLInvalidParameterError("CalcCenterOfMass: an acceleration is asked for and qddot is null");
  Robot& robot = at("CalcCenterOfMass", model, update_kinematics, q, &qdot, qddot);
  mass = robot.moving_mass();
  com = from(zwang::centre_of_mass(robot.model, robot.scratch, robot.q));
  if (com_velocity != nullptr)
    *com_velocity = from(zwang::centre_of_mass_velocity(robot.model, robot.scratch, robot.q, robot.v));
  if (com_acceleration != nullptr)
    *com_acceleration = from(zwang::centre_of_mass_acceleration(robot.model, robot.scratch, robot.q, robot.v, robot.a));
  if (angular_momentum != nullptr)
    *angular_momentum = from(zwang::centroidal_momentum(robot.model, robot.scratch, robot.q, robot.v).n);
  if (change_of_angular_momentum != nullptr)
    *change_of_angular_momentum =
        from(zwang::centroidal_momentum_rate(robot.model, robot.scratch, robot.q, robot.v, robot.a).n);
}

double CalcPotentialEnergy(Model& model, const VectorNd& q, bool update_kinematics) {
  Robot& robot = at("CalcPotentialEnergy", model, update_kinematics, q);
  return zwang::potential_energy(robot.model, robot.scratch, robot.q);
}

double CalcKineticEnergy(Model& model, const VectorNd& q, const VectorNd& qdot, bool update_kinematics) {
  Robot& robot = at("CalcKineticEnergy", model, update_kinematics, q, &qdot);
  return zwang::kinetic_energy(robot.model, robot.scratch, robot.q, robot.v);
}

void CalcZeroMomentPoint(Model& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& qddot, Vector3d* zmp,
                         const Vector3d& normal, const Vector3d& point, bool update_kinematics) {
  if (zmp == nullptr) throw Errors::RBDLInvalidParameterError("CalcZeroMomentPoint: zmp is null");
  if (!(normal.norm() > 0)) throw Errors::RBDLInvalidParameterError("CalcZeroMomentPoint: normal is zero");
  double mass = 0;
  Vector3d com, acceleration, moment;
  CalcCenterOfMass(model, q, qdot, &qddot, mass, com, nullptr, &acceleration, nullptr, &moment, update_kinematics);
  // The ground's wrench about the centre of mass.
  const Vector3d force = mass * (acceleration - model.gravity);
  const auto given = [](const Vector3d& x) { return zwang::Vec3<double>{x.x(), x.y(), x.z()}; };
  *zmp = from(zwang::centre_of_pressure({given(force), given(moment)}, given(com), given(normal), given(point)).point);
}

std::string GetDofName(const Math::SpatialVector& joint_dof) {
  const char* const names[6] = {"RX", "RY", "RZ", "TX", "TY", "TZ"};
  for (int k = 0; k < 6; ++k)
    if (joint_dof == Math::SpatialVector(Math::SpatialVector::Unit(k))) return names[k];
  return "custom";
}

std::string GetBodyName(const Model& model, unsigned int body_id) {
  if (body_id >= model.mBodies.size() || !model.mBodies[body_id].mIsVirtual) return model.GetBodyName(body_id);
  unsigned int behind = body_id;  // a body between the axes of a joint has one child
  while (model.mBodies[behind].mIsVirtual && model.mu[behind].size() == 1) behind = model.mu[behind][0];
  return model.GetBodyName(behind);
}

namespace {

std::string coordinate_name(const Joint& joint, unsigned int k) {
  if (!joint.mJointAxes.empty()) return GetDofName(joint.mJointAxes[k]);
  const char* const words[] = {"EulerZYX", "EulerXYZ", "EulerYXZ", "EulerZXY"};
  const char* const axes[] = {"ZYX", "XYZ", "YXZ", "ZXY"};
  if (joint.mJointType >= JointTypeEulerZYX && joint.mJointType <= JointTypeEulerZXY) {
    const int which = joint.mJointType - JointTypeEulerZYX;
    return std::string(words[which]) + " R" + axes[which][k];
  }
  return std::string(joint.mJointType == JointTypeTranslationXYZ ? "T" : "Spherical ") + "XYZ"[k];
}
void write_below(const Model& model, unsigned int id, std::size_t depth, std::string& out) {
  const std::string name = GetBodyName(model, id);
  out += std::string(2 * depth, ' ') + (id == 0 ? "ROOT" : name.empty() ? "body " + std::to_string(id) : name) + "\n";
  for (std::size_t k = 0; k < model.mFixedBodies.size(); ++k)
    if (model.mFixedBodies[k].mMovableParent == id)
      out += std::string(2 * depth + 2, ' ') +
             model.GetBodyName(model.fixed_body_discriminator + static_cast<unsigned int>(k)) + " [fixed]\n";
  for (unsigned int child : model.mu[id]) write_below(model, child, depth + 1, out);
}

}  // namespace

std::string GetModelDOFOverview(const Model& model) {
  std::string out;
  for (unsigned int i = 1; i < model.mBodies.size(); ++i)
    for (unsigned int k = 0; k < model.mJoints[i].mDoFCount; ++k)
      out += std::to_string(model.mJoints[i].q_index + k) + ": " + GetBodyName(model, i) + "_" +
             coordinate_name(model.mJoints[i], k) + "\n";
  return out;
}

std::string GetModelHierarchy(const Model& model) {
  std::string out;
  write_below(model, 0, 0, out);
  return out;
}

}  // namespace Utils
}  // namespace RigidBodyDynamics
