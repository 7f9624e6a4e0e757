// SPDX-License-Identifier: BSD-3-Clause
// Constraint sets.
#include "fuzz/readers.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"

namespace zwang::test {
namespace {

template <class Read> void feed_set(const Model& model, Read&& read) {
  try {
    const ConstraintSet set = read();
    const std::string text = to_json(set);
    const std::vector<std::uint8_t> bytes = to_cbor(set);
    const ConstraintSet from_json = constraints_from_json(model, text), from_cbor = constraints_from_cbor(model, bytes);
    promise(same_constraints(set, from_json) && same_constraints(set, from_cbor), "what is read again is another set");
    promise(hash(set) == hash(from_json) && hash(set) == hash(from_cbor), "what is read again has another hash");
    promise(to_json(from_json) == text && to_cbor(from_cbor) == bytes, "what is read again is written in another way");
    solve_at_rest(set);
  } catch (const JsonError& error) {
    promise(!std::string(error.what()).empty(), "a set is refused without a message");
  }
}

}  // namespace

void feed_constraints_json(Input input) {
  const TextAndChoice given = split(input);
  const Model& model = robot(given.choice);
  feed_set(model, [&] { return constraints_from_json(model, given.text); });
}

/// The first byte chooses the robot.
void feed_constraints_cbor(Input input) {
  if (input.empty()) return;
  const Model& model = robot(input[0]);
  feed_set(model, [&] { return constraints_from_cbor(model, input.subspan(1)); });
}

}  // namespace zwang::test
