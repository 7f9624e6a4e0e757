// SPDX-License-Identifier: BSD-3-Clause
// Everything that users of compiled zwang need. For own scalars include zwang/generic.hpp.
#pragma once
#include "zwang/algorithm/base_parameters.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/batch/batch.hpp"
#include "zwang/batch/batch_solver.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/dynamics/constraint_evaluator.hpp"
#include "zwang/dynamics/delassus.hpp"
#include "zwang/dynamics/solver.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
