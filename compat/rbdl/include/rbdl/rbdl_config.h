// SPDX-License-Identifier: BSD-3-Clause
// Marks that programs written for RBDL ask for. RBDL_ZWANG tells them apart from RBDL's own.
#pragma once

#define RBDL_API_VERSION 0x030301
#define RBDL_ZWANG 1
#define RBDL_DLLAPI
