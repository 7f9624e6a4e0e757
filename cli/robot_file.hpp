// SPDX-License-Identifier: BSD-3-Clause
// Robots from files: URDF, SDF, MJCF, or a document (zwang.model, zwang.robot) as JSON or CBOR.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::cli {

/// What a robot's file says beside the model; nothing of a document of a model alone.
struct OfFile {
  std::optional<ConstraintSet> constraints = {};
  std::vector<Configuration> configurations = {};
};

/// A name that ends in .cbor, or in .json where the text says "format": "zwang.model" or "zwang.robot"; a problem is
/// .json, too.
/// Throws JsonError for a .json that is none.
bool is_model_document(const std::string& path);
/// The same of a file that is to be a robot: where it is no JSON, throws ModelError (E_DOCUMENT).
bool is_document_of_robot(const std::string& path);
/// Throws ModelError where a robot or document is refused, UsageError where options of building are
/// given for a document, which holds its own. `more` receives what a Model does not hold.
Model load_any(const Arguments& arguments, const std::string& path, const LoadOptions& options, Diagnostics& found,
               const std::vector<std::string>& actuated = {}, OfFile* more = nullptr);

/// Whether a text for q can be the name of a configuration: no word of read_vector and no list of numbers.
bool may_name_configuration(const std::string& text);
/// A configuration of the robot's file by its name, else what read_vector reads.
Eigen::VectorXd read_configuration(const Model& model, const std::string& option, const std::string& text,
                                   const std::vector<Configuration>& of_file);
/// N_CONSTRAINTS for rows that a file has beside its loops, where the model alone is wanted.
void note_constraints(const OfFile& file, const Model& model, const std::string& path, Diagnostics& found);

}  // namespace zwang::cli
