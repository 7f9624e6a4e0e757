// SPDX-License-Identifier: BSD-3-Clause
// What derivatives gain from wrenches that are given along the axes of a frame: they turn with it.
#pragma once
#include "call.hpp"

namespace zwang::python {

/// [nv x nv] d/dq of J^T w for wrenches w that turn with the axes of a frame and have been placed along the world's.
Eigen::MatrixXd by_turning_axes(const Model& model, Data& data, const Externals& external, FrameId axes,
                                const Eigen::VectorXd& q);
/// [nv x 6 joints] the same by the placements of joints, along X exp(d), in the order of model.joints().
Eigen::MatrixXd by_axes_of_placements(const Model& model, Data& data, const Externals& external, FrameId axes,
                                      const Eigen::VectorXd& q);
/// [nv x n] the same by what turns the axes: `turns` [3 x n], world axes.
Eigen::MatrixXd by_turning(const Model& model, Data& data, const Externals& external, const Eigen::MatrixXd& turns,
                           const Eigen::VectorXd& q);
/// [6 x n] how one of these wrenches changes, at its frame's origin.
Eigen::MatrixXd turned_wrench(const ExternalWrench& e, const Eigen::MatrixXd& turns);

}  // namespace zwang::python
