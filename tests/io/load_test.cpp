// SPDX-License-Identifier: BSD-3-Clause
// From a file to a Model: the whole way, in each mode.
#include "support.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

TEST(Load, ATextBecomesAModel) {
  Diagnostics found;
  const Model m = loads(arm(), {}, &found);
  EXPECT_EQ(m.nv(), 2);
  EXPECT_EQ(m.joint("elbow").description.effort[0], 3.0);
  EXPECT_FALSE(refused(found));
}

TEST(Load, FindingsOfTheBuilderPointIntoTheElement) {
  const std::string text =
      arm(link("tip") + joint("wrist", "lower", "tip", "<axis xyz='0 0 1'/><mimic joint='elbwo'/>"));
  Diagnostics found;
  try {
    loads(text, in_mode(Mode::standard), &found);
    FAIL() << "not refused";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), "E_MIMIC");
    const Diagnostic* d = find(found, "E_MIMIC");
    ASSERT_TRUE(d);
    EXPECT_EQ(d->line, 8);
    EXPECT_EQ(text.substr(text.find("<joint name='wrist'") - 2 + static_cast<std::size_t>(d->column) - 1, 6), "<mimic");
    EXPECT_TRUE(has(error.what(), "did you mean 'elbow'?")) << error.what();
  }
}

TEST(Load, LenientModeLoadsWhatHasAMeaning) {
  const std::string text = arm(link("x") + link("y") + joint("j", "x", "y") + joint("k", "y", "x") +
                               joint("extra", "base", "lower") + joint("self", "base", "base"));
  EXPECT_THROW(loads(text), ModelError);
  Diagnostics found;
  const Model m = loads(text, in_mode(Mode::lenient), &found);
  EXPECT_EQ(m.nv(), 2);
  EXPECT_TRUE(find(found, "E_CYCLE") && find(found, "E_TWO_PARENTS") && find(found, "E_SELF_JOINT")) << all(found);
  EXPECT_TRUE(m.find_frame("extra_predecessor"));
}

TEST(Load, BadInput26AHundredThousandLinksInARow) {
  for (const int n : {10000, 100000}) {
    std::string text;
    for (int i = 0; i <= n; ++i) text += link("l" + std::to_string(i));
    for (int i = 0; i < n; ++i)
      text += joint("j" + std::to_string(i), "l" + std::to_string(i), "l" + std::to_string(i + 1));
    const Model m = loads(robot(text));
    EXPECT_EQ(m.nv(), n);
    EXPECT_EQ(m.bodies(), n);
  }
}

TEST(Load, BadInput43RobotsWithoutMotion) {
  const Model one = loads(robot(link("a")));
  EXPECT_EQ(one.nq(), 0);
  const Model fixed = loads(robot(link("a") + link("b") + joint("j", "a", "b", "", "fixed")));
  EXPECT_EQ(fixed.nv(), 0);
  EXPECT_EQ(fixed.links().size(), 2u);
  LoadOptions options;
  options.root = "floating";
  EXPECT_EQ(loads(robot(link("a")), options).nv(), 6);
  std::string text = link("l0");
  for (int i = 0; i < 500; ++i)
    text += link("l" + std::to_string(i + 1)) +
            joint("j" + std::to_string(i), "l" + std::to_string(i / 2), "l" + std::to_string(i + 1));
  EXPECT_EQ(loads(robot(text)).nv(), 500);
}

TEST(Load, ATextGivenAsANameAndANameGivenAsATextAreAnsweredWithTheOther) {
  for (const std::string& text : {arm(), "  \n<?xml version='1.0'?>\n" + arm(), std::string("\xef\xbb\xbf") + arm()}) {
    const Diagnostics found = check_urdf(text);
    ASSERT_TRUE(find(found, "E_FILE")) << all(found);
    EXPECT_TRUE(has(find(found, "E_FILE")->hint, "loads reads a text"));
    EXPECT_LT(all(found).size(), 200u) << "the text is not repeated";
    EXPECT_THROW(load(text), ModelError);
  }
  for (const char* name : {"models/arm7.urdf", "/robots/robot.urdf", "arm7.urdf\n", "./x.xml", "package://a/b.urdf"}) {
    const Diagnostics found = check_urdf_text(name);
    ASSERT_TRUE(find(found, "E_XML")) << all(found);
    EXPECT_TRUE(has(find(found, "E_XML")->hint, "load reads a file")) << all(found);
    EXPECT_THROW(loads(name), ModelError);
  }
  EXPECT_TRUE(has(all(check_urdf("nowhere.urdf")), "no such file"));
}

TEST(Load, AZeroQuaternionIsAnsweredWithWhatIsOne) {
  const std::string turned = "<origin quat_xyzw='0 0 0 0'/><axis xyz='0 0 1'/>";
  EXPECT_TRUE(
      has(expect_refused(arm(link("tip") + joint("wrist", "lower", "tip", turned, "continuous")), "E_QUATERNION").hint,
          "0 0 0 1"));
  for (const char* root : {"floating", "spherical"}) {
    LoadOptions options;
    options.root = root;
    const Model m = loads(arm(), options);
    const Eigen::VectorXd q = Eigen::VectorXd::Zero(m.nq());
    try {
      check_configuration(m, q.data(), m.nq(), "f");
      ADD_FAILURE() << "a zero quaternion was taken";
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(has(error.what(), "has no direction; zwang::neutral")) << error.what();
      EXPECT_FALSE(has(error.what(), "normalize")) << error.what();
    }
    Eigen::VectorXd longer = neutral(m);
    longer *= 2;
    try {
      check_configuration(m, longer.data(), m.nq(), "f");
      ADD_FAILURE() << "a long quaternion was taken";
    } catch (const std::invalid_argument& error) { EXPECT_TRUE(has(error.what(), "zwang::normalize")) << error.what(); }
  }
}

TEST(Load, AllSharedRobotsInStandardMode) {
  if (shared_robots().empty())
    GTEST_SKIP() << "the shared robots are not beside the checkout (set ZWANG_SHARED_ROBOTS)";
  for (const auto& entry : std::filesystem::directory_iterator(shared_robots())) {
    if (entry.path().extension() != ".urdf") continue;
    EXPECT_NO_THROW({
      const Model m = load(entry.path().string());
      EXPECT_GT(m.nv(), 0) << entry.path();
    }) << entry.path();
  }
}

}  // namespace
}  // namespace zwang::test
