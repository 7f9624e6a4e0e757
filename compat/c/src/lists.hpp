// SPDX-License-Identifier: BSD-3-Clause
// The lists behind the constants of zwang.h: their words follow from the lists of the library where it has one, the
// others are of this interface and stand in lists.cpp alone.
#pragma once
#include <span>

namespace zwang::c {

struct Word {
  const char* word;
  int number;
};
struct List {
  const char* name;    ///< of the list itself: a word of the first list
  const char* prefix;  ///< of its constants; "" where words are all that calls take
  const char* says;
  std::span<const Word> words;
};
/// All of them; the first one is the list of their names.
std::span<const List> lists();
/// The word of a number in the list of that name; nullptr where there is none.
const char* word_of(const char* list, int number);
/// The numbers of the face's own lists.
enum class Names { joint, link, frame, coordinate, loop, configuration };
enum class Numbers { neutral, lower, upper, velocity_limit, effort_limit, damping, friction, armature, actuated };

}  // namespace zwang::c
