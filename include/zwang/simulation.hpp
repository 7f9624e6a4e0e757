// SPDX-License-Identifier: BSD-3-Clause
// Motion in time: integrators that keep constraints, events, many motions on threads.
// Beside zwang.hpp, so that programs without it compile fast.
#pragma once
#include "zwang/simulation/batch_simulator.hpp"
#include "zwang/simulation/contact_derivatives.hpp"
#include "zwang/simulation/simulate.hpp"
#include "zwang/simulation/simulator.hpp"
