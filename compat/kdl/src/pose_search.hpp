// SPDX-License-Identifier: BSD-3-Clause
// PoseSearch: zwang's search for joint values, for the tip of a chain and limits of KDL's joints.
#pragma once
#include <optional>
#include <zwang/algorithm/serial_inverse_kinematics.hpp>

#include "robot.hpp"

namespace KDL::detail {

class PoseSearch {
 public:
  explicit PoseSearch(const Chain& chain);
  PoseSearch(const PoseSearch& other);
  /// Without limits where both are empty. Allocates.
  void rebuild(const JntArray& q_min = JntArray(), const JntArray& q_max = JntArray());
  /// True: q_out brings the tip to p_in to 1e-8 m and rad, within the limits.
  bool solve(const JntArray& q_init, const Frame& p_in, JntArray& q_out);

 private:
  void renew();
  Robot robot_;
  JntArray q_min_, q_max_;
  unsigned int version_ = 0;
  std::optional<zwang::Model> limited_;
  std::optional<zwang::SerialInverseKinematics> search_;
};

}  // namespace KDL::detail
