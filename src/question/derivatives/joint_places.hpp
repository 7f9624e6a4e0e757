// SPDX-License-Identifier: BSD-3-Clause
// Where a model has put its joints, as gradients by their placements read it.
#pragma once
#include <vector>

#include "algorithm/page/left_product_lanes.hpp"
#include "zwang/model/model.hpp"

namespace zwang {

std::vector<page::JointPlace> joint_places(const Model& model);

}  // namespace zwang
