// SPDX-License-Identifier: BSD-3-Clause
// A loop over the real robots of the shared folder.
#pragma once
#include <gtest/gtest.h>

#include "dynamics/imposed.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {

/// f(robot, file) for each of them, with a fixed and with a floating root, until something fails. No meshes are read.
template <class F> void on_every_shared_robot(F&& f) {
  for (const std::string& file : shared_robots()) {
    for (const char* root : {"fixed", "floating"}) {
      SCOPED_TRACE(file + ", root " + root);
      LoadOptions options;
      options.root = root;
      options.resolve_meshes = false;
      Diagnostics found;
      const RobotDescription description = read_urdf(shared_robot(file), options, &found);
      f(Robot(description, options), file);
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace zwang::test
