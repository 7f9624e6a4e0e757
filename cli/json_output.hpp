// SPDX-License-Identifier: BSD-3-Clause
// The documents that --json prints. Unknown limits are null, absent ones "inf" and "-inf" (JSON has no infinity).
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "methods.hpp"
#include "zwang/simulation.hpp"

namespace zwang::cli {

using Document = nlohmann::ordered_json;

Document to_json(const Diagnostics& found);
/// links, joints, bodies, nq, nv, mass
Document counts_json(const Model& model);
Document model_json(const Model& model);
/// What a Data of the model costs in memory, by stage.
Document data_json(const Model& model);
Document number_json(double x);
Document vector_json(VectorView values);
/// Of a motion: a list.
Document events_json(const Trajectory& motion);
Document solution_json(const Problem& problem, const Solution& solution);
Document methods_json(const std::vector<MethodResult>& results);

/// One line; text that is no UTF-8 is replaced, so that the document is always valid.
void print_json(const Document& document);

}  // namespace zwang::cli
