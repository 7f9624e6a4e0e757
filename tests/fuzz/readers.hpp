// SPDX-License-Identifier: BSD-3-Clause
// What is promised of every reader, whatever bytes it gets: an exception that is documented, or an object that is
// written and read again the same and with which dynamics can be computed. The fuzz targets (target.cpp) and a test of
// the corpus (corpus_test.cpp) feed them.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/model/model.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {

using Input = std::span<const std::uint8_t>;

/// Longer inputs are not looked at.
inline constexpr std::size_t k_input_bytes = 64u << 10;

/// A promise that an input has broken.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};

struct FuzzedReader {
  const char* name;  ///< its folder in corpus/
  void (*feed)(Input);
};
/// All of them.
std::span<const FuzzedReader> fuzzed_readers();
/// Feeds the reader of that name; std::invalid_argument where there is none.
void feed(const std::string& name, Input input);

/// A text of any format.
void feed_robot(Input input);
void feed_srdf(Input input);
void feed_mesh(Input input);
void feed_model_json(Input input);
void feed_model_cbor(Input input);
void feed_constraints_json(Input input);
void feed_constraints_cbor(Input input);
void feed_vector(Input input);
void feed_problem(Input input);

// --- parts ---------------------------------------------------------------------------------------------------------

/// A text whose last line is one character: that character chooses among the reader's options (0 without it).
struct TextAndChoice {
  std::string text;
  unsigned choice = 0;
};
TextAndChoice split(Input input);

/// Throws Broken where `kept` is false.
void promise(bool kept, const std::string& what);

/// Inverse and forward dynamics at the neutral configuration end with a status that is documented for them, and with
/// numbers where they say so; a second workspace gives the same bits.
void use(const Model& model);

/// The model written as JSON and as CBOR, and read again, is the same robot, and moves the same.
void check_documents(const Model& model);

/// One of a few robots of models/.
const Model& robot(unsigned choice);

/// Whether all are finite.
inline bool all_finite(const auto& values) {
  for (const double x : values)
    if (!std::isfinite(x)) return false;
  return true;
}

/// The status is one that a solve of finite numbers may have, and what is said to be a result is finite.
void check_solution(const Solution& s);

/// Solves at the neutral configuration and at rest, where the set has few rows.
/// A result that is said to be there is finite.
void solve_at_rest(const ConstraintSet& set);

}  // namespace zwang::test
