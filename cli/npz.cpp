// SPDX-License-Identifier: BSD-3-Clause
#include "npz.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "failure.hpp"

namespace zwang::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

/// CRC-32 of IEEE 802.3, reflected, as ZIP uses it.
std::uint32_t crc32(const std::string& bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t k = 0; k < 256; ++k) {
      std::uint32_t c = k;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      t[k] = c;
    }
    return t;
  }();
  std::uint32_t c = 0xFFFFFFFFu;
  for (const char x : bytes) c = table[(c ^ static_cast<unsigned char>(x)) & 0xFF] ^ (c >> 8);
  return ~c;
}

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) to += static_cast<char>(value >> (8 * k) & 0xFF);
}

/// What local and central headers share: version, flags (UTF-8), method 0, time and date (1980-01-01), crc, sizes.
void put_common(std::string& to, std::uint32_t crc, std::uint32_t size, std::size_t name) {
  put(to, 20, 2);
  put(to, 0x0800, 2);
  put(to, 0, 2);
  put(to, 0, 2);
  put(to, 0x0021, 2);
  put(to, crc, 4);
  put(to, size, 4);
  put(to, size, 4);
  put(to, name, 2);
  put(to, 0, 2);
}

std::string npy_header(const std::string& type, const std::vector<std::size_t>& shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t n : shape) text += std::to_string(n) + ",";
  text += "), }";
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  put(out, text.size(), 2);
  return out + text;
}

/// The code points of UTF-8 text; a byte that is none stands for itself.
std::vector<std::uint32_t> code_points(const std::string& text) {
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < text.size();) {
    const auto lead = static_cast<unsigned char>(text[k]);
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    std::uint32_t c = more == 0 ? lead : lead & (0x3Fu >> more);
    bool good = k + static_cast<std::size_t>(more) < text.size();
    for (int i = 1; good && i <= more; ++i) {
      const auto x = static_cast<unsigned char>(text[k + static_cast<std::size_t>(i)]);
      good = (x & 0xC0) == 0x80;
      c = c << 6 | (x & 0x3Fu);
    }
    out.push_back(good && c <= 0x10FFFF ? c : lead);
    k += good ? static_cast<std::size_t>(more) + 1 : 1;
  }
  return out;
}

}  // namespace

void NpzArchive::add(const std::string& name, const std::vector<double>& numbers,
                     const std::vector<std::size_t>& shape) {
  std::string data(numbers.size() * sizeof(double), '\0');
  if (!numbers.empty()) std::memcpy(data.data(), numbers.data(), data.size());
  add_bytes(name, npy_header("<f8", shape), data);
}

void NpzArchive::add(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<std::vector<std::uint32_t>> points;
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    points.push_back(code_points(text));
    longest = std::max(longest, points.back().size());
  }
  std::string data;
  for (std::vector<std::uint32_t>& one : points) {
    one.resize(longest, 0);
    for (const std::uint32_t c : one) put(data, c, 4);
  }
  add_bytes(name, npy_header("<U" + std::to_string(longest), {texts.size()}), data);
}

void NpzArchive::add_bytes(const std::string& name, std::string content, const std::string& data) {
  const std::string file = name + ".npy";
  if (bytes_.size() + content.size() + data.size() > 0xFFFF0000u)
    throw IoError("the record is larger than 4 GiB, the most that .npz holds; record fewer states (--every)");
  content += data;
  const Entry entry{file, crc32(content), static_cast<std::uint32_t>(content.size()),
                    static_cast<std::uint32_t>(bytes_.size())};
  put(bytes_, 0x04034b50, 4);
  put_common(bytes_, entry.crc, entry.size, file.size());
  bytes_ += file;
  bytes_ += content;
  entries_.push_back(entry);
}

std::string NpzArchive::finish() {
  const std::size_t start = bytes_.size();
  for (const Entry& e : entries_) {
    put(bytes_, 0x02014b50, 4);
    put(bytes_, 20, 2);
    put_common(bytes_, e.crc, e.size, e.name.size());
    put(bytes_, 0, 2 + 2 + 2 + 4);  // comment, disk, attributes
    put(bytes_, e.offset, 4);
    bytes_ += e.name;
  }
  const std::size_t size = bytes_.size() - start;
  put(bytes_, 0x06054b50, 4);
  put(bytes_, 0, 4);
  put(bytes_, entries_.size(), 2);
  put(bytes_, entries_.size(), 2);
  put(bytes_, size, 4);
  put(bytes_, start, 4);
  put(bytes_, 0, 2);
  return std::move(bytes_);
}

}  // namespace zwang::cli
