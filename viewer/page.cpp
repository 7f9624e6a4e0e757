// SPDX-License-Identifier: BSD-3-Clause
#include "viewer/page.hpp"

#include <algorithm>
#include <stdexcept>

#include "viewer/embedded.hpp"
#include "viewer/scene.hpp"
#include "viewer/text.hpp"
#include "zwang/core/error.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang::viewer {
namespace {

const char* const k_licence =
    "three.js r111 is embedded below. Copyright 2010-2019 three.js authors, MIT licence: permission is granted, free "
    "of charge, to "
    "any person obtaining a copy of this software to deal in it without restriction, provided that this notice is "
    "kept; it comes "
    "without warranty of any kind.";

void check(const Picture& p) {
  const Index nq = p.model.nq();
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("view: " + why); };
  if (nq > 0 && (p.q.empty() || p.q.size() % static_cast<std::size_t>(nq) != 0))
    refuse("argument 'q' has " + std::to_string(p.q.size()) + " numbers, expected a multiple of " + std::to_string(nq));
  const std::size_t states =
      nq > 0 ? p.q.size() / static_cast<std::size_t>(nq) : std::max<std::size_t>(p.time.size(), 1);
  for (std::size_t k = 0; k < states; ++k)
    check_configuration(p.model, p.q.data() + k * static_cast<std::size_t>(nq), nq, "view", "q");
  if (!p.time.empty()) {
    if (p.time.size() != states)
      refuse("argument 'time' has " + std::to_string(p.time.size()) + " entries, expected " + std::to_string(states));
    for (std::size_t k = 1; k < states; ++k)
      if (!(p.time[k] >= p.time[k - 1])) refuse("argument 'time' goes back at entry " + std::to_string(k));
  } else if (states > 1) {
    refuse("there are " + std::to_string(states) + " states, expected their times in argument 'time'");
  }
  if (!p.contact_of.empty() && p.contact_of.size() != states + 1)
    refuse("there are contacts of " + std::to_string(p.contact_of.size() - 1) + " states, expected " +
           std::to_string(states));
  if (p.multipliers.empty()) return;
  if (p.constraints == nullptr) refuse("there are multipliers, expected the constraints that they belong to");
  const std::size_t rows = static_cast<std::size_t>(p.constraints->rows());
  if (p.multipliers.size() != rows * states)
    refuse("argument 'multipliers' has " + std::to_string(p.multipliers.size()) + " numbers, expected " +
           std::to_string(rows) + " rows of " + std::to_string(states) + " states");
  for (std::size_t k = 0; k < p.multipliers.size(); ++k)
    if (!std::isfinite(p.multipliers[k]))
      detail::throw_not_finite("view", "multipliers", static_cast<long>(k), p.multipliers[k]);
}

/// JSON inside of a script element: no text may close it.
std::string embedded_json(const nlohmann::json& x) {
  const std::string text = x.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

}  // namespace

Geometry geometry_of(const std::string& word) {
  const std::vector<std::string> words = {"visual", "collision", "skeleton"};
  for (std::size_t k = 0; k < words.size(); ++k)
    if (word == words[k]) return static_cast<Geometry>(k);
  detail::throw_unknown("geometry", word, words);
}

void read_contacts(const std::vector<ContactState>& points, const std::vector<long>& count, Picture& to) {
  if (points.empty()) return;
  to.contact_of = {0};
  auto at = points.begin();
  for (const long n : count) {
    for (const auto end = at + n; at != end; ++at)
      if (at->has_place() && norm(at->force) > 0)  // an open one has none
        to.contacts.push_back({.point = at->point, .force = at->force});
    to.contact_of.push_back(static_cast<long>(to.contacts.size()));
  }
}

Page page_of(const Picture& picture) {
  check(picture);
  const std::string_view three = three_script();
  if (three.empty())
    throw std::runtime_error(
        "view: zwang was built without three.js, which draws the picture; install it (Debian: "
        "libjs-three) and build again");
  Page page;
  const std::string title = escaped(picture.title.empty() ? picture.model.name() : picture.title);
  std::string head =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>" +
      title + "</title>\n<style>" + std::string(page_style()) + "</style></head>\n<body>\n<!-- " + k_licence +
      " -->\n<script>" + std::string(three) + "</script>\n";
  std::string tail = "\n<script>" + std::string(player_script()) + "</script>\n</body></html>\n";
  const std::size_t fixed = head.size() + tail.size() + 200;
  if (fixed > picture.most_bytes) throw std::runtime_error("view: an empty page is larger than the given size");
  const nlohmann::json scene = scene_of(picture, picture.most_bytes - fixed, page);
  page.html = std::move(head);
  page.scene = embedded_json(scene);
  page.html += "<script id=\"scene\" type=\"application/json\">" + page.scene + "</script>" + tail;
  return page;
}

}  // namespace zwang::viewer
