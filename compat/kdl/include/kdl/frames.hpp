// SPDX-License-Identifier: BSD-3-Clause
// Geometry: Vector, Rotation, Frame, Twist, Wrench, the same in the plane, diff and addDelta.
#pragma once
#include "geometry/difference.hpp"
#include "geometry/hash.hpp"
#include "geometry/planar.hpp"
