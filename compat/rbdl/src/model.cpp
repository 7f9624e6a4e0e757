// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/Model.h>

#include <limits>

#include "robot.hpp"

namespace RigidBodyDynamics {

using Math::SpatialTransform;
using Math::Vector3d;

Model::Model() : fixed_body_discriminator(std::numeric_limits<unsigned int>::max() / 2) {
  lambda = {0};
  mu.resize(1);
  mJoints.resize(1);
  X_T.resize(1);
  multdof3_w_index = {0};
  mBodies.resize(1);
  I.resize(1);
  X_lambda.resize(1);
  X_base.resize(1);
  v.assign(1, Math::SpatialVectorZero);
  a.assign(1, Math::SpatialVectorZero);
  lambda_q = {0};
  X_J.resize(1);
  v_J.assign(1, Math::SpatialVectorZero);
  c_J.assign(1, Math::SpatialVectorZero);
  mBodyNameMap["ROOT"] = 0;
}

void Model::check_id(const char* function, unsigned int id) const {
  if (id != 0 && !IsBodyId(id))
    throw Errors::RBDLInvalidParameterError(std::string(function) + ": there is no body with the id " +
                                            std::to_string(id));
}

void Model::name_body(unsigned int id, const std::string& name) {
  if (name.empty()) return;
  if (!mBodyNameMap.emplace(name, id).second)
    throw Errors::RBDLInvalidParameterError("AddBody: there is a body named " + name + " already");
}

/// Where coordinates stand: those of velocities in the order of bodies, then a w for each spherical joint.
void Model::count_coordinates() {
  dof_count = 0;
  for (std::size_t i = 1; i < mJoints.size(); ++i) {
    mJoints[i].q_index = dof_count;
    dof_count += mJoints[i].mDoFCount;
  }
  lambda_q.assign(1, 0);
  for (std::size_t i = 1; i < mJoints.size(); ++i) {
    const Joint& before = mJoints[lambda[i]];
    for (unsigned int k = 0; k < mJoints[i].mDoFCount; ++k)
      lambda_q.push_back(k > 0 ? mJoints[i].q_index + k : before.q_index + before.mDoFCount);
  }
  q_size = qdot_size = dof_count;
  for (std::size_t i = 1; i < mJoints.size(); ++i)
    multdof3_w_index[i] = mJoints[i].mJointType == JointTypeSpherical ? q_size++ : 0;
}

unsigned int Model::add_movable(unsigned int parent, const SpatialTransform& frame, const Joint& joint,
                                const Body& body, const std::string& name) {
  const unsigned int id = static_cast<unsigned int>(mBodies.size());
  if (joint.mJointType == JointTypeHelical) {
    const Vector3d turn = joint.mJointAxes[0].head<3>(), slide = joint.mJointAxes[0].tail<3>();
    if ((Math::VectorCrossMatrix(turn) * slide).norm() > 1e-12 * slide.norm())
      throw Errors::RBDLMissingImplementationError(
          "AddBody: a helical joint that moves across its axis is not served: put its frame on the screw's axis");
  }
  name_body(id, name);
  SpatialTransform at = frame;
  if (parent >= fixed_body_discriminator) {
    const FixedBody& fixed = mFixedBodies[parent - fixed_body_discriminator];
    at = frame * fixed.mParentTransform;
    parent = fixed.mMovableParent;
  }
  lambda.push_back(parent);
  mu.emplace_back();
  mu[parent].push_back(id);
  X_T.push_back(at);
  mJoints.push_back(joint);
  multdof3_w_index.push_back(0);
  mBodies.push_back(body);
  I.push_back(Math::SpatialRigidBodyInertia::createFromMassComInertiaC(body.mMass, body.mCenterOfMass, body.mInertia));
  X_lambda.push_back(at);
  X_base.push_back(at * X_base[parent]);
  v.push_back(Math::SpatialVectorZero);
  a.push_back(Math::SpatialVectorZero);
  X_J.emplace_back();
  v_J.push_back(Math::SpatialVectorZero);
  c_J.push_back(Math::SpatialVectorZero);
  count_coordinates();
  kept.drop();
  return previously_added_body_id = id;
}

unsigned int Model::add_fixed(unsigned int parent, const SpatialTransform& frame, const Body& body,
                              const std::string& name) {
  const unsigned int id = fixed_body_discriminator + static_cast<unsigned int>(mFixedBodies.size());
  name_body(id, name);
  FixedBody fixed = FixedBody::CreateFromBody(body);
  fixed.mMovableParent = parent;
  fixed.mParentTransform = frame;
  if (parent >= fixed_body_discriminator) {
    const FixedBody& carrier = mFixedBodies[parent - fixed_body_discriminator];
    fixed.mMovableParent = carrier.mMovableParent;
    fixed.mParentTransform = frame * carrier.mParentTransform;
  }
  mBodies[fixed.mMovableParent].Join(fixed.mParentTransform, body);
  mFixedBodies.push_back(fixed);
  changed(fixed.mMovableParent);
  return previously_added_body_id = id;
}

unsigned int Model::AddBody(unsigned int parent_id, const SpatialTransform& joint_frame, const Joint& joint,
                            const Body& body, std::string body_name) {
  check_id("AddBody", parent_id);
  if (joint.mJointType == JointTypeUndefined) throw Errors::RBDLInvalidParameterError("AddBody: the joint has no type");
  if (joint.mJointType == JointTypeFixed) return add_fixed(parent_id, joint_frame, body, body_name);

  std::vector<Joint> parts;
  if (joint.mJointType == JointTypeFloatingBase) {
    parts = {Joint(JointTypeTranslationXYZ), Joint(JointTypeSpherical)};
  } else if (joint.mJointType >= JointType1DoF && joint.mJointType <= JointType6DoF) {
    for (const Math::SpatialVector& axis : joint.mJointAxes) parts.emplace_back(axis);
  } else {
    parts = {joint};
  }
  if (mBodyNameMap.count(body_name) != 0)  // before anything is added
    throw Errors::RBDLInvalidParameterError("AddBody: there is a body named " + body_name + " already");
  Body between;
  between.mIsVirtual = true;
  unsigned int id = parent_id;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool is_last = k + 1 == parts.size();
    id = add_movable(id, k == 0 ? joint_frame : SpatialTransform(), parts[k], is_last ? body : between,
                     is_last ? body_name : std::string());
  }
  return id;
}

