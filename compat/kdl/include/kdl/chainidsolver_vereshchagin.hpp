// SPDX-License-Identifier: BSD-3-Clause
// The name that the hybrid solver had before KDL 1.5.
#pragma once
#include "chainhdsolver_vereshchagin.hpp"

namespace KDL {

class ChainIdSolver_Vereshchagin : public ChainHdSolver_Vereshchagin {
 public:
  ChainIdSolver_Vereshchagin(const Chain& chain, const Twist& root_acc, const unsigned int nc)
      : ChainHdSolver_Vereshchagin(chain, root_acc, nc) {}

  using ChainHdSolver_Vereshchagin::CartToJnt;
  /// The form of KDL 1.4: torques are the feed-forward ones before the call, those of the constraint after it.
  int CartToJnt(const JntArray& q, const JntArray& q_dot, JntArray& q_dotdot, const Jacobian& alfa,
                const JntArray& beta, const Wrenches& f_ext, JntArray& torques) {
    return CartToJnt(q, q_dot, q_dotdot, alfa, beta, f_ext, torques, torques);
  }
};

}  // namespace KDL
