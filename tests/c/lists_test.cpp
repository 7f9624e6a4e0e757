// SPDX-License-Identifier: BSD-3-Clause
// What follows from lists in the C interface: numbers of algorithms and the constants of zwang_lists.h.
// ZWANG_WRITE_C=1 writes both files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <zwang.h>
#include "zwang/algorithm/algorithm.hpp"

namespace zwang::test {
namespace {

constexpr char k_numbers[] = ZWANG_C_FOLDER "/src/numbers.hpp";
constexpr char k_header[] = ZWANG_C_FOLDER "/include/zwang_lists.h";

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
bool writes() { return std::getenv("ZWANG_WRITE_C") != nullptr; }

std::string upper(std::string word) {
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

/// The algorithms with a number, in its order.
std::vector<std::string> numbered() {
  std::vector<std::string> names;
  for (int k = 0; k < zwang_list_size(ZWANG_LIST_ALGORITHM); ++k)
    names.emplace_back(zwang_list_word(ZWANG_LIST_ALGORITHM, k, nullptr));
  return names;
}

/// A row that is new in the list comes last; a build after ZWANG_WRITE_C=1 knows it.
TEST(CLists, EveryAlgorithmHasANumber) {
  std::vector<std::string> names = numbered();
  for (const Algorithm& row : algorithms())
    if (std::find(names.begin(), names.end(), row.name) == names.end()) names.emplace_back(row.name);
  std::string text = text_of(k_numbers), lines;
  for (const std::string& name : names) lines += "    \"" + name + "\",\n";
  const std::string begin = "k_algorithm_names[] = {\n";
  const std::size_t at = text.find(begin) + begin.size(), end = text.find("};", at);
  const std::string wanted = text.substr(0, at) + lines + text.substr(end);
  if (writes()) std::ofstream(k_numbers) << wanted;
  EXPECT_EQ(text_of(k_numbers), wanted) << "ZWANG_WRITE_C=1 writes " << k_numbers << "; then build again";
}

TEST(CLists, NumbersAreThoseOfOneRowEach) {
  const std::vector<std::string> names = numbered();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (int k = 0; k < static_cast<int>(names.size()); ++k) {
    zwang_algorithm_info info;
    const int status = zwang_algorithm_describe(k, &info);
    if (status == ZWANG_UNSUPPORTED) continue;  // a row that is gone
    ASSERT_EQ(status, ZWANG_OK) << zwang_error();
    EXPECT_EQ(info.name, names[static_cast<std::size_t>(k)]);
    const Algorithm& row = algorithm(info.name);
    EXPECT_EQ(info.vectors, row.vectors());
    EXPECT_EQ(info.results, row.gives.count);
    EXPECT_EQ(info.lanes, row.lanes ? 1 : 0);
    int found = -1;
    EXPECT_EQ(zwang_algorithm_find(info.name, &found), ZWANG_OK);
    EXPECT_EQ(found, k);
    if (*info.alias != 0) {
      EXPECT_EQ(zwang_algorithm_find(info.alias, &found), ZWANG_OK);
      EXPECT_EQ(found, k);
    }
    for (int i = 0; i < info.arguments; ++i) {
      zwang_argument_info a;
      ASSERT_EQ(zwang_algorithm_argument(k, i, &a), ZWANG_OK);
      EXPECT_STREQ(a.name, row.takes[i].name);
      EXPECT_EQ(a.takes, static_cast<int>(row.takes[i].what));
      EXPECT_EQ(a.optional, row.takes[i].optional ? 1 : 0);
    }
  }
}

/// Extents by their parts are those that a model gives.
TEST(CLists, ShapesAreProductsOfTheirParts) {
  zwang_model* model = nullptr;
  ASSERT_EQ(zwang_model_load(ZWANG_MODELS "/quadruped.urdf", nullptr, &model), ZWANG_OK) << zwang_error();
  zwang_model_info robot;
  ASSERT_EQ(zwang_model_describe(model, &robot), ZWANG_OK);
  const int per[] = {1, robot.nq, robot.nv, robot.joints, robot.links, 3};
  ASSERT_EQ(std::size(per), static_cast<std::size_t>(zwang_list_size(ZWANG_LIST_PER)));
  for (int k = 0; k < zwang_list_size(ZWANG_LIST_ALGORITHM); ++k) {
    zwang_algorithm_info info;
    if (zwang_algorithm_describe(k, &info) != ZWANG_OK) continue;
    for (int i = 0; i < info.results; ++i) {
      zwang_result_info r;
      std::size_t size = 0;
      int shape[3];
      ASSERT_EQ(zwang_algorithm_result(k, i, &r), ZWANG_OK);
      ASSERT_EQ(zwang_model_result_size(model, k, i, 3, &size, shape), ZWANG_OK);
      std::size_t product = 1;
      for (int e = 0; e < 3; ++e) {
        EXPECT_EQ(shape[e], r.factor[e] * per[r.per[e]]) << info.name;
        product *= static_cast<std::size_t>(shape[e]);
      }
      EXPECT_EQ(size, product) << info.name;
    }
  }
  EXPECT_EQ(zwang_model_free(model), ZWANG_OK);
}

TEST(CLists, ConstantsOfTheHeaderAreTheListsOfTheLibrary) {
  std::string text = text_of(k_header);
  const std::size_t begin = text.find("#pragma once\n\n") + 14;
  std::string lines;
  for (int list = 0; list < zwang_list_size(ZWANG_LIST_LIST); ++list) {
    const char *prefix = nullptr, *sentence = nullptr;
    ASSERT_EQ(zwang_list_describe(list, &prefix, &sentence), ZWANG_OK);
    if (*prefix == 0) continue;  // words alone
    lines += std::string("/* ") + sentence + " */\nenum {\n";
    for (int k = 0; k < zwang_list_size(list); ++k) {
      int number = -1;
      const char* const word = zwang_list_word(list, k, &number);
      lines += "  " + std::string(prefix) + upper(word) + " = " + std::to_string(number) +
               (k + 1 < zwang_list_size(list) ? ",\n" : "\n");
    }
    lines += "};\n";
  }
  const std::string wanted = text.substr(0, begin) + lines;
  if (writes()) std::ofstream(k_header) << wanted;
  EXPECT_EQ(text_of(k_header), wanted) << "ZWANG_WRITE_C=1 writes " << k_header;
}

/// Settings take a method by its word. A constant would freeze a number that nobody needs.
TEST(CLists, MethodsAreWords) {
  const char *prefix = nullptr, *sentence = nullptr;
  ASSERT_EQ(zwang_list_describe(ZWANG_LIST_METHOD, &prefix, &sentence), ZWANG_OK);
  EXPECT_STREQ(prefix, "");
  std::set<std::string> words;
  for (int k = 0; k < zwang_list_size(ZWANG_LIST_METHOD); ++k)
    words.insert(zwang_list_word(ZWANG_LIST_METHOD, k, nullptr));
  EXPECT_EQ(words.count("dense_qr"), 1u);
  EXPECT_EQ(text_of(k_header).find("ZWANG_METHOD_"), std::string::npos);
}

TEST(CLists, HaveWordsForStatuses) {
  EXPECT_STREQ(zwang_status_word(ZWANG_OK), "ok");
  EXPECT_STREQ(zwang_status_word(ZWANG_OUT_OF_MEMORY), "out_of_memory");
  EXPECT_EQ(zwang_status_word(-1), nullptr);
  EXPECT_EQ(zwang_status_word(99), nullptr);
  EXPECT_EQ(zwang_status_has_result(ZWANG_INFEASIBLE), 1);
  EXPECT_EQ(zwang_status_has_result(ZWANG_SINGULAR_MASS), 0);
  EXPECT_EQ(zwang_status_has_result(ZWANG_IN_USE), 0);
  EXPECT_EQ(zwang_list_size(-1), 0);
  EXPECT_EQ(zwang_list_size(1000), 0);
  EXPECT_EQ(zwang_list_word(ZWANG_LIST_STATUS, 1000, nullptr), nullptr);
  EXPECT_EQ(zwang_abi(), ZWANG_ABI);
  EXPECT_STRNE(zwang_version(), "");
  EXPECT_STRNE(zwang_instruction_set(), "");
}

}  // namespace
}  // namespace zwang::test
