// SPDX-License-Identifier: BSD-3-Clause
// Assembly and projection allocate nothing after construction: also where rows do not meet, and after switches.
#include <gtest/gtest.h>

#include "dynamics/assembly_cases.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test {
namespace {

TEST(AssemblyCalls, AllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  int met = 0, missed = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    OpenMechanism m = open_mechanism(static_cast<std::uint64_t>(seed), seed % 3 == 0 ? 3.0 : 0.4);
    if (m.set->rows() == 0) continue;
    m.settings.kinetic = seed % 2 == 0;
    m.settings.max_iterations = seed % 4 == 1 ? 3 : 100;
    Assembler assembler(*m.model, *m.set, m.settings);
    Constraint& first = (*m.set)[m.set->constraints()[0].name];
    const Eigen::VectorXd v = Eigen::VectorXd::Constant(m.model->nv(), 0.3);
    EXPECT_NO_ALLOCATION({
      met += assembler.assemble(m.start).report.status == Status::ok;
      missed += assembler.project(m.start, v).report.status != Status::ok;
      assembler.assemble_velocity(m.start, v);
      first.active = false;
      assembler.project(m.closed, v);
      first.active = true;
      assembler.assemble(m.closed);
    });
  }
  EXPECT_GT(met, 0);
  EXPECT_GT(missed, 0);
}

}  // namespace
}  // namespace zwang::test