unsigned int Model::AddBodyCustomJoint(unsigned int parent_id, const SpatialTransform& joint_frame,
                                       CustomJoint* custom_joint, const Body& body, std::string body_name) {
  check_id("AddBodyCustomJoint", parent_id);
  if (custom_joint == nullptr || custom_joint->mDoFCount < 1 || custom_joint->mDoFCount > 6)
    throw Errors::RBDLInvalidParameterError("AddBodyCustomJoint: the joint is null, or mDoFCount is not one of 1 to 6");
  Joint joint;
  joint.mJointType = JointTypeCustom;
  joint.mDoFCount = custom_joint->mDoFCount;
  joint.custom_joint_index = static_cast<unsigned int>(mCustomJoints.size());
  mCustomJoints.push_back(custom_joint);
  return add_movable(parent_id, joint_frame, joint, body, body_name);
}

unsigned int Model::AppendBody(const SpatialTransform& joint_frame, const Joint& joint, const Body& body,
                               std::string body_name) {
  return AddBody(previously_added_body_id, joint_frame, joint, body, std::move(body_name));
}

unsigned int Model::GetBodyId(const char* body_name) const {
  const auto found = mBodyNameMap.find(body_name);
  return found != mBodyNameMap.end() ? found->second : std::numeric_limits<unsigned int>::max();
}
std::string Model::GetBodyName(unsigned int body_id) const {
  for (const auto& [name, id] : mBodyNameMap)
    if (id == body_id) return name;
  return "";
}
bool Model::IsFixedBodyId(unsigned int body_id) const {
  return body_id >= fixed_body_discriminator && body_id - fixed_body_discriminator < mFixedBodies.size();
}
bool Model::IsBodyId(unsigned int id) const { return (id > 0 && id < mBodies.size()) || IsFixedBodyId(id); }

unsigned int Model::GetParentBodyId(unsigned int id) const {
  check_id("GetParentBodyId", id);
  if (IsFixedBodyId(id)) return mFixedBodies[id - fixed_body_discriminator].mMovableParent;
  unsigned int parent = lambda[id];
  while (mBodies[parent].mIsVirtual) parent = lambda[parent];
  return parent;
}

