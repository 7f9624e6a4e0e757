// SPDX-License-Identifier: BSD-3-Clause
// What touches in a motion, for people and as JSON, CSV and NPZ.
#pragma once
#include "json_output.hpp"
#include "problem.hpp"

namespace zwang::cli {

class NpzArchive;

/// The totals, and under `last` the contacts of the last state.
Document contact_json(const Problem& problem, const Trajectory& motion);
/// The forces of the last step, and how exact the steps were.
std::string contact_table(const Problem& problem, const Trajectory& motion);

/// A list of contacts for each state.
Document contacts_json(const Problem& problem, const Trajectory& motion);
/// `contact_state`, the state of each contact, and an array for each of its fields.
void add_contacts(const Problem& problem, const Trajectory& motion, NpzArchive& file);
/// A CSV file with a line for each contact of each state. Throws IoError where it cannot be written.
void write_contacts(const std::string& path, const Problem& problem, const Trajectory& motion);

/// A cell of RFC 4180.
std::string csv_cell(const std::string& text);

}  // namespace zwang::cli
