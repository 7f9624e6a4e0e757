// SPDX-License-Identifier: BSD-3-Clause
// WrenchObserver allocates at construction alone: samples, restarts, held torques, redundant rows, switches, refusals.
#include <cmath>

#include "support/no_allocation.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/wrench_observer.hpp"

namespace zwang::test {
namespace {

TEST(ObserverCalls, AllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  LoadOptions options;
  options.root = "floating";
  const Model model = load(model_file("quadruped.urdf"), options);
  ConstraintSet set(model);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});
  const Eigen::VectorXd q = random(model, 3), v = Eigen::VectorXd::Ones(model.nv()), tau = -v;
  Eigen::VectorXd nan = v;
  nan(2) = std::nan("");
  const Externals external{external_wrench(model, model.find_frame("trunk"), {1, 2, 3, 4, 5, 6})};
  const std::string foot = "RF_foot";
  for (const bool held : {false, true}) {
    WrenchObserver observer(model, set, {{.frame = "trunk"}, {.frame = "RH_foot"}, {.frame = "trunk", .name = "twin"}},
                            {.held_torque = held});
    EXPECT_NO_ALLOCATION(observer.start({.q = q, .v = v, .tau = tau}));
    EXPECT_NO_ALLOCATION(observer.update({.q = q, .v = v, .tau = tau, .external = &external, .dt = 1e-3}));
    EXPECT_GE(observer.estimate().redundant.size(), 6U);
    EXPECT_NO_ALLOCATION(observer.set_active(foot, false));
    EXPECT_NO_ALLOCATION(observer.resume({.q = q, .v = v}));
    EXPECT_NO_ALLOCATION(observer.try_update({.q = q, .v = v, .dt = 1e-3}));
    EXPECT_NO_ALLOCATION(observer.try_update({.q = q, .v = nan, .dt = 1e-3}));
  }
}

}  // namespace
}  // namespace zwang::test
