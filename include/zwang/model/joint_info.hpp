// SPDX-License-Identifier: BSD-3-Clause
// Properties of a joint type by its name, for ordinary code. The definition reads the list of model/joint_types.hpp.
#pragma once
#include <string>
#include <vector>

namespace zwang {

struct JointTypeInfo {
  const char* name;
  int nq, nv;             ///< numbers in its configuration and velocity
  bool has_axis;          ///< it turns or slides about the axis of the description
  int parameters;         ///< numbers it needs besides: pitch, radii
  int kind = -1;          ///< position in the list JointTypes
  bool additive = false;  ///< q + dq: limits and springs have a meaning per coordinate
  int angles = 0;         ///< bit i: q[i] is an angle whose sine and cosine are wanted
  int unit = 0;           ///< bit i: q[i] belongs to a unit quaternion or a unit circle and knows no limits
};

/// The type of that name, or nullptr. `fixed`, `continuous`, `composite` and user-defined joints are not in the list.
const JointTypeInfo* find_joint_type(const std::string& name);
/// Every name that find_joint_type knows, in the order of the list.
std::vector<std::string> joint_type_names();

}  // namespace zwang
