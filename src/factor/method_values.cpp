// SPDX-License-Identifier: BSD-3-Clause
#include "factor/method.hpp"
#include "zwang/factor/methods.hpp"

namespace zwang {
namespace {

const Method& method_at(SolveMethod method) { return **(all_methods().first + static_cast<Index>(method)); }

}  // namespace

const char* name_of(SolveMethod method) { return method_at(method).name; }

SolveMethod solve_method_of(const std::string& name) {
  const Method* const named = &method_of(name);
  Index k = 0;
  for (const Method* m : all_methods()) {
    if (m == named) break;
    ++k;
  }
  return static_cast<SolveMethod>(k);
}

MethodCapabilities capabilities_of(SolveMethod method) {
  const Method& m = method_at(method);
  // Soft rows have no levels, and no driver of theirs is left out.
  return {.priorities = m.can.levels && !m.makes_rows_soft,
          .uncompensated_drivers = m.can.leaves_drivers && !m.makes_rows_soft,
          .singularity_policies = m.can.other_policies,
          .mimic_joints = m.can.mimic,
          .hard_rows = !m.makes_rows_soft,
          .lanes = m.can.lanes};
}

}  // namespace zwang
