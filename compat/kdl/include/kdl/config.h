// SPDX-License-Identifier: BSD-3-Clause
// What programs ask of KDL at compile time. The version is that of the interface, not of zwang.
#pragma once

#define KDL_VERSION_MAJOR 1
#define KDL_VERSION_MINOR 5
#define KDL_VERSION_PATCH 1
#define KDL_VERSION ((KDL_VERSION_MAJOR << 16) | (KDL_VERSION_MINOR << 8) | KDL_VERSION_PATCH)
#define KDL_VERSION_STRING "1.5.1"

/// == of geometric types means Equal() with the accuracy KDL::epsilon.
#define KDL_USE_EQUAL 1

/// This is zwang's implementation of the interface.
#define KDL_BY_ZWANG 1
