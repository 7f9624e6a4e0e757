// SPDX-License-Identifier: BSD-3-Clause
// Groups of constraints, and what a set remembers of how its constraints were added.
#include <gtest/gtest.h>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

ConstraintSet four_feet(const Model& m) {
  ConstraintSet set(m);
  for (const char* foot : {"LF", "RF", "LH", "RH"})
    set.add(ContactConstraint{.name = foot, .frame = std::string(foot) + "_foot"});
  set.add_group("front", {"RF", "LF"});
  set.add_group("left", {"LF", "LH"});
  return set;
}
Model quadruped() { return build(sample("quadruped"), {.root = "floating"}); }

std::string active_of(const ConstraintSet& set) {
  std::string text;
  for (const Constraint& c : set.constraints()) text += c.active ? '1' : '0';
  return text;
}

template <class F> void expect_says(F&& f, std::initializer_list<const char*> words) {
  try {
    f();
    ADD_FAILURE() << "taken: " << *words.begin();
  } catch (const std::invalid_argument& e) {
    for (const char* word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what() << " does not say " << word;
  }
}

TEST(Groups, AreSwitchedTogetherAndConstraintsAlone) {
  const Model m = quadruped();
  ConstraintSet set = four_feet(m);
  const unsigned version = set.version();
  set.set_active("front", false);
  EXPECT_EQ(active_of(set), "0011");
  set.set_active("RF", true);
  EXPECT_EQ(active_of(set), "0111");
  set.set_active("left", false);
  EXPECT_EQ(active_of(set), "0101");
  set.set_active("left", true);
  EXPECT_EQ(active_of(set), "1111");
  EXPECT_EQ(set.version(), version);  // nothing that a solver has to be made anew for
  ASSERT_EQ(set.groups().size(), 2u);
  EXPECT_EQ(set.groups()[1].name, "left");
  EXPECT_EQ(set.group("front").members, (std::vector<Index>{1, 0}));
}

TEST(Groups, AreRefusedByNameWhereTheyAreWrong) {
  const Model m = quadruped();
  ConstraintSet set = four_feet(m);
  expect_says([&] { set.add_group("rear", {"LH", "RG"}); }, {"'RG'", "did you mean"});
  expect_says([&] { set.add_group("rear", {"LH", "LH"}); }, {"rear", "'LH' is named twice"});
  expect_says([&] { set.add_group("rear", {}); }, {"rear", "no members"});
  expect_says([&] { set.add_group("", {"LH"}); }, {"empty"});
  expect_says([&] { set.add_group("left", {"LH"}); }, {"left", "taken"});
  expect_says([&] { set.add_group("LF", {"LH"}); }, {"LF", "taken"});
  expect_says([&] { set.add(ContactConstraint{.name = "left", .frame = "LF_foot"}); }, {"group", "left"});
  expect_says([&] { set.group("lefd"); }, {"lefd", "did you mean 'left'"});
  expect_says([&] { set.set_active("frond", false); }, {"frond", "did you mean 'front'"});
  expect_says([&] { set.set_active("RFF", false); }, {"RFF", "did you mean 'RF'"});
  EXPECT_EQ(set.groups().size(), 2u);
  EXPECT_EQ(set.size(), 4);
  EXPECT_EQ(active_of(set), "1111");
}

TEST(Groups, AreCopiedWithTheSet) {
  const Model m = quadruped();
  ConstraintSet set = four_feet(m), copy = set;
  copy.set_active("left", false);
  copy.add_group("rear", {"LH", "RH"});
  EXPECT_EQ(active_of(set), "1111");
  EXPECT_EQ(set.groups().size(), 2u);
  set = copy;
  EXPECT_EQ(active_of(set), "0101");
  EXPECT_EQ(set.group("rear").members.size(), 2u);
}

TEST(Sets, RememberAsWhatAConstraintWasAdded) {
  const Model m = quadruped();
  ConstraintSet set = four_feet(m);
  set["LF"].beta = {1, 2, 3};
  const ConstraintSet copy = set;
  for (const ConstraintSet* s : {&std::as_const(set), &copy}) {
    const auto* const added = s->added_as<ContactConstraint>("LF");
    ASSERT_NE(added, nullptr);
    EXPECT_EQ(added->frame, "LF_foot");
    EXPECT_TRUE(added->beta.empty());
    EXPECT_EQ(s->added_as<FrameConstraint>("LF"), nullptr);
  }
  expect_says([&] { set.added_as<ContactConstraint>("LG"); }, {"LG", "did you mean"});
}

}  // namespace
}  // namespace zwang::test
