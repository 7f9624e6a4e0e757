// SPDX-License-Identifier: BSD-3-Clause
// Wrenches of constraints in the world, from the multipliers of their rows.
#pragma once
#include <string>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"

namespace zwang::viewer {

/// Where the wrench of a constraint acts: point [m], force [N], moment about the point [N m], world axes.
struct Arrow {
  Vec3<double> point{0, 0, 0}, force{0, 0, 0}, moment{0, 0, 0};
};

/// Constraints with a place in the world; those on coordinates have none.
class Arrows {
 public:
  Arrows(const Model& model, const ConstraintSet& set);
  const std::vector<std::string>& names() const { return names_; }
  /// multipliers: of all rows of the set. `data` holds the positions (and velocities) of q.
  std::vector<Arrow> at(const Data& data, const double* q, const double* multipliers) const;

 private:
  struct Place {
    const Constraint* constraint;
    Index first_row;
  };
  Transform<double> body_pose(const Data& data, Index body) const;
  Arrow on_body(const Data& data, const Constraint& x, const double* multipliers) const;
  Arrow of_relation(const Data& data, const Constraint& x, const double* q, const double* multipliers) const;

  Model model_;
  std::vector<Place> places_;
  std::vector<std::string> names_;
};

}  // namespace zwang::viewer
