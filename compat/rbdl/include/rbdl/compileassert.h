// SPDX-License-Identifier: BSD-3-Clause
// RBDL's assertions of the compiler: static_assert of the language, which needs no header.
#pragma once
