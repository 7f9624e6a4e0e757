// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace zwang {

class Solver;
/// The bits of the solver's next answer depend on its input alone: what earlier states have taught about dependent rows
/// no longer counts.
void forget_states(Solver& solver);

}  // namespace zwang