/// The first of the bodies of a joint with several axes whose last body has this id.
static unsigned int first_of(const Model& model, unsigned int id) {
  while (model.mBodies[model.lambda[id]].mIsVirtual) id = model.lambda[id];
  return id;
}
SpatialTransform Model::GetJointFrame(unsigned int id) const {
  check_id("GetJointFrame", id);
  if (IsFixedBodyId(id)) return mFixedBodies[id - fixed_body_discriminator].mParentTransform;
  return X_T[first_of(*this, id)];
}
void Model::SetJointFrame(unsigned int id, const SpatialTransform& transform) {
  check_id("SetJointFrame", id);
  if (IsFixedBodyId(id))
    throw Errors::RBDLMissingImplementationError(
        "SetJointFrame: the frame of a fixed body cannot be changed: its mass is part of the body that carries it");
  X_T[first_of(*this, id)] = transform;
  kept.drop();
}

Math::Quaternion Model::GetQuaternion(unsigned int body_id, const Math::VectorNd& Q) const {
  check_id("GetQuaternion", body_id);
  detail::check_size("GetQuaternion", "the size of Q", Q.size(), q_size);
  if (IsFixedBodyId(body_id) || mJoints[body_id].mJointType != JointTypeSpherical)
    throw Errors::RBDLDofMismatchError("GetQuaternion: the body has no spherical joint");
  const unsigned int q = mJoints[body_id].q_index;
  return {Q[q], Q[q + 1], Q[q + 2], Q[multdof3_w_index[body_id]]};
}
void Model::SetQuaternion(unsigned int body_id, const Math::Quaternion& quat, Math::VectorNd& Q) const {
  GetQuaternion(body_id, Q);  // checks
  const unsigned int q = mJoints[body_id].q_index;
  for (unsigned int k = 0; k < 3; ++k) Q[q + k] = quat[k];
  Q[multdof3_w_index[body_id]] = quat[3];
}

void Model::changed(unsigned int movable) {
  const Body& body = mBodies[movable];
  I[movable] = Math::SpatialRigidBodyInertia::createFromMassComInertiaC(body.mMass, body.mCenterOfMass, body.mInertia);
  kept.drop();
}

double Model::GetBodyMass(unsigned int id) const {
  check_id("GetBodyMass", id);
  return IsFixedBodyId(id) ? mFixedBodies[id - fixed_body_discriminator].mMass : mBodies[id].mMass;
}
void Model::SetBodyInertialParameters(unsigned int id, double mass, const Math::Matrix3d& inertia,
                                      const Vector3d& com) {
  check_id("SetBodyInertialParameters", id);
  const Body body(mass, com, inertia);
  if (!IsFixedBodyId(id)) {
    const bool is_virtual = mBodies[id].mIsVirtual;
    mBodies[id] = body;
    mBodies[id].mIsVirtual = is_virtual;
    changed(id);
    return;
  }
  FixedBody& fixed = mFixedBodies[id - fixed_body_discriminator];
  Body& carrier = mBodies[fixed.mMovableParent];
  carrier.Separate(fixed.mParentTransform, Body(fixed.mMass, fixed.mCenterOfMass, fixed.mInertia));
  carrier.Join(fixed.mParentTransform, body);
  fixed.mMass = mass;
  fixed.mCenterOfMass = com;
  fixed.mInertia = inertia;
  changed(fixed.mMovableParent);
}
static Body body_of(const Model& model, unsigned int id) {
  if (!model.IsFixedBodyId(id)) return model.mBodies[id];
  const FixedBody& fixed = model.mFixedBodies[id - model.fixed_body_discriminator];
  return {fixed.mMass, fixed.mCenterOfMass, fixed.mInertia};
}
void Model::SetBodyMass(unsigned int id, double mass) {
  check_id("SetBodyMass", id);
  const Body body = body_of(*this, id);
  SetBodyInertialParameters(id, mass, body.mInertia, body.mCenterOfMass);
}
void Model::SetBodyInertia(unsigned int id, const Math::Matrix3d& inertia) {
  check_id("SetBodyInertia", id);
  const Body body = body_of(*this, id);
  SetBodyInertialParameters(id, body.mMass, inertia, body.mCenterOfMass);
}
void Model::SetBodyCenterOfMass(unsigned int id, const Vector3d& com) {
  check_id("SetBodyCenterOfMass", id);
  const Body body = body_of(*this, id);
  SetBodyInertialParameters(id, body.mMass, body.mInertia, com);
}

}  // namespace RigidBodyDynamics
