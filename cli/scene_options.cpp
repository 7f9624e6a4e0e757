// SPDX-License-Identifier: BSD-3-Clause
#include "scene_options.hpp"

#include <CLI/CLI.hpp>

namespace zwang::cli {

void scene_options(CLI::App& command, Arguments& a) {
  command
      .add_option("--joint-limits", a.joint_limits,
                  "Joints keep the limits of the model: they stop there as a critically damped motion of this time "
                  "constant [s] does")
      ->type_name("T");
  command.add_flag("--ground", a.ground,
                   "The ground z <= 0, which the robot's collision shapes touch: integrator contact, joints keep their "
                   "limits");
  command
      .add_option("--height-field", a.height_field,
                  "Terrain from a grey picture (PGM): black is at z = 0, white at --height-scale; the first row of the "
                  "picture is at the largest y")
      ->type_name("FILE");
  command
      .add_option("--height-size", a.height_size,
                  "Lengths of the terrain along x and y [m], about the origin; beyond them is nothing")
      ->type_name("X,Y");
  command.add_option("--height-scale", a.height_scale, "Height of white [m], default 1")->type_name("Z");
  command.add_flag("--missing-meshes", a.missing_meshes,
                   "Collision shapes whose meshes were not found are left out, which a note says");
  command.add_option("--friction", a.friction, "Coulomb's coefficient on the ground and the terrain, default 0.7")
      ->type_name("MU");
  command.add_option("--contacts", a.contacts, "Write what touches at each state to a file: .csv")->type_name("FILE");
  command
      .add_option("--bounce", a.restitution_of_ground, "Restitution on the ground and the terrain, 0 (default) to 1")
      ->type_name("E");
}

}  // namespace zwang::cli
