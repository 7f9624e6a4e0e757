// SPDX-License-Identifier: BSD-3-Clause
// Where and how the numbers were made.
#pragma once
#include <string>

namespace zwang::bench {

struct Machine {
  std::string processor, system, date;  ///< date: UTC, ISO 8601
  int cores = 0;                        ///< that this program may use
  double load[3] = {0, 0, 0};
};
Machine machine();

/// Of zwang and of this program.
const char* compiler();
const char* flags();
const char* version();

}  // namespace zwang::bench
