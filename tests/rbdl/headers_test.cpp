// SPDX-License-Identifier: BSD-3-Clause
// What RBDL's headers bring along: this file includes them alone, in an order of their own, and nothing of the standard
// library. tools/check_alone.py compiles each by itself.
#include <rbdl/Constraint.h>
#include <rbdl/addons/luamodel/luamodel.h>
#include <rbdl/addons/urdfreader/urdfreader.h>
#include <rbdl/compileassert.h>
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_eigenmath.h>
#include <rbdl/rbdl_utils.h>
//
#include <gtest/gtest.h>

namespace {

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

TEST(RbdlHeaders, BringWhatProgramsUse) {
  Model model;
  std::map<std::string, unsigned int> names = model.mBodyNameMap;
  std::list<int> numbers(1, std::numeric_limits<int>::max());
  std::vector<Scalar> more(1, 0.5);
  std::ostringstream text;
  text << names.size() << ' ' << memcmp("a", "a", 1);
  assert(numbers.size() == more.size());
  std::cout << text.str() << std::endl;
  EXPECT_EQ(text.str(), "1 0");
}

TEST(RbdlHeaders, TheLogIsAProgramsOwn) {
  ClearLogOutput();
  LOG << "not written";
  LogOutput << "written";
  EXPECT_EQ(LogOutput.str(), "written");
  ClearLogOutput();
  EXPECT_EQ(LogOutput.str(), "");
}

TEST(RbdlHeaders, LuaIsRefusedWithASentence) {
  Model model;
  try {
    Addons::LuaModelReadFromFile("walker.lua", &model, false);
    FAIL() << "accepted";
  } catch (const Errors::RBDLMissingImplementationError& error) {
    EXPECT_NE(std::string(error.what()).find("walker.lua is not read: zwang reads no Lua"), std::string::npos);
  }
}

}  // namespace
