// SPDX-License-Identifier: BSD-3-Clause
// Joints written in Python: an object that gives pose, columns and rates becomes a UserJoint, whose functions call it.
//
// A UserJoint is a table of plain functions, which know their joint by its parameters: the only one of such a joint is
// its number in the list of those that live (user_joints.cpp). The functions take the GIL, so that they may be called
// while the caller has released it, but no thread pool may call them: a caller that holds the GIL while it waits for
// the pool would wait for ever, and a joint may rely on being called by the thread of the call. What computes in lanes
// or on threads refuses such a model by refuse_python_joints(); Call::run and simulate take states one by one.
#pragma once
#include "bind.hpp"
#include "zwang/model/description.hpp"

namespace zwang::python {

/// Makes the joint one of the type that a Python object describes. Throws where the object lacks what it must have.
void take_python_joint(JointDescription& joint, nb::handle given);

}  // namespace zwang::python
