// SPDX-License-Identifier: BSD-3-Clause
// Models written in Lua are not read: a program that includes this header compiles, and a call of it says so.
#pragma once
#include <rbdl/Constraints.h>

namespace RigidBodyDynamics {
namespace Addons {

/// Always RBDLMissingImplementationError.
inline bool LuaModelReadFromFile(const char* filename, Model*, bool = false) {
  throw Errors::RBDLMissingImplementationError(
      std::string("LuaModelReadFromFile: ") + filename +
      " is not read: zwang reads no Lua. URDFReadFromFile reads URDF, zwang::load URDF, SDF and MJCF");
}
/// Always RBDLMissingImplementationError.
inline bool LuaModelReadFromFileWithConstraints(const char* filename, Model* model, std::vector<ConstraintSet>&,
                                                const std::vector<std::string>&, bool verbose = false) {
  return LuaModelReadFromFile(filename, model, verbose);
}
/// None, since no file is read.
inline std::vector<std::string> LuaModelGetConstraintSetNames(const char* filename) {
  LuaModelReadFromFile(filename, nullptr);
  return {};
}

}  // namespace Addons
}  // namespace RigidBodyDynamics
