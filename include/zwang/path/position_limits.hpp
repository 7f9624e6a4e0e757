// SPDX-License-Identifier: BSD-3-Clause
// Limits of position: which joint is beyond them, in words.
#pragma once
#include <string>

#include "zwang/algorithm/reference.hpp"

namespace zwang {

/// Beyond a limit by no more than this, times 1 + |limit|, is rounding.
inline constexpr double k_position_rounding = 1e-9;
/// A motion may begin beyond a limit by no more than this, times 1 + |limit|, and come back: measured starts are so.
inline constexpr double k_start_beyond = 1e-6;

/// "joint 'elbow' is at 4, beyond its limits -2.5 and 2.5 by 1.5": the joint furthest beyond, by more than `room`
/// (1 + |limit|); empty where there is none. Joints that mimic others do not count. q [nq].
std::string beyond_limits(const Model& model, VectorIn q, double room = k_position_rounding);

/// "joint 'elbow' is at 90 rad, which are 14 turns: are these degrees?": the first joint that turns about one axis and
/// is more than four turns away from 0, where its limits do not say that it may be; empty where there is none.
std::string question_of_degrees(const Model& model, VectorIn q);

}  // namespace zwang
