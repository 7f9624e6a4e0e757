// SPDX-License-Identifier: BSD-3-Clause
#include "shared_options.hpp"

#include <CLI/CLI.hpp>

namespace zwang::cli {

const char* const k_effects_help =
    "Which effects of joints count: some of armature,damping,springs,friction,gravity_scale, or none";

void joint_effects_option(CLI::App& command, Arguments& a) {
  command.add_option("--joint-effects", a.joint_effects, k_effects_help)->type_name("X");
}

void hold_option(CLI::App& command, Arguments& a, const std::string& what) {
  command.add_option("--hold", a.hold, what + ": linear.x ... angular.z, linear, angular, all (may be repeated)")
      ->type_name("FRAME:ROWS")
      ->allow_extra_args(false);
}

}  // namespace zwang::cli
