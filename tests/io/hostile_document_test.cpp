// SPDX-License-Identifier: BSD-3-Clause
// A hundred thousand damaged documents: each is refused with a documented error, or is a document of another robot or
// set that reads and writes itself again. ZWANG_HOSTILE=1000000 tries more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "io/documents.hpp"
#include "support/effort.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"

namespace zwang::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }
std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

int documents() {
  const char* given = std::getenv("ZWANG_HOSTILE");
  return given != nullptr ? std::atoi(given) : effort(100'000, 10'000);
}

/// Pieces that mean something to one of the two encodings.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all = {
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud800", "null", "true", "false", "nan", "\"inf\"", "NaN",
      "1e999", "-1e999", "1e-999", "-0", "0.1e", "99999999999999999999999999", "1e308", "4.9e-324", "\xff", "\xc0\x80",
      "\xed\xa0\x80", "/*", "\"name\": 3,", "\"version\": 2,", "\"links\": [],", "\"parent\": \"l2\",",
      std::string(200, '['), std::string(200, '{'), std::string("\0", 1),
      // CBOR: indefinite lengths, their end, tags, bignums, byte strings, lengths of 2^63,
      // NaN with a payload, half floats
      "\x9f", "\xbf", "\x7f", "\x5f", "\xff", "\xc0", "\xc2\x48\xff\xff\xff\xff\xff\xff\xff\xff", "\xd9\xd9\xf7",
      "\x44"
      "abcd",
      "\x9b\x7f\xff\xff\xff\xff\xff\xff\xff", "\x7b\xff\xff\xff\xff\xff\xff\xff\xff",
      "\xbb\x10\x10\x10\x10\x10\x10\x10\x10", "\x9a\x0f\xff\xff\xff", "\xfb\x7f\xf8\x01\x02\x03\x04\x05\x06",
      "\xfb\x7f\xf0\x01\x01\x01\x01\x01\x01", "\xf9\x7c\x01", "\xf9\x3c\x01", "\xfa\x3f\x80\x01\x01", "\xf6", "\xf7",
      "\xf8\x20", "\xe0", "\x3b\xff\xff\xff\xff\xff\xff\xff\xff", "\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
      std::string(300, '\x81'), std::string(300, '\xa1'), "\x64name", "\x67version\x02", "\x65links\x80", "\x1c",
      "\xfc"};
  return all;
}

Bytes damaged(const Bytes& whole, Random& random) {
  Bytes x = whole;
  const auto at = [&] { return static_cast<long>(random.below(static_cast<int>(x.size()) + 1)); };
  for (int k = 1 + random.below(3); k > 0; --k) {
    const long a = at(), b = at();
    const auto first = x.begin() + std::min(a, b), last = x.begin() + std::max(a, b);
    switch (random.below(9)) {
      case 0:
      case 1:
        if (a < static_cast<long>(x.size())) x[static_cast<std::size_t>(a)] ^= 1u << random.below(8);
        break;
      case 2:
        if (a < static_cast<long>(x.size())) x[static_cast<std::size_t>(a)] = static_cast<std::uint8_t>(random.next());
        break;
      case 3: x.resize(static_cast<std::size_t>(a)); break;
      case 4: x.erase(first, std::min(last, first + 1 + random.below(12))); break;
      case 5: {  // twice: keys that are given twice, lists that are too long
        const Bytes part(first, std::min(last, first + 60));
        x.insert(x.begin() + at(), part.begin(), part.end());
        break;
      }
      case 6: {  // elsewhere: other kinds of values, other names
        const Bytes part(first, std::min(last, first + 1 + random.below(20)));
        const long c = at();
        for (std::size_t i = 0; i < part.size() && static_cast<std::size_t>(c) + i < x.size(); ++i)
          x[static_cast<std::size_t>(c) + i] = part[i];
        break;
      }
      default: {
        const std::string& piece = pieces()[static_cast<std::size_t>(random.below(static_cast<int>(pieces().size())))];
        if (random.below(2) == 0) x.erase(first, std::min(last, first + 1 + random.below(9)));
        x.insert(x.begin() + std::min(a, static_cast<long>(x.size())), piece.begin(), piece.end());
      }
    }
  }
  return x;
}

struct Count {
  long refused = 0, accepted = 0;
};

