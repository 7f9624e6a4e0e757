// SPDX-License-Identifier: BSD-3-Clause
// The Kinematics and Dynamics Library's interface, of zwang: see docs/migrate/kdl.md.
// Each class has a header of its own.
#pragma once
#include "config.h"
#include "frames.hpp"
