// SPDX-License-Identifier: BSD-3-Clause
// The stack of what is being read: utility_io.h declares it.
#pragma once
#include "utility_io.h"
