// SPDX-License-Identifier: BSD-3-Clause
// What is done with constraint sets besides solving for one acceleration: assembly, impulses, inverse dynamics,
// mobility, and the observation of wrenches.
// Beside zwang.hpp, so that programs without them compile fast.
#pragma once
#include "zwang/batch/batch_assembler.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"
#include "zwang/question/impulse.hpp"
#include "zwang/question/mobility.hpp"
#include "zwang/question/wrench_observer.hpp"
