// SPDX-License-Identifier: BSD-3-Clause
#include "chain_velocity.hpp"

namespace KDL::detail {

ChainVelocity::ChainVelocity(const Chain& chain) : robot(chain) { rebuild(); }

void ChainVelocity::rebuild() {
  robot.rebuild();
  svd.resize(6, robot.joints());
  jacobian.setZero(6, robot.joints());
}

int ChainVelocity::move(const JntArray& q, const JntArray& out, const Twist& v) {
  if (const int code = robot.refresh(); code != SolverI::E_NOERROR) return code;
  if (q.rows() != robot.joints() || out.rows() != robot.joints()) return SolverI::E_SIZE_MISMATCH;
  if (!vector_of(v).allFinite()) return SolverI::E_UNDEFINED;
  if (robot.segments() == 0) return SolverI::E_NOERROR;
  robot.motions_to(q, robot.q);
  const int code = code_of(zwang::try_jacobian(robot.model(), robot.data(), robot.q, robot.tip(robot.segments() - 1),
                                               zwang::Reference::local_world_aligned, robot.jacobian));
  if (code != SolverI::E_NOERROR) return code;
  for (unsigned int j = 0; j < robot.joints(); ++j)
    jacobian.col(j) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
  return code;
}

int ChainVelocity::decompose(int max_sweeps) {
  return svd.decompose(max_sweeps) ? SolverI::E_NOERROR : SolverI::E_SVD_FAILED;
}

unsigned int ChainVelocity::lost(double eps) const {
  unsigned int out = 0;
  for (Eigen::Index i = 0; i < svd.count(); ++i) out += svd.value(i) < eps || svd.value(i) == 0;
  return out;
}

}  // namespace KDL::detail
