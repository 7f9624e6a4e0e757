// SPDX-License-Identifier: BSD-3-Clause
// W_MASSLESS of what a joint's axis makes massless: said exactly where forward dynamics finds the mass matrix singular.
#include <gtest/gtest.h>

#include <algorithm>

#include "zwang/algorithm/real_time.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"

namespace zwang {
namespace {

struct LastJoint {
  const char* type;
  Vec3<double> centre;
  Sym3<double> inertia;
  bool massless;
  double rotor = 0, mass = 1;
  std::vector<double> parameters = {};
};

Model arm(const LastJoint& c, const BuildOptions& options = {}) {
  RobotDescription r;
  r.links = {{.name = "a", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)},
             {.name = "b", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)},
             {.name = "c", .mass = c.mass, .centre = c.centre, .inertia = c.inertia}};
  JointDescription first, last;
  first.name = "first", first.type = "revolute", first.parent = "a", first.child = "b", first.axis = {0, 1, 0};
  last.name = "last", last.type = c.type, last.parent = "b", last.child = "c", last.axis = {0, 0, 1};
  last.origin.p = {0.3, 0, 0.1};
  last.parameters = c.parameters;
  if (c.rotor > 0) last.rotor_inertia = {c.rotor};
  r.joints = {first, last};
  return build(r, options);
}
bool warns(const Model& model) {
  const Diagnostics& d = model.diagnostics();
  return std::any_of(d.begin(), d.end(), [](const Diagnostic& x) { return x.code == "W_MASSLESS"; });
}

TEST(Massless, IsSaidWhereForwardDynamicsIsSingular) {
  const Sym3<double> none = Sym3<double>::zero(), rod = Sym3<double>::diagonal(0.1, 0.1, 0),
                     ball = Sym3<double>::diagonal(0.1, 0.1, 0.1);
  const LastJoint cases[] = {
      {"revolute", {0, 0, 0.2}, none, true},
      {"revolute", {0, 0, 0.2}, rod, true},
      {"revolute", {0, 0, 0.2}, none, false, 1e-3},
      {"revolute", {1e-20, 0, 0.2}, none, true},
      {"revolute", {1e-3, 0, 0.2}, none, false},
      {"continuous", {0, 0, 0}, ball, false},
      {"revolute_unbounded", {0, 0, 0.2}, none, true},
      {"prismatic", {0, 0, 0.2}, ball, true, 0, 0},
      {"prismatic", {0, 0, 0.2}, none, false},
      {"helical", {0, 0, 0.2}, none, false, 0, 1, {0.1}},
      {"cylindrical", {0, 0, 0.2}, rod, true},
      {"cylindrical", {0.1, 0, 0.2}, rod, false},
      {"spherical", {0, 0, 0.2}, none, true},
      {"spherical", {0, 0, 0.2}, ball, false},
      {"spherical", {0.1, -0.2, 0.3}, none, true},
      {"planar", {0, 0, 0.2}, rod, true},
      {"planar", {0.2, 0, 0.2}, rod, true},  // a point mass moves in the plane without turning
      {"planar", {0.2, 0, 0.2}, ball, false},
      {"translation", {0, 0, 0}, ball, true, 0, 0},
      {"translation", {0, 0, 0}, none, false},
      {"floating", {0.1, 0.2, 0.3}, rod, true},
      {"floating", {0.1, 0.2, 0.3}, ball, false},
      {"universal", {0.2, 0, 0}, none, true},  // on the second axis
      {"universal", {0.2, 0, 0}, Sym3<double>::diagonal(0, 0.1, 0.1), true},
      {"universal", {0, 0, 0.2}, none, false},  // on the first axis only where the second angle is zero
      {"universal", {0, 0, 0}, rod, false},
      {"universal", {0.2, 0, 0}, ball, false},
      {"spherical_zyx", {0.1, 0.2, 0.3}, none, true},
      {"spherical_zyx", {0, 0, 0}, rod, true},
      {"spherical_zyx", {0, 0, 0.3}, ball, false},  // singular at gimbal lock alone
      {"ellipsoid", {0, 0, 0.2}, none, true, 0, 1, {0.1, 0.2, 0.3}},
      {"ellipsoid", {0, 0, 0.2}, rod, true, 0, 1, {0.1, 0.2, 0.3}},
      {"ellipsoid", {0.1, 0, 0.2}, ball, false, 0, 1, {0.1, 0.2, 0.3}},
  };
  for (const LastJoint& c : cases) {
    const Model model = arm(c);
    EXPECT_EQ(warns(model), c.massless) << c.type << " " << c.centre.x;
    Data data(model);
    const Eigen::VectorXd q = random(model, 3), zero = Eigen::VectorXd::Zero(model.nv());
    Eigen::VectorXd out(model.nv());
    EXPECT_EQ(try_forward_dynamics(model, data, q, zero, zero, out) == Status::singular_mass, c.massless)
        << c.type << " " << c.centre.x;
  }
}

TEST(Massless, StrictModeRefusesIt) {
  BuildOptions strict;
  strict.mode = Mode::strict;
  EXPECT_THROW(arm({"revolute", {0, 0, 0.2}, Sym3<double>::zero(), true}, strict), ModelError);
}

}  // namespace
}  // namespace zwang
