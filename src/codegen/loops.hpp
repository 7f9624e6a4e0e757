// SPDX-License-Identifier: BSD-3-Clause
// A robot as loops over its bodies, with tables: code that is small instead of fast.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/self_test.hpp"

namespace zwang::codegen {

/// The functions of one file. What is common to them is written once.
class Loops {
 public:
  /// `all`: the functions of the file, with the names that they and their arguments have in C.
  Loops(const Model& model, const FormulaOptions& options, const CScalar& scalar, const std::string& prefix,
        const std::vector<Written>& all);

  /// The statements of a function, which end with its status.
  std::string body(const Written& w);
  /// The tables and functions that these bodies need, static ones.
  std::string helpers(const std::string& bodies) const;
  /// Bytes of the arrays that are on the stack at one time, those of the statements and of the deepest chain of
  /// functions that they call: the largest part of what a call needs.
  Index stack(const std::string& body) const;

 private:
  std::string expand(std::string_view text) const;
  std::string name(const std::string& word) const { return prefix_ + '_' + word; }
  Index frame_number(FrameId id);
  std::string wrenches(const Written& w);
  std::string status(const Written& w) const;
  std::string recorded(const std::string& head, const std::vector<Formula>& cases) const;
  /// All that the file may have, each behind those that it calls: names without the prefix, texts.
  std::vector<std::pair<std::string, std::string>> static_functions() const;
  void add_joints();
  void add_groups();
  void add_recorded(const std::string& name, const std::string& text) { recorded_.emplace_back(name, text); }
  void choose_tags();
  void choose_words();
  /// A name and what writes the table.
  using Table = std::pair<std::string, std::function<std::string()>>;
  std::vector<Table> tables() const;

  const Model& model_;
  const Tree<double>& tree_;
  FormulaOptions options_;
  CScalar scalar_;
  std::string prefix_;
  std::set<std::string> functions_, tags_;
  std::map<std::string, std::string> words_;
  std::vector<Index> kind_;                                      ///< of bodies: case of Z_joint
  std::vector<Index> joint_q_, joint_v_, step_kind_, way_kind_;  ///< of joints that own coordinates
  std::vector<std::pair<std::string, std::string>> recorded_;    ///< functions of straight lines, by their names
  std::vector<FrameId> frames_;
};

/// Throws UnsupportedError where the function has no loops.
void check_loops(const std::string& function);

}  // namespace zwang::codegen
