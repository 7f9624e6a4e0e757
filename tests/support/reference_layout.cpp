// SPDX-License-Identifier: BSD-3-Clause
// The only place where the reference asks the library: where each joint's coordinates lie.
#include "support/reference.hpp"

namespace zwang::reference {

Coordinates coordinates_of(const Model& model) {
  Coordinates all;
  all.nq = model.nq();
  all.nv = model.nv();
  for (const Joint& j : model.joints()) all.of[j.name] = {j.q, j.v};
  return all;
}

Reference::Reference(const RobotDescription& robot, const BuildOptions& options, const Model& model,
                     const UserMotions& user)
    : Reference(robot, options, coordinates_of(model), user) {}

}  // namespace zwang::reference
