// SPDX-License-Identifier: BSD-3-Clause
// SolveReport: what a solve achieved and what it gave up, in the user's names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "zwang/algorithm/dynamics.hpp"

namespace zwang {

/// Something about a row or coordinate that the numbers alone do not say.
struct SolveWarning {
  enum class Kind {
    driver_on_unactuated,  ///< driver rows ask a coordinate without a motor for `value` [N m, N]
    contact_pulls,         ///< a contact's normal multiplier is `value` < 0 [N]
    moving_contact,        ///< a contact's point moves by `value` along the row [m/s]
  };
  Kind kind;
  std::string_view row;  ///< row or coordinate, in the user's names
  double value;
  std::string text() const;
};

/// Names are views into the constraints of the set: they live until it is changed by add() or goes.
struct SolveReport {
  Status status = Status::ok;
  Index rows = 0;  ///< active rows
  Index rank = 0;  ///< of them, on equilibrated rows
  int iterations = 1;
  double tolerance = 0;  ///< relative rank tolerance used
  double residual = 0;   ///< largest |K a - beta| of a row, divided by the row's own scale
  const char* method = "popov_vereshchagin";
  std::vector<std::string_view> redundant = {};   ///< rows that depend on rows given before them
  std::vector<std::string_view> infeasible = {};  ///< rows that no motion can satisfy together with the others
  std::vector<SolveWarning> warnings = {};
  std::string_view singular_joint = {};  ///< without inertia, where status is singular_mass
  std::string_view invalid = {};         ///< which argument try_solve refused

  /// A few sentences in the user's names.
  std::string explain() const;
};

}  // namespace zwang
