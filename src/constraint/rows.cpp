// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/constraint/rows.hpp"

#include <cmath>
#include <iterator>
#include <stdexcept>

#include "zwang/core/error.hpp"

namespace zwang {
namespace {

constexpr const char* k_axis_words[] = {"linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"};

/// Words of joints and of other libraries, and the rows that hold the same; of a joint with an axis, where that is z.
struct Meant {
  const char* word;
  const char* rows;
  const char* where = "";
};
constexpr Meant k_meant[] = {
    {"ball", "linear"},
    {"spherical", "linear"},
    {"point", "linear"},
    {"position", "linear"},
    {"translation", "linear"},
    {"xyz", "linear"},
    {"orientation", "angular"},
    {"rotation", "angular"},
    {"attitude", "angular"},
    {"rpy", "angular"},
    {"fixed", "all"},
    {"weld", "all"},
    {"pose", "all"},
    {"6d", "all"},
    {"3d", "linear"},
    {"x", "linear.x"},
    {"y", "linear.y"},
    {"z", "linear.z"},
    {"rx", "angular.x"},
    {"ry", "angular.y"},
    {"rz", "angular.z"},
    {"hinge", "linear angular.x angular.y", " (of an axis along z)"},
    {"revolute", "linear angular.x angular.y", " (of an axis along z)"},
    {"planar", "linear.z angular.x angular.y", " (of an axis along z)"},
    {"prismatic", "linear.x linear.y angular", " (of an axis along z)"},
};

void add_row(RowSelection& out, Index direction, const std::string& word) {
  const std::string name = k_axis_words[direction];
  for (const std::string& known : out.names)
    if (known == name) throw std::invalid_argument("rows: '" + word + "' selects " + name + " a second time");
  out.names.push_back(name);
  for (Index c = 0; c < 6; ++c) out.matrix.push_back(c == direction ? 1.0 : 0.0);
}

void add_word(RowSelection& out, const std::string& word) {
  for (Index k = 0; k < 6; ++k)
    if (word == k_axis_words[k]) return add_row(out, k, word);
  const bool linear = word == "linear" || word == "all", angular = word == "angular" || word == "all";
  if (!linear && !angular) {
    for (const Meant& m : k_meant)
      if (word == m.word)
        throw std::invalid_argument("E_NAME: there is no row named '" + word + "'; the rows that hold this are '" +
                                    m.rows + "'" + m.where);
    std::vector<std::string> known(std::begin(k_axis_words), std::end(k_axis_words));
    known.insert(known.end(), {"linear", "angular", "all"});
    detail::throw_unknown("row", word, known);
  }
  for (Index k = linear ? 0 : 3; k < (angular ? 6 : 3); ++k) add_row(out, k, word);
}

}  // namespace

RowSelection::RowSelection() = default;
RowSelection::RowSelection(const RowSelection&) = default;
RowSelection::RowSelection(RowSelection&&) noexcept = default;
RowSelection& RowSelection::operator=(const RowSelection&) = default;
RowSelection& RowSelection::operator=(RowSelection&&) noexcept = default;
RowSelection::~RowSelection() = default;

RowSelection rows(const std::string& words) {
  RowSelection out;
  std::string word;
  for (const char c : words + ' ') {
    if (c != ' ' && c != ',' && c != '\t' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      add_word(out, word);
      word.clear();
    }
  }
  if (out.names.empty()) throw std::invalid_argument("rows: no row is named");
  return out;
}

RowSelection rows(const std::vector<double>& matrix) {
  if (matrix.empty() || matrix.size() % 6 != 0)
    throw std::invalid_argument("rows: a matrix has 6 columns; got " + std::to_string(matrix.size()) + " numbers");
  for (std::size_t k = 0; k < matrix.size(); ++k)
    if (!std::isfinite(matrix[k])) detail::throw_not_finite("rows", "matrix", static_cast<long>(k), matrix[k]);
  RowSelection out;
  out.matrix = matrix;
  for (std::size_t k = 0; k < matrix.size() / 6; ++k) out.names.push_back("row[" + std::to_string(k) + "]");
  return out;
}

}  // namespace zwang
