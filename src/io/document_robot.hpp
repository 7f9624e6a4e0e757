// SPDX-License-Identifier: BSD-3-Clause
// Documents where a robot's file is expected: zwang.robot or zwang.model, JSON or CBOR.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "zwang/core/findings.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::io {

/// JSON or CBOR by how it begins: no XML begins so.
bool is_document(std::string_view text);

/// The robot of a document; that of a model's document has the loops of its model. Nothing, with E_DOCUMENT in `found`,
/// where it is refused. `built` receives what building it found.
std::optional<Robot> read_document(const std::string& text, const std::string& file, const LoadOptions& options,
                                   detail::Findings& found, Diagnostics& built);

}  // namespace zwang::io
