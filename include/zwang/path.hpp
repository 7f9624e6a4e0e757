// SPDX-License-Identifier: BSD-3-Clause
// Paths and their timing: profiles, joint and Cartesian paths, the fastest motion along a path. Beside zwang.hpp, so
// that programs without it compile fast.
#pragma once
#include "zwang/path/configuration_path.hpp"
#include "zwang/path/motion_profile.hpp"
#include "zwang/path/pose_path.hpp"
#include "zwang/path/position_limits.hpp"
#include "zwang/path/time_path.hpp"
#include "zwang/path/timed_path.hpp"
