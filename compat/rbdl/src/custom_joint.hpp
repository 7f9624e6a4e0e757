// SPDX-License-Identifier: BSD-3-Clause
// A CustomJoint of RBDL as a user's joint of zwang, for the scalar double alone.
//
// zwang's functions of joints know their coordinates and parameters, and nothing of the model: the one parameter is the
// address of a ProgramJoint, an integer below 2^53, which a double holds exactly.
#pragma once
#include <rbdl/Model.h>
#include <zwang/model/description.hpp>

namespace RigidBodyDynamics::detail {

/// What a joint's functions need: its model, and Q and QDot with the joint's numbers alone.
struct ProgramJoint {
  ProgramJoint(Model& model, unsigned int joint)
      : source(&model),
        id(joint),
        Q(Math::VectorNd::Zero(model.q_size)),
        QDot(Math::VectorNd::Zero(model.qdot_size)) {}
  CustomJoint& joint() const { return *source->mCustomJoints[source->mJoints[id].custom_joint_index]; }

  Model* source;
  unsigned int id;
  Math::VectorNd Q, QDot;
};

/// Type, functions and parameters of the joint, which lives as long as the models made of the description.
void describe(ProgramJoint& joint, zwang::JointDescription& out);

}  // namespace RigidBodyDynamics::detail
