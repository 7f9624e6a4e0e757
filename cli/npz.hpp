// SPDX-License-Identifier: BSD-3-Clause
// NPZ files: a ZIP archive (APPNOTE 6.3, entries stored as they are) of .npy arrays (NumPy format 1.0).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zwang::cli {

class NpzArchive {
 public:
  /// float64, row by row. Throws IoError where the archive would pass 4 GiB,
  /// the most that ZIP without extensions holds.
  void add(const std::string& name, const std::vector<double>& numbers, const std::vector<std::size_t>& shape);
  /// An array of texts; UTF-8 is kept as code points.
  void add(const std::string& name, const std::vector<std::string>& texts);
  /// The whole file.
  std::string finish();

 private:
  void add_bytes(const std::string& name, std::string header, const std::string& data);
  struct Entry {
    std::string name;
    std::uint32_t crc, size, offset;
  };
  std::string bytes_;
  std::vector<Entry> entries_;
};

}  // namespace zwang::cli
