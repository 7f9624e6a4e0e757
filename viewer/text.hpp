// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts as a page carries them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zwang::viewer {

std::string base64(const void* bytes, std::size_t size);
template <class T> std::string base64(const std::vector<T>& x) { return base64(x.data(), x.size() * sizeof(T)); }
/// As text of HTML.
std::string escaped(const std::string& text);

}  // namespace zwang::viewer
