// SPDX-License-Identifier: BSD-3-Clause
#include "turning_axes.hpp"

#include "zwang/algorithm/kinematics.hpp"

namespace zwang::python {

Eigen::MatrixXd by_turning_axes(const Model& model, Data& data, const Externals& external, FrameId axes,
                                const Eigen::VectorXd& q) {
  const Index nv = model.nv();
  constexpr Reference reference = Reference::local_world_aligned;
  Eigen::MatrixXd at_frame(6, nv), of_axes(6, nv), turned(6, nv), out = Eigen::MatrixXd::Zero(nv, nv);
  jacobian(model, data, q, axes, reference, of_axes);
  for (const ExternalWrench& e : external) {
    for (Index k = 0; k < nv; ++k) {
      const Vec3<double> turn{of_axes(3, k), of_axes(4, k), of_axes(5, k)};
      turned.col(k).head(3) = cross(turn, Vec3<double>{e.wrench[0], e.wrench[1], e.wrench[2]}).eigen();
      turned.col(k).tail(3) = cross(turn, Vec3<double>{e.wrench[3], e.wrench[4], e.wrench[5]}).eigen();
    }
    jacobian(model, data, q, e.frame, reference, at_frame);
    out += at_frame.transpose() * turned;
  }
  return out;
}

}  // namespace zwang::python
