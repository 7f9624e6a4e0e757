// SPDX-License-Identifier: BSD-3-Clause
// The scene of a page: shapes of links, and their poses over time, as JSON for player.js.
#pragma once
#include <nlohmann/json.hpp>

#include "viewer/page.hpp"

namespace zwang::viewer {

/// At most `room` bytes of JSON. Throws std::runtime_error where even one state needs more.
nlohmann::json scene_of(const Picture& picture, std::size_t room, Page& page);

}  // namespace zwang::viewer
