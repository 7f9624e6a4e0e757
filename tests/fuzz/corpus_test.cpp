// SPDX-License-Identifier: BSD-3-Clause
// Every input of tests/fuzz/corpus, the robots of models/ and the problems of examples/ through their readers: what a
// fuzzer found once stays mended where no fuzzer is.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/readers.hpp"

namespace zwang::test {
namespace {

namespace files = std::filesystem;

/// The number of files that were fed.
int feed_folder(const FuzzedReader& reader, const files::path& folder, const std::string& ending = "") {
  int count = 0;
  for (const files::directory_entry& entry : files::directory_iterator(folder)) {
    if (!entry.is_regular_file() || !entry.path().string().ends_with(ending)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_LE(bytes.size(), k_input_bytes) << entry.path();
    EXPECT_NO_THROW(reader.feed(bytes)) << entry.path();
    ++count;
  }
  return count;
}

TEST(FuzzCorpus, IsReadOrRefusedAsDocumented) {
  for (const FuzzedReader& reader : fuzzed_readers())
    EXPECT_GT(feed_folder(reader, files::path(ZWANG_FUZZ_CORPUS) / reader.name), 1) << reader.name;
}

TEST(FuzzCorpus, NoInputAtAllIsRefusedAsDocumented) {
  for (const FuzzedReader& reader : fuzzed_readers()) EXPECT_NO_THROW(reader.feed({})) << reader.name;
}

TEST(FuzzCorpus, RobotsOfTheProjectKeepThePromises) {
  for (const char* ending : {".urdf", ".sdf", ".xml"})
    EXPECT_GT(feed_folder({"robot", &feed_robot}, ZWANG_MODELS, ending), 0) << ending;
}

TEST(FuzzCorpus, ProblemsOfTheExamplesKeepThePromises) {
  EXPECT_GT(feed_folder({"problem", &feed_problem}, files::path(ZWANG_MODELS).parent_path() / "examples", ".json"), 0);
}

}  // namespace
}  // namespace zwang::test
