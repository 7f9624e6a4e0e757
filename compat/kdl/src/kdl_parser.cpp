// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>
#include <kdl/zwang_model.hpp>
#include <kdl_parser/kdl_parser.hpp>

#include "zwang/io/urdf.hpp"

namespace kdl_parser {
namespace {

/// What KDL's trees do not have, as kdl_parser reads it: followers move by themselves,
/// joints with several coordinates are fixed.
void simplify(zwang::RobotDescription& robot) {
  for (zwang::JointDescription& joint : robot.joints) {
    joint.mimic = {};
    if (joint.type != "floating" && joint.type != "planar") continue;
    std::fprintf(stderr, "kdl_parser: joint '%s' is %s, and is fixed in the tree\n", joint.name.c_str(),
                 joint.type.c_str());
    joint.type = "fixed";
  }
}

template <class Read> bool make(const Read& read, KDL::Tree& tree) {
  try {
    zwang::RobotDescription robot = read();
    simplify(robot);
    tree = KDL::tree_of(robot);
    return true;
  } catch (const std::exception& error) { std::fprintf(stderr, "kdl_parser: %s\n", error.what()); }
  return false;
}

zwang::LoadOptions options() {
  zwang::LoadOptions o;
  o.resolve_meshes = false;
  return o;
}

}  // namespace

bool treeFromFile(const std::string& file, KDL::Tree& tree) {
  return make([&] { return zwang::read_urdf(file, options()); }, tree);
}
bool treeFromString(const std::string& xml, KDL::Tree& tree) {
  return make([&] { return zwang::parse_urdf(xml, options()); }, tree);
}

}  // namespace kdl_parser