/// `again(bytes)`: reads, and gives what is written of what was read.
template <class F>
void try_all(const std::vector<Bytes>& wholes, int count, std::uint64_t seed, Count& total, F&& again) {
  Random random(seed);
  for (int k = 0; k < count; ++k) {
    const Bytes x = damaged(wholes[static_cast<std::size_t>(random.below(static_cast<int>(wholes.size())))], random);
    Bytes first;
    try {
      first = again(x);
    } catch (const ModelError& error) {
      EXPECT_FALSE(error.diagnostics().empty());
      ++total.refused;
      continue;
    } catch (const JsonError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with("JSON") || what.starts_with("CBOR")) << what;
      ++total.refused;
      continue;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "document " << k << " of seed " << seed << ": " << error.what();
      continue;
    }
    ++total.accepted;
    EXPECT_EQ(again(first), first) << "document " << k << " of seed " << seed;
  }
}

void report(const Count& c) {
  EXPECT_GT(c.accepted, 0);
  EXPECT_GT(c.refused, c.accepted);
  std::printf("%ld refused, %ld are documents of something else\n", c.refused, c.accepted);
}

std::vector<Model> small_robots() {
  std::vector<Model> all = {build(full_robot(), full_options()), build(sample_cart_pole()), build(sample_gripper())};
  for (std::uint64_t seed = 1; seed < 5; ++seed) all.push_back(build(random_robot(seed, {.joints = 2})));
  return all;
}

TEST(HostileDocuments, OfModelsAsJson) {
  std::vector<Bytes> wholes;
  for (const Model& m : small_robots()) wholes.push_back(bytes_of(to_json(m)));
  Count count;
  try_all(wholes, documents() / 4, 1, count,
          [](const Bytes& x) { return bytes_of(to_json(model_from_json(text_of(x)))); });
  report(count);
}
TEST(HostileDocuments, OfModelsAsCbor) {
  std::vector<Bytes> wholes;
  for (const Model& m : small_robots()) wholes.push_back(to_cbor(m));
  Count count;
  try_all(wholes, documents() / 4, 2, count, [](const Bytes& x) { return to_cbor(model_from_cbor(x)); });
  report(count);
}

ConstraintSet small_set(const Model& m) {
  ConstraintSet set(m);
  set.add(
      ContactConstraint{.name = "foot", .frame = "LF_foot", .point = {0, 0, -0.01}, .rows = 3, .beta = {1, 0, 0.5}});
  FrameConstraint hold{.name = "hold", .frame = "RF_foot", .rows = rows("linear angular.x"), .role = Role::driver};
  hold.weight = {2.0};
  set.add(hold);
  set.add(DistanceConstraint{.name = "rod", .frame = "LH_foot", .other = "RH_foot", .length = 0.5});
  set.add_group("feet", {"foot", "hold"});
  return set;
}

TEST(HostileDocuments, OfSetsAsJson) {
  const Model m = build(sample_quadruped(), {.root = "floating"});
  Count count;
  try_all({bytes_of(to_json(small_set(m)))}, documents() / 4, 3, count,
          [&](const Bytes& x) { return bytes_of(to_json(constraints_from_json(m, text_of(x)))); });
  report(count);
}
TEST(HostileDocuments, OfSetsAsCbor) {
  const Model m = build(sample_quadruped(), {.root = "floating"});
  Count count;
  try_all({to_cbor(small_set(m))}, documents() / 4, 4, count,
          [&](const Bytes& x) { return to_cbor(constraints_from_cbor(m, x)); });
  report(count);
}

TEST(HostileDocuments, NothingHidesBehindAZero) {  // which parsers of C strings take for the end
  const std::string good = to_json(build(sample_cart_pole()));
  EXPECT_EQ(to_json(model_from_json(good + " \n")), good);
  for (const std::string& more : {std::string(1, '\0'), std::string("\0{", 2)})
    EXPECT_THROW((void)model_from_json(good + more), JsonError);
}

/// Memory grows with the bytes that are there, not with what they declare.
TEST(HostileDocuments, DeclaredLengthsReserveNothing) {
  for (const char* head : {"\x9b\x00\x00\x00\xff\xff\xff\xff\xff", "\xbb\x00\x00\x00\xff\xff\xff\xff\xff",
                           "\x7b\x00\x00\x00\xff\xff\xff\xff\xff"}) {
    const Bytes x(head, head + 9);
    EXPECT_THROW((void)model_from_cbor(x), JsonError);
  }
  Bytes deep(1'000'000, 0x81);
  EXPECT_THROW((void)model_from_cbor(deep), JsonError);
  EXPECT_THROW((void)model_from_json(std::string(1'000'000, '[')), JsonError);
  EXPECT_THROW((void)model_from_cbor(Bytes(k_model_bytes + 1)), JsonError);
  EXPECT_THROW((void)model_from_json(std::string(k_model_bytes + 1, ' ')), JsonError);
}

}  // namespace
}  // namespace zwang::test
