// SPDX-License-Identifier: BSD-3-Clause
#include "viewer/text.hpp"

namespace zwang::viewer {

std::string base64(const void* bytes, std::size_t size) {
  static const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* const in = static_cast<const unsigned char*>(bytes);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (std::size_t k = 0; k < size; k += 3) {
    std::uint32_t x = static_cast<std::uint32_t>(in[k]) << 16;
    if (k + 1 < size) x |= static_cast<std::uint32_t>(in[k + 1]) << 8;
    if (k + 2 < size) x |= in[k + 2];
    out += digits[x >> 18 & 63];
    out += digits[x >> 12 & 63];
    out += k + 1 < size ? digits[x >> 6 & 63] : '=';
    out += k + 2 < size ? digits[x & 63] : '=';
  }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace zwang::viewer
