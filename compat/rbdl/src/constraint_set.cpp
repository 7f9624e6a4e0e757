// SPDX-License-Identifier: BSD-3-Clause
#include "bound.hpp"

namespace RigidBodyDynamics {

using Math::SpatialTransform;
using Math::SpatialVector;
using Math::Vector3d;

unsigned int ConstraintSet::add_row(Group group, const SpatialVector& axis, const char* row_name) {
  const unsigned int row = static_cast<unsigned int>(size());
  const std::string called = row_name != nullptr ? row_name : "";
  const auto is_same = [&](const Group& g) {
    return g.custom == group.custom && g.type == group.type && g.user_id == group.user_id && g.body == group.body &&
           g.other == group.other && g.point == group.point && g.X.E == group.X.E && g.X.r == group.X.r &&
           g.Y.E == group.Y.E && g.Y.r == group.Y.r && g.baumgarte == group.baumgarte && g.T_stab == group.T_stab;
  };
  Group* into = nullptr;
  for (Group& g : groups)
    if (is_same(g)) into = &g;
  if (into == nullptr) {
    group.name = called;
    groups.push_back(group);
    into = &groups.back();
  }
  into->rows.push_back(row);
  into->axes.push_back(axis);
  name.push_back(called);
  for (Math::VectorNd* vector : {&force, &impulse, &v_plus}) {
    vector->conservativeResize(row + 1);
    (*vector)[row] = 0;
  }
  bound = false;
  kept.drop();
  return row;
}

unsigned int ConstraintSet::AddContactConstraint(unsigned int body_id, const Vector3d& body_point,
                                                 const Vector3d& world_normal, const char* constraint_name,
                                                 unsigned int user_defined_id) {
  if (!(std::fabs(world_normal.norm() - 1) < 1e-3))
    throw Errors::RBDLInvalidParameterError("AddContactConstraint: the normal has the length " +
                                            std::to_string(world_normal.norm()) + ", expected a unit vector");
  SpatialVector axis;
  axis << Vector3d::Zero(), world_normal.normalized();
  return add_row({ConstraintTypeContact, "", user_defined_id, body_id, 0, body_point, {}, {}, {}, {}, false, 0}, axis,
                 constraint_name);
}

unsigned int ConstraintSet::AddLoopConstraint(unsigned int id_predecessor, unsigned int id_successor,
                                              const SpatialTransform& X_predecessor,
                                              const SpatialTransform& X_successor, const SpatialVector& axis,
                                              bool enable_baumgarte, double T_stab, const char* constraint_name,
                                              unsigned int user_defined_id) {
  if (!(T_stab > 0)) throw Errors::RBDLInvalidParameterError("AddLoopConstraint: T_stab must be greater than 0");
  return add_row({ConstraintTypeLoop,
                  "",
                  user_defined_id,
                  id_predecessor,
                  id_successor,
                  Vector3d::Zero(),
                  X_predecessor,
                  X_successor,
                  {},
                  {},
                  enable_baumgarte,
                  T_stab},
                 axis, constraint_name);
}

unsigned int ConstraintSet::AddCustomConstraint(std::shared_ptr<Constraint> custom) {
  if (custom == nullptr || custom->getConstraintSize() == 0)
    throw Errors::RBDLInvalidParameterError("AddCustomConstraint: the constraint is null or has no rows");
  for (const Group& group : groups)
    if (group.custom == custom) throw Errors::RBDLInvalidParameterError("AddCustomConstraint: it is there already");
  custom->setConstraintIndex(static_cast<unsigned int>(size()));
  unsigned int row = 0;
  for (unsigned int k = 0; k < custom->getConstraintSize(); ++k)
    row = add_row({ConstraintTypeCustom,
                   "",
                   custom->getUserDefinedId(),
                   0,
                   0,
                   Vector3d::Zero(),
                   {},
                   {},
                   {},
                   {},
                   custom->isBaumgarteStabilizationEnabled(),
                   custom->getBaumgarteTimeConstant(),
                   custom},
                  Math::SpatialVectorZero, custom->getName().c_str());
  return row;
}

ConstraintSet ConstraintSet::Copy() const {
  ConstraintSet out = *this;
  out.bound = false;
  return out;
}

bool ConstraintSet::Bind(Model& model) {
  bound = true;
  try {
    kept.drop();
    kept.of(model, *this);
  } catch (...) {
    bound = false;
    throw;
  }
  const long m = static_cast<long>(size()), n = model.dof_count;
  H.setZero(n, n);
  G.setZero(m, n);
  C.setZero(n);
  for (Math::VectorNd* vector : {&gamma, &err, &errd}) vector->setZero(m);
  return true;
}

void ConstraintSet::clear() {
  force.setZero();
  impulse.setZero();
}

void ConstraintSet::SetActuationMap(const Model& model, const std::vector<bool>& actuated_dof) {
  detail::check_size("SetActuationMap", "the size of the map", static_cast<long>(actuated_dof.size()), model.dof_count);
  actuated = actuated_dof;
}

const ConstraintSet::Group& ConstraintSet::group_at(const char* function, unsigned int group) const {
  if (group >= groups.size())
    throw Errors::RBDLInvalidParameterError(std::string(function) + ": there is no group " + std::to_string(group));
  return groups[group];
}
unsigned int ConstraintSet::getGroupIndexByAssignedId(unsigned int assigned_id) const {
  for (unsigned int g = 0; g < groups.size(); ++g)
    for (unsigned int row : groups[g].rows)
      if (row == assigned_id) return g;
  throw Errors::RBDLInvalidParameterError("getGroupIndexByAssignedId: no constraint has the id " +
                                          std::to_string(assigned_id));
}
unsigned int ConstraintSet::getGroupIndexByName(const char* constraint_name) const {
  for (unsigned int row = 0; row < name.size(); ++row)
    if (name[row] == constraint_name) return getGroupIndexByAssignedId(row);
  throw Errors::RBDLInvalidParameterError(std::string("getGroupIndexByName: no constraint is named ") +
                                          constraint_name);
}
unsigned int ConstraintSet::getGroupIndexById(unsigned int user_defined_id) const {
  for (unsigned int g = 0; g < groups.size(); ++g)
    if (groups[g].user_id == user_defined_id) return g;
  throw Errors::RBDLInvalidParameterError("getGroupIndexById: no constraint has the id " +
                                          std::to_string(user_defined_id));
}
const char* ConstraintSet::getGroupName(unsigned int group) const {
  return group_at("getGroupName", group).name.c_str();
}
unsigned int ConstraintSet::getGroupSize(unsigned int group) const {
  return static_cast<unsigned int>(group_at("getGroupSize", group).rows.size());
}
unsigned int ConstraintSet::getGroupType(unsigned int group) const { return group_at("getGroupType", group).type; }
unsigned int ConstraintSet::getGroupId(unsigned int group) const { return group_at("getGroupId", group).user_id; }
unsigned int ConstraintSet::getGroupAssignedId(unsigned int group) const {
  return group_at("getGroupAssignedId", group).rows.back();
}
static void take_rows(const std::vector<unsigned int>& rows, const Math::VectorNd& all, Math::VectorNd& out) {
  out.resize(static_cast<long>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) out[static_cast<long>(k)] = all[rows[k]];
}
void ConstraintSet::calcPositionError(unsigned int group, Model& model, const Math::VectorNd& Q, Math::VectorNd& posErr,
                                      bool updateKinematics) {
  group_at("calcPositionError", group);
  CalcConstraintsPositionError(model, Q, *this, err, updateKinematics);
  take_rows(groups[group].rows, err, posErr);
}
void ConstraintSet::calcVelocityError(unsigned int group, Model& model, const Math::VectorNd& Q,
                                      const Math::VectorNd& QDot, Math::VectorNd& velErr, bool updateKinematics) {
  group_at("calcVelocityError", group);
  CalcConstraintsVelocityError(model, Q, QDot, *this, errd, updateKinematics);
  take_rows(groups[group].rows, errd, velErr);
}
void ConstraintSet::getBaumgarteStabilizationCoefficients(unsigned int group, Math::Vector2d& coefficients) const {
  const Group& g = group_at("getBaumgarteStabilizationCoefficients", group);
  coefficients.setConstant(g.time_constant() > 0 ? 1 / g.time_constant() : 0);
}
void ConstraintSet::enableBaumgarteStabilization(unsigned int group) {
  if (group_at("enableBaumgarteStabilization", group).type == ConstraintTypeContact)
    throw Errors::RBDLMissingImplementationError(
        "enableBaumgarteStabilization: a contact has no error of position here: zwang's ContactConstraint with a "
        "target_point has one");
  set_feedback(group, true);
}
void ConstraintSet::disableBaumgarteStabilization(unsigned int group) {
  group_at("disableBaumgarteStabilization", group);
  set_feedback(group, false);
}
void ConstraintSet::set_feedback(unsigned int group, bool on) {
  Group& g = groups[group];
  if (g.custom != nullptr) g.custom->setEnableBaumgarteStabilization(on);
  g.baumgarte = on;
}
bool ConstraintSet::isBaumgarteStabilizationEnabled(unsigned int group) const {
  return group_at("isBaumgarteStabilizationEnabled", group).has_feedback();
}

}  // namespace RigidBodyDynamics
