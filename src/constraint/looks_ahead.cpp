// SPDX-License-Identifier: BSD-3-Clause
#include "constraint/looks_ahead.hpp"

#include "zwang/constraint/relation.hpp"
#include "zwang/core/error.hpp"

namespace zwang::detail {

bool has_position(const Constraint& x) {
  return x.relation != nullptr && !(x.target.empty() && x.relation->position_is_free());
}

void check_looks_ahead(const char* function, const Constraint& x) {
  if (!x.is_sided() || x.role != Role::physical) return;
  if (has_position(x) && x.stabilisation.time_constant > 0) return;
  throw UnsupportedError(
      std::string(function) + ": constraint '" + x.name.value() +
      "' has a sense and does not regard where it is: in a motion it would hold its body in the air. "
      "Give it a " +
      (has_position(x) ? "time_constant" : "target (of a contact target_point) and a time_constant") +
      ", or leave the sense out and switch the row by events");
}

}  // namespace zwang::detail
