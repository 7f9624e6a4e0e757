// SPDX-License-Identifier: BSD-3-Clause
// ContactRow: one point, limit, joint or row of the user that may act by impulses in a step.
#pragma once
#include <cstdint>

#include "simulation/contact_pairs.hpp"
#include "zwang/simulation/contact_state.hpp"

namespace zwang {

/// One point, limit, joint or row.
struct ContactRow {
  using Kind = ContactState::What;
  Kind kind = Kind::point;
  Index first = 0;       ///< row
  Index coordinate = 0;  ///< of a limit and of friction: in v; of the user's: its first row in the set
  double gap = 0;
  Index pair = 0;
  std::uint64_t feature = 0;
  Vec3<double> point = {0, 0, 0}, t1 = {0, 0, 0}, t2 = {0, 0, 0}, normal = {0, 0, 0};
  TouchLaw law = {};    ///< friction of a joint: its bound [N m, N]
  double side = 1;      ///< of a row of one number: sigma = side * v_k or side * J v
  Index evaluated = 0;  ///< of the user's: its first row in EvaluatedRows

  /// Gap of what touches [m, rad]. The corners of a face that lies are not in a plane to rounding, and which three of
  /// them carry is no question to a step.
  static constexpr double k_touch = 1e-9;

  bool is_point() const { return kind == Kind::point; }  ///< of a pair of shapes
  bool is_of_user() const { return kind >= Kind::contact; }
  bool has_normal() const { return is_point() || kind == Kind::contact; }  ///< three rows: t1, t2, normal
  bool gives_way() const { return is_point() && law.stiffness < unlimited; }
  Index size() const { return has_normal() ? 3 : 1; }
  Index normal_row() const { return first + size() - 1; }
};

}  // namespace zwang
