// SPDX-License-Identifier: BSD-3-Clause
// What is done with constraint sets besides solving for one acceleration: assembly, impulses, inverse dynamics, mobility,
// and the observation of wrenches.
// Beside zwang.hpp, so that programs without them compile fast.
#pragma once
#include "zwang/batch/batch_assembler.hpp"
#include "zwang/dynamics/assembly.hpp"
#include "zwang/dynamics/constrained_inverse_dynamics.hpp"
#include "zwang/dynamics/impulse.hpp"
#include "zwang/dynamics/mobility.hpp"
#include "zwang/dynamics/wrench_observer.hpp"
