// SPDX-License-Identifier: BSD-3-Clause
// The name under which RBDL keeps its types of Eigen.
#pragma once
#include <rbdl/rbdl_math.h>
