// SPDX-License-Identifier: BSD-3-Clause
// What a Data costs: the table of model/data_size.hpp against what its constructor asks of the heap.
#include "zwang/model/data_size.hpp"

#include <cstdio>

#include "support/no_allocation.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

std::size_t counted(const Model& model) {
  const long before = test::allocated_bytes();
  const Data data(model);
  return static_cast<std::size_t>(test::allocated_bytes() - before) + sizeof(Data);
}

// Not a byte is missing from the table, but that of the handle on the model, a pointer's worth of heap.
TEST(DataSize, IsWhatTheConstructorAllocates) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Model model = build(random_robot(seed));
    const Data data(model);
    EXPECT_EQ(bytes_of(data) + sizeof(Model), counted(model)) << seed;
  }
}

TEST(DataSize, OfAChainOf300LinksIsBelowOneMebibyte) {
  const Model model = build(sample_chain(300));
  const Data data(model);
  for (const StageSize& stage : stage_sizes(data))
    std::printf("  %-13.*s %8zu bytes, %7.1f a body: %.*s\n", static_cast<int>(stage.stage.size()), stage.stage.data(),
                stage.bytes, static_cast<double>(stage.bytes) / model.bodies(), static_cast<int>(stage.used_by.size()),
                stage.used_by.data());
  std::printf("  %-13s %8zu bytes, %7.1f a body\n", "all", bytes_of(data),
              static_cast<double>(bytes_of(data)) / model.bodies());
  EXPECT_LE(bytes_of(data), std::size_t{1} << 20);
}

// Twice the chain, at most twice the bytes: nothing grows faster than the number of bodies.
TEST(DataSize, GrowsWithTheNumberOfBodies) {
  const auto bytes = [](int links) { return bytes_of(Data(build(sample_chain(links)))); };
  EXPECT_LE(bytes(2000), 2 * bytes(1000));
}

}  // namespace
}  // namespace zwang
