// SPDX-License-Identifier: BSD-3-Clause
// All of RBDL's names that are served.
#pragma once
#include <rbdl/Body.h>
#include <rbdl/Constraint.h>
#include <rbdl/Constraints.h>
#include <rbdl/Dynamics.h>
#include <rbdl/Joint.h>
#include <rbdl/Kinematics.h>
#include <rbdl/Logging.h>
#include <rbdl/Model.h>
#include <rbdl/Quaternion.h>
#include <rbdl/SpatialAlgebraOperators.h>
#include <rbdl/rbdl_config.h>
#include <rbdl/rbdl_errors.h>
#include <rbdl/rbdl_math.h>
#include <rbdl/rbdl_mathutils.h>
