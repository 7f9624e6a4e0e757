// SPDX-License-Identifier: BSD-3-Clause
// Tables for people: columns that line up, one unit per header.
#pragma once
#include <string>
#include <vector>

#include "commands.hpp"
#include "methods.hpp"

namespace zwang::cli {

/// Columns of equal length under headers; texts stand left, numbers right with their points in one line.
class Table {
 public:
  Table& text(const std::string& header, const std::vector<std::string>& cells);
  /// Six digits of the largest entry, all entries with as many decimals.
  Table& numbers(const std::string& header, const std::vector<double>& cells);
  /// Texts on the right.
  Table& right(const std::string& header, const std::vector<std::string>& cells);
  /// As 1.2e-16.
  Table& tiny(const std::string& header, const std::vector<double>& cells);
  std::string str() const;

 private:
  struct Column {
    std::string header;
    std::vector<std::string> cells;
    bool right;
  };
  std::vector<Column> columns_;
};

std::string model_table(const Model& model);
/// What a Data of the model costs in memory: one line.
std::string data_line(const Model& model);
/// `value` of every coordinate under a header.
std::string coordinate_table(const Model& model, const std::string& header, VectorView values);
/// Numbers of q, by joint; a joint of several has a line for each.
std::string configuration_table(const Model& model, VectorView q);
std::string solution_table(const Problem& problem, const Solution& solution);
std::string impulse_table(const Problem& problem, const Impulse& impulse);
std::string methods_table(const std::vector<MethodResult>& results);

}  // namespace zwang::cli
