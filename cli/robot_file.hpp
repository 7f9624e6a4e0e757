// SPDX-License-Identifier: BSD-3-Clause
// Robots from files: URDF, or a model document (zwang.model) as JSON or CBOR.
#pragma once
#include <string>

#include "arguments.hpp"
#include "zwang/model/model.hpp"

namespace zwang::cli {

/// A name that ends in .cbor, or in .json where the text says "format": "zwang.model"; a problem is .json, too.
/// Throws JsonError for a .json that is none.
bool is_model_document(const std::string& path);
/// The same of a file that is to be a robot: where it is no JSON, throws ModelError (E_DOCUMENT).
bool is_document_of_robot(const std::string& path);
/// Throws ModelError where a robot or document is refused, UsageError where options of building are
/// given for a document, which holds its own.
Model load_any(const Arguments& arguments, const std::string& path, const LoadOptions& options, Diagnostics& found,
               const std::vector<std::string>& actuated = {});

}  // namespace zwang::cli
