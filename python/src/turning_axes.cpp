// SPDX-License-Identifier: BSD-3-Clause
#include "turning_axes.hpp"

#include "zwang/algorithm/quantities.hpp"

namespace zwang::python {

Eigen::MatrixXd turned_wrench(const ExternalWrench& e, const Eigen::MatrixXd& turns) {
  Eigen::MatrixXd turned(6, turns.cols());
  for (Eigen::Index k = 0; k < turns.cols(); ++k) {
    const Vec3<double> turn{turns(0, k), turns(1, k), turns(2, k)};
    turned.col(k).head(3) = cross(turn, Vec3<double>{e.wrench[0], e.wrench[1], e.wrench[2]}).eigen();
    turned.col(k).tail(3) = cross(turn, Vec3<double>{e.wrench[3], e.wrench[4], e.wrench[5]}).eigen();
  }
  return turned;
}

Eigen::MatrixXd by_turning(const Model& model, Data& data, const Externals& external, const Eigen::MatrixXd& turns,
                           const Eigen::VectorXd& q) {
  const Index nv = model.nv();
  Eigen::MatrixXd at_frame(6, nv), out = Eigen::MatrixXd::Zero(nv, turns.cols());
  for (const ExternalWrench& e : external) {
    jacobian(model, data, q, e.frame, Reference::local_world_aligned, at_frame);
    out += at_frame.transpose() * turned_wrench(e, turns);
  }
  return out;
}

Eigen::MatrixXd by_turning_axes(const Model& model, Data& data, const Externals& external, FrameId axes,
                                const Eigen::VectorXd& q) {
  Eigen::MatrixXd of_axes(6, model.nv());
  jacobian(model, data, q, axes, Reference::local_world_aligned, of_axes);
  return by_turning(model, data, external, of_axes.bottomRows(3), q);
}

Eigen::MatrixXd by_axes_of_placements(const Model& model, Data& data, const Externals& external, FrameId axes,
                                      const Eigen::VectorXd& q) {
  Eigen::MatrixXd of_axes(6, 6 * static_cast<Index>(model.joints().size()));
  kinematic_regressor(model, data, q, axes, Reference::local_world_aligned, of_axes);
  return by_turning(model, data, external, of_axes.bottomRows(3), q);
}

}  // namespace zwang::python
