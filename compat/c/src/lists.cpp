// SPDX-License-Identifier: BSD-3-Clause
#include "lists.hpp"

#include <array>
#include <cstring>
#include <iterator>
#include <string_view>

#include "call.hpp"
#include "numbers.hpp"
#include "solver_objects.hpp"
#include "zwang/algorithm/algorithm_row.hpp"
#include "zwang/constraint/constraint.hpp"
#include "zwang/core/instruction_set.hpp"
#include "zwang/core/status.hpp"
#include "zwang/factor/methods.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::c {
namespace {

// Enumerations of the library without a list of words. A value that is new there does not compile here without one.
constexpr const char* word(Takes x) {
  switch (x) {
    case Takes::configuration: return "configuration";
    case Takes::tangent: return "tangent";
    case Takes::frame: return "frame";
    case Takes::seen_from: return "seen_from";
    case Takes::frames: return "frames";
    case Takes::point: return "point";
    case Takes::number: return "number";
    case Takes::kind: return "kind";
    case Takes::reference: return "reference";
    case Takes::external: return "external";
    case Takes::effects: return "effects";
    case Takes::with_gravity: return "with_gravity";
    case Takes::gravity: return "gravity";
  }
  return nullptr;
}
constexpr const char* word(Reference x) {
  switch (x) {
    case Reference::local: return "local";
    case Reference::world: return "world";
    case Reference::local_world_aligned: return "local_world_aligned";
  }
  return nullptr;
}
constexpr const char* word(Mode x) {
  switch (x) {
    case Mode::standard: return "standard";
    case Mode::strict: return "strict";
    case Mode::lenient: return "lenient";
  }
  return nullptr;
}

constexpr const char* word(Names x) {
  switch (x) {
    case Names::joint: return "joint";
    case Names::link: return "link";
    case Names::frame: return "frame";
    case Names::coordinate: return "coordinate";
    case Names::loop: return "loop";
    case Names::configuration: return "configuration";
  }
  return nullptr;
}
constexpr const char* word(Numbers x) {
  switch (x) {
    case Numbers::neutral: return "neutral";
    case Numbers::lower: return "lower";
    case Numbers::upper: return "upper";
    case Numbers::velocity_limit: return "velocity_limit";
    case Numbers::effort_limit: return "effort_limit";
    case Numbers::damping: return "damping";
    case Numbers::friction: return "friction";
    case Numbers::armature: return "armature";
    case Numbers::actuated: return "actuated";
  }
  return nullptr;
}

template <class E, int N> constexpr auto by_switch() {
  static_assert(word(static_cast<E>(N - 1)) != nullptr && word(static_cast<E>(N)) == nullptr, "another count");
  std::array<Word, N> words{};
  for (int k = 0; k < N; ++k) words[k] = {word(static_cast<E>(k)), k};
  return words;
}
template <class... W> constexpr std::array<Word, sizeof...(W)> numbered(W... words) {
  int k = 0;
  return {Word{words, k++}...};
}
template <class E> constexpr auto by_words() {
  constexpr auto own = words_of(Type<E>());
  std::array<Word, own.size()> words{};
  for (std::size_t k = 0; k < own.size(); ++k) words[k] = {own[k], static_cast<int>(k)};
  return words;
}
template <std::size_t M, std::size_t N>
constexpr auto joined(const std::array<Word, M>& a, const std::array<Word, N>& b) {
  std::array<Word, M + N> all{};
  for (std::size_t k = 0; k < M; ++k) all[k] = a[k];
  for (std::size_t k = 0; k < N; ++k) all[M + k] = b[k];
  return all;
}

constexpr std::array k_own_statuses{
    Word{"invalid_handle", 100},   Word{"in_use", 101},        Word{"unsupported", 102},
    Word{"mismatch", 103},         Word{"not_ready", 104},     Word{"refused_model", 105},
    Word{"refused_document", 106}, Word{"out_of_memory", 107}, Word{"internal", 108}};
constexpr auto k_statuses = joined(by_words<Status>(), k_own_statuses);
constexpr auto k_takes = by_switch<Takes, 13>();
constexpr auto k_references = by_switch<Reference, 3>();
constexpr auto k_kinds = by_words<AccelerationKind>();
constexpr auto k_modes = by_switch<Mode, 3>();
constexpr auto k_per = numbered("one", "nq", "nv", "joint", "link", "frame");
constexpr std::array k_effects{Word{"armature", 1}, Word{"damping", 2}, Word{"springs", 4}, Word{"friction", 8},
                               Word{"gravity_scale", 16}};
constexpr auto k_names = by_switch<Names, 6>();
constexpr auto k_numbers = by_switch<Numbers, 9>();
#define ZWANG_WORD(name) #name,
constexpr const char* k_method_names[] = {ZWANG_SOLVE_METHODS(ZWANG_WORD)};
#undef ZWANG_WORD

template <std::size_t N> constexpr std::array<Word, N> counted(const char* const (&names)[N]) {
  std::array<Word, N> words{};
  for (std::size_t k = 0; k < N; ++k) words[k] = {names[k], static_cast<int>(k)};
  return words;
}
template <class S, std::size_t N> constexpr std::array<Word, N> counted(const SolutionVector<S> (&vectors)[N]) {
  std::array<Word, N> words{};
  for (std::size_t k = 0; k < N; ++k) words[k] = {vectors[k].word, static_cast<int>(k)};
  return words;
}
constexpr auto k_solution_words = counted(k_solution_vectors);
constexpr auto k_part_words = counted(k_constraint_vectors);
constexpr auto k_state_words = counted(k_state_vectors);
constexpr auto k_methods = counted(k_method_names);
constexpr auto k_algorithm_words = counted(k_algorithm_names);

// A line for each: its words follow.
constexpr List k_without_names[] = {
    {"list", "ZWANG_LIST_", "The lists themselves.", {}},
    {"status", "ZWANG_", "How a call ended.", k_statuses},
    {"reference", "ZWANG_REFERENCE_", "Reference point and axes.", k_references},
    {"acceleration", "ZWANG_ACCELERATION_", "Which acceleration of a point.", k_kinds},
    {"effect", "ZWANG_EFFECT_", "Effects of joints that count, a bit each.", k_effects},
    {"mode", "ZWANG_MODE_", "Which findings refuse a model.", k_modes},
    {"names", "ZWANG_NAMES_", "What of a model has names.", k_names},
    {"numbers", "ZWANG_NUMBERS_", "Vectors of a model.", k_numbers},
    {"takes", "ZWANG_TAKES_", "Arguments of algorithms.", k_takes},
    {"per", "ZWANG_PER_", "What extents of results count.", k_per},
    {"solution", "ZWANG_SOLUTION_", "Vectors of a solution.", k_solution_words},
    {"part", "ZWANG_PART_", "Vectors of the part of a constraint in it.", k_part_words},
    {"state", "ZWANG_STATE_", "Vectors of a state of a motion.", k_state_words},
    {"method", "", "Methods of a solver.", k_methods},  // settings take the word: a number of it is not kept
    {"algorithm", "ZWANG_ALG_", "The list of algorithms.", k_algorithm_words},
};
constexpr auto k_list_words = [] {
  std::array<Word, std::size(k_without_names)> words{};
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = {k_without_names[k].name, static_cast<int>(k)};
  return words;
}();
constexpr auto k_lists = [] {
  std::array<List, std::size(k_without_names)> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k_without_names[k];
  all[0].words = k_list_words;
  return all;
}();

}  // namespace

