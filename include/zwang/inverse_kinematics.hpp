// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics. Beside zwang.hpp, so that programs without it compile fast.
#pragma once
#include "zwang/batch/batch_inverse_kinematics.hpp"
#include "zwang/question/inverse_kinematics.hpp"
