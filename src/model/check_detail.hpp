// SPDX-License-Identifier: BSD-3-Clause
// Checker: one pass over a description; its steps live in check.cpp, check_structure.cpp, check_loops.cpp,
// check_inertia.cpp, check_joint.cpp, check_mimic.cpp.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/name_table.hpp"
#include "zwang/core/findings.hpp"
#include "zwang/model/check.hpp"
#include "zwang/model/joint_info.hpp"

namespace zwang::detail {

/// What the checks need to know of a joint's type.
struct TypeFacts {
  int nq = 0, nv = 0;
  bool known = false;  ///< the numbers above can be trusted (a user-defined joint keeps its own)
  bool fixed = false;
  bool has_axis = false;
};

class Checker {
 public:
  /// `edit` is the same robot, or nullptr where nothing may be changed.
  Checker(const RobotDescription& robot, RobotDescription* edit, const BuildOptions& options);
  Diagnostics run();

 private:
  // check.cpp
  void names();
  void name_text(const char* kind, const std::string& name, const SourcePlace& place);
  template <class Items>
  void unique(const char* kind, const Items& items, Index index, const SourcePlace& place, NameTable& seen);
  void user_frames();
  void motors();
  void exclusions();
  void shapes(const LinkDescription& link);
  void shape_numbers(const LinkDescription& link, const Shape& shape);
  void apply_drops();
  // check_structure.cpp
  void ends();
  Index end_of(const JointDescription& joint, const std::string& link, const char* which);
  void choose_carriers();
  void reach(Index link, std::vector<Index>& queue);
  void two_parents();
  void cycles();
  void roots();
  std::vector<Index> loop_through(Index link) const;
  // check_loops.cpp
  void loops();
  void loop(Index joint);
  bool loop_frames(Index joint);
  // check_inertia.cpp
  void inertias();
  bool finite_inertia(Index link);
  void triangle(const LinkDescription& link, const PrincipalInertia& principal);
  std::vector<Index> clusters() const;
  void indefinite(const std::vector<Index>& links);
  void massless();
  void condition();
  // check_joint.cpp
  void types();
  void type_of(Index joint);
  void parameters(Index joint, const JointTypeInfo& info);
  void joint_values(Index joint);
  void axis(Index joint);
  void limits(Index joint);
  void bounds(Index joint, const char* which, const std::vector<double>& values);
  void zero_bounds(Index joint);
  void effects(Index joint);
  void sizes(const JointDescription& joint, const char* which, const std::vector<double>& values, int expected);
  void rotation(const char* kind, const std::string& name, const SourcePlace& place, const Transform<double>& pose);
  // check_mimic.cpp
  void mimics();
  bool mimic_pair(Index joint, Index leader);
  void mimic_cycles();
  void drop_mimic(Index joint);

  Diagnostic at_link(Index link, const char* code, const char* below = "") const;
  Diagnostic at_joint(Index joint, const char* code, const char* below = "") const;
  const std::vector<std::string>& link_names();
  const std::vector<std::string>& joint_names();
  bool root_is_fixed() const {
    return options_.root == "automatic" || options_.root == "auto" || options_.root == "fixed";
  }

  const RobotDescription& robot_;
  RobotDescription* edit_;  // in lenient mode
  RobotDescription* cut_;   // in every mode: joints that close loops are marked
  const BuildOptions& options_;
  Findings found_;
  NameTable link_index_, joint_index_, frame_index_;
  std::vector<std::string> link_names_, joint_names_;  // filled when a suggestion is needed
  std::vector<TypeFacts> facts_;                       // per joint
  std::vector<Index> parent_, child_;                  // per joint: links, -1 where unknown
  std::vector<std::vector<Index>> leaving_;            // per link: joints whose parent it is
  std::vector<Index> carrier_;                         // per link: the joint that carries it in the tree, or -1
  std::vector<Index> order_;                           // links that hang on a root, parents first
  std::vector<char> reached_;                          // per link
  std::vector<char> closes_;                           // per joint: it closes a loop, and rows stand for it
  std::vector<char> drop_link_, drop_joint_;           // what lenient mode leaves out
  std::vector<char> drop_motor_, drop_exclusion_;      // the same
  std::vector<Index> leader_;                          // per joint: position of the leader, or -1
};

/// Where something stands, with a path for what was made by hand.
Diagnostic at(const SourcePlace& place, std::string_view kind, const std::string& name, const char* code,
              const char* below = "");

}  // namespace zwang::detail
