// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>

namespace zwang::cli {

/// Where the file of this program is; empty where the system does not say.
std::filesystem::path program_path();

}  // namespace zwang::cli