std::span<const List> lists() { return k_lists; }

const char* word_of(const char* list, int number) {
  for (const List& l : k_lists)
    if (std::strcmp(l.name, list) == 0)
      for (const Word& w : l.words)
        if (w.number == number) return w.word;
  return nullptr;
}

}  // namespace zwang::c

using namespace zwang::c;

const char* zwang_version(void) { return ZWANG_VERSION; }
int zwang_abi(void) { return ZWANG_ABI; }
const char* zwang_instruction_set(void) {
  static thread_local char level[16];
  (void)call(__func__, [] { put_text(zwang::instruction_set(), level, sizeof level, nullptr); });
  return level;
}
const char* zwang_status_word(int status) { return word_of("status", status); }
int zwang_status_has_result(int status) {
  return status >= 0 && status < 100 && has_result(static_cast<zwang::Status>(status)) ? 1 : 0;
}
int zwang_list_size(int list) {
  return list >= 0 && list < static_cast<int>(lists().size()) ? static_cast<int>(lists()[list].words.size()) : 0;
}
int zwang_list_describe(int list, const char** prefix, const char** sentence) {
  return call(__func__, [&] {
    const List& own = lists()[needed_index(list, static_cast<int>(lists().size()), "list")];
    if (prefix != nullptr) *prefix = own.prefix;
    if (sentence != nullptr) *sentence = own.says;
  });
}
const char* zwang_list_word(int list, int k, int* number) {
  if (k < 0 || k >= zwang_list_size(list)) return nullptr;
  const Word& word = lists()[list].words[k];
  if (number != nullptr) *number = word.number;
  return word.word;
}
