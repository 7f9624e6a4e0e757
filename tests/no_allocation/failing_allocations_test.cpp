// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out in a reader, a writer or a constructor is std::bad_alloc, whichever allocation it is that fails,
// and a call that ended so can be made again.
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "support/no_allocation.hpp"
#include "support/robots.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

/// Makes the call with the first, the second, … allocation failing, until it ends
/// before the failure comes; then once more.
template <class Call> void fail_each(const char* name, Call&& call) {
  call();  // what is allocated once in a process
  long failed = 0;
  for (long n = 1;; ++n) {
    bool ended = false;
    fail_allocation(n);
    try {
      call();
      ended = true;
    } catch (const std::bad_alloc&) { ++failed; } catch (const std::exception& error) {
      fail_allocation(0);
      ADD_FAILURE() << name << ": allocation " << n << ": " << error.what();
    }
    const bool spared = allocations_until_failure() > 0;
    fail_allocation(0);
    if (ended && spared) break;
    ASSERT_LT(n, 1'000'000);
  }
  EXPECT_GT(failed, 5) << name;
  call();
}

std::string urdf() {
  return "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
         "izz='1'/></inertial>"
         "<visual><geometry><box size='1 1 1'/></geometry></visual></link>"
         "<link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
         "izz='1'/></inertial></link>"
         "<joint name='a joint with a long name' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
         "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint><unknown/></robot>";
}

ConstraintSet constraints(const Model& m) {
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "hand", .frame = "tool0", .rows = rows("linear angular.x"), .role = Role::driver});
  set.add(ContactConstraint{.name = "touch", .frame = "link4", .rows = 3, .beta = {1, 0, 0.5}});
  set.add_group("all", {"hand", "touch"});
  return set;
}

TEST(FailingAllocations, InReadersAndWritersOfModelsAreBadAlloc) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const std::string text = urdf();
  fail_each("loads", [&] { (void)loads(text); });
  fail_each("check_urdf_text", [&] { (void)check_urdf_text(text); });
  const Model m = loads(text);
  const std::string json = to_json(m);
  const std::vector<std::uint8_t> cbor = to_cbor(m);
  fail_each("to_json", [&] { (void)to_json(m); });
  fail_each("to_cbor", [&] { (void)to_cbor(m); });
  fail_each("model_from_json", [&] { (void)model_from_json(json); });
  fail_each("model_from_cbor", [&] { (void)model_from_cbor(cbor); });
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(m.nv()), q = neutral(m);
  fail_each("state_json", [&] { (void)state_json(m, q, zero, zero); });
}

TEST(FailingAllocations, InConstraintSetsAndTheirDocumentsAreBadAlloc) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model m = load(model_file("arm7.urdf"));
  const ConstraintSet set = constraints(m);
  const std::string json = to_json(set);
  const std::vector<std::uint8_t> cbor = to_cbor(set);
  fail_each("constraints", [&] { (void)constraints(m); });
  fail_each("to_json", [&] { (void)to_json(set); });
  fail_each("constraints_from_json", [&] { (void)constraints_from_json(m, json); });
  fail_each("constraints_from_cbor", [&] { (void)constraints_from_cbor(m, cbor); });
  EXPECT_TRUE(same_constraints(set, constraints_from_json(m, json)));
}

TEST(FailingAllocations, OfASolverAndItsSolutionAreBadAlloc) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model m = load(model_file("arm7.urdf"));
  const ConstraintSet set = constraints(m);
  const Eigen::VectorXd q = neutral(m), v = Eigen::VectorXd::Zero(m.nv());
  fail_each("Data", [&] { Data data(m); });
  fail_each("Solver", [&] {
    Solver solver(m, set);
    (void)solver.solve({.q = q, .v = v});
  });
  Solver solver(m, set);
  const Solution& solution = solver.solve({.q = q, .v = v});
  fail_each("to_json", [&] { (void)to_json(set, solution); });
}

}  // namespace
}  // namespace zwang::test
