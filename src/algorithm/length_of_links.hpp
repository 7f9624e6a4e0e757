// SPDX-License-Identifier: BSD-3-Clause
// The length of a robot's links: what displacements are measured by where they stand beside angles.
#pragma once
#include <algorithm>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang {

/// The longest way from the first joint of a branch along its links to a frame,
/// without what joints slide [m]; 1 where it is 0.
inline double length_of_links(const Model& model) {
  const Tree<double>& tree = model.tree<double>();
  std::vector<double> way(static_cast<std::size_t>(tree.n) + 1, 0.0);
  double longest = 0;
  for (Index i = 1; i <= tree.n; ++i) {  // parents have smaller numbers
    const Index parent = tree.body[i].parent;
    const auto k = static_cast<std::size_t>(i);
    if (parent > 0) way[k] = way[static_cast<std::size_t>(parent)] + norm(tree.body[i].placement.p);
    longest = std::max(longest, way[k]);
  }
  for (const Frame& f : model.frames())
    if (f.body.value > 0) longest = std::max(longest, way[static_cast<std::size_t>(f.body.value)] + norm(f.in_body.p));
  return longest > 0 ? longest : 1;
}

}  // namespace zwang
