// SPDX-License-Identifier: BSD-3-Clause
// Documents of models and constraint sets as trees, for documents that hold them; robots of documents.
#pragma once
#include "io/json_value.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::io {

/// What to_json and to_cbor write.
Json tree_of(const Model& model, UserJointsAs user);
Json tree_of(const ConstraintSet& set, CustomAs custom);

/// What model_from_json and constraints_from_json read.
Model model_of(const JsonNode& root, const NamedUserJoints& user, Diagnostics* found);
ConstraintSet constraints_of(const Model& model, const JsonNode& root, const NamedCustomRows& custom);
/// What robot_from_json reads.
Robot robot_of(const JsonDocument& document, const NamedUserJoints& user, const NamedCustomRows& custom,
               Diagnostics* found);

}  // namespace zwang::io
