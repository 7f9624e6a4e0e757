// SPDX-License-Identifier: BSD-3-Clause
// Netpbm's PGM: `P2` or `P5`, width, height, largest value, apart by white space and comments; then the values, row by
// row from the top. P5 has one white space behind the head, then bytes, or pairs of them with the high one first.
#include "height_picture.hpp"

#include <cstdint>

namespace zwang::cli {
namespace {

constexpr long k_most_points = 16L << 20;

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  /// A number of the head, or of P2; -1 where there is none, or it is above `most`.
  long number(long most) {
    skip();
    if (at_ >= bytes_.size() || !is_digit(bytes_[at_])) return -1;
    long x = 0;
    for (; at_ < bytes_.size() && is_digit(bytes_[at_]); ++at_) {
      x = 10 * x + (bytes_[at_] - '0');
      if (x > most) return -1;
    }
    return x;
  }
  /// Behind the one white space that ends the head.
  std::string_view rest() const { return at_ < bytes_.size() ? bytes_.substr(at_ + 1) : std::string_view(); }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  void skip() {
    for (; at_ < bytes_.size(); ++at_) {
      if (bytes_[at_] == '#')
        while (at_ + 1 < bytes_.size() && bytes_[at_] != '\n') ++at_;
      else if (!is_space(bytes_[at_]))
        return;
    }
  }
  std::string_view bytes_;
  std::size_t at_ = 2;
};

}  // namespace

bool parse_picture(std::string_view bytes, HeightPicture& picture, std::string& why) {
  const auto fail = [&](const std::string& text) {
    why = text;
    return false;
  };
  if (bytes.starts_with("\x89PNG")) return fail("a PNG; expected a PGM, which image programs write of it");
  const bool as_text = bytes.starts_with("P2");
  if (!as_text && !bytes.starts_with("P5")) return fail("no PGM: it does not begin with P2 or P5");
  Reader reader(bytes);
  const long columns = reader.number(k_most_points), rows = reader.number(k_most_points), most = reader.number(65535);
  if (columns < 2 || rows < 2 || columns * rows > k_most_points)
    return fail("its size is not from 2 x 2 to 16 million points");
  if (most < 1) return fail("its largest value is not from 1 to 65535");
  const std::size_t count = static_cast<std::size_t>(columns * rows), wide = most > 255 ? 2 : 1;
  const std::string_view values = as_text ? std::string_view() : reader.rest();
  if (as_text ? bytes.size() < count : values.size() < wide * count) return fail("it is cut off");
  picture.columns = static_cast<int>(columns);
  picture.rows = static_cast<int>(rows);
  picture.grey.assign(count, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto byte = [&](std::size_t i) { return static_cast<long>(static_cast<std::uint8_t>(values[i])); };
    const long x = as_text ? reader.number(most) : wide == 1 ? byte(k) : 256 * byte(2 * k) + byte(2 * k + 1);
    if (x < 0 || x > most)
      return fail("value " + std::to_string(k) + " is not from 0 to " + std::to_string(most) + ", or it is cut off");
    const std::size_t row = static_cast<std::size_t>(rows) - 1 - k / static_cast<std::size_t>(columns);
    picture.grey[k % static_cast<std::size_t>(columns) + static_cast<std::size_t>(columns) * row] =
        static_cast<double>(x) / static_cast<double>(most);
  }
  return true;
}

}  // namespace zwang::cli
