// SPDX-License-Identifier: BSD-3-Clause
// Vectors of coordinates as users write them: `zero`, `neutral`, `random:1`, `0.1,0.2`, `elbow=0.5`, `@file.json`,
// JSON arrays and objects.
#pragma once
#include <Eigen/Core>
#include <string>

#include "json_reader.hpp"
#include "zwang/algorithm/reference.hpp"
#include "zwang/model/model.hpp"

namespace zwang::cli {

enum class VectorKind { configuration, velocity, acceleration, torque };

/// `what` names the vector in complaints (`--q`); `folder` is where the relative name of an @file starts ("" : here).
/// The result has nq or nv finite entries; a configuration's quaternions have unit length. Throws UsageError, IoError.
Eigen::VectorXd read_vector(const Model& model, VectorKind kind, const std::string& what, const std::string& text,
                            const std::string& folder = {});
/// The same from a JSON value: a string as above, an array of numbers, or an object from joints to numbers.
Eigen::VectorXd read_vector(const Model& model, VectorKind kind, const Node& node, const std::string& folder = {});
/// neutral or zeros
Eigen::VectorXd default_vector(const Model& model, VectorKind kind);

/// `folder` + `name` unless that is absolute.
std::string join_path(const std::string& folder, const std::string& name);
/// Everything before the last slash, with it.
std::string folder_of(const std::string& path);

/// `armature,damping`, or none. Throws UsageError that names the option.
JointEffects effects_of(const std::string& option, const std::string& words);

/// Warnings about configurations that were read: angles that look like degrees.
const Diagnostics& questions();
/// Whether they are said on standard error as they are found.
void say_questions(bool on);

}  // namespace zwang::cli
