// SPDX-License-Identifier: BSD-3-Clause
// W_MASSLESS of what a joint's axis makes massless: said exactly where forward dynamics finds the mass matrix singular.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "zwang/algorithm/real_time.hpp"
#include "zwang/algorithm/values.hpp"
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

/// A chain of joints whose links are without mass but for the base and the last one. Each is turned and shifted.
struct Row {
  const char* type;
  Vec3<double> axis, at;
  double rotor = 0;
};
Model chain(const std::vector<Row>& rows, const Sym3<double>& last = Sym3<double>::diagonal(0.1, 0.2, 0.15)) {
  RobotDescription r;
  r.links = {{.name = "base", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool end = k + 1 == rows.size();
    const std::string name = "l" + std::to_string(k);
    LinkDescription link{.name = name};
    if (end) link = {.name = name, .mass = 2, .centre = {0.1, 0.2, 0.3}, .inertia = last};
    JointDescription j{
        .name = "j" + std::to_string(k), .type = rows[k].type, .parent = r.links.back().name, .child = name};
    j.axis = rows[k].axis;
    j.origin.p = rows[k].at;
    if (rows[k].rotor > 0) j.rotor_inertia = {rows[k].rotor};
    r.links.push_back(link);
    r.joints.push_back(j);
  }
  return build(r);
}

/// Against the mass matrix at random configurations: columns scaled to one,
/// its least eigenvalue is rounding or it is not.
TEST(Massless, ALinkWithoutMassBetweenJointsThatUndoEachOtherIsSaid) {
  const Vec3<double> x{1, 0, 0}, z{0, 0, 1}, skew{0.6, 0, 0.8}, o{0, 0, 0}, along{0, 0, 0.4}, off{0.3, 0.2, 0};
  const std::vector<std::pair<std::vector<Row>, bool>> cases = {
      {{{"prismatic", x, off}, {"prismatic", x, off}}, true},
      {{{"prismatic", x, off}, {"prismatic", z, off}}, false},
      {{{"prismatic", x, off}, {"prismatic", z, off}, {"prismatic", skew, off}}, true},  // three slides in a plane
      {{{"revolute", z, off}, {"revolute", z, along}}, true},                            // coaxial
      {{{"revolute", z, off}, {"revolute", z, off}}, false},                             // parallel
      {{{"revolute", z, off}, {"revolute", z, along, 1e-3}}, false},                     // a rotor on one
      {{{"continuous", skew, off}, {"revolute", skew, {0.3, 0, 0.4}}}, true},
      {{{"revolute", z, off}, {"revolute", z, off}, {"revolute", z, off}}, false},  // a plane has three freedoms
      {{{"revolute", z, off}, {"revolute", z, off}, {"revolute", z, off}, {"revolute", z, off}}, true},
      {{{"prismatic", z, off}, {"revolute", z, off}, {"prismatic", z, off}}, true},  // the turn keeps the direction
      {{{"prismatic", x, off}, {"revolute", z, off}, {"prismatic", x, off}}, false},
      {{{"revolute", x, o}, {"revolute", z, o}, {"revolute", x, o}},
       false},  // a wrist, singular at some configurations alone
      {{{"spherical", z, off}, {"revolute", skew, o}}, true},
      {{{"spherical", z, off}, {"revolute", skew, off}}, false},
      {{{"planar", z, off}, {"prismatic", x, off}}, true},
      {{{"planar", z, off}, {"prismatic", z, off}}, false},
      {{{"cylindrical", z, off}, {"prismatic", z, off}}, true}};
  for (const auto& [rows, massless] : cases) {
    std::string name;
    for (const Row& r : rows) name += std::string(r.type) + ' ';
    const Model model = chain(rows);
    EXPECT_EQ(warns(model), massless) << name;
    double least = 1;
    for (unsigned seed = 1; seed < 6; ++seed) {
      Data data(model);
      Eigen::MatrixXd M = mass_matrix(model, data, random(model, seed));
      const Eigen::VectorXd s = M.diagonal().cwiseSqrt().cwiseInverse();
      M = s.asDiagonal() * M * s.asDiagonal();
      least = std::min(least, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues()[0]);
    }
    EXPECT_EQ(least < 1e-12, massless) << name << least
                                       << ": rounding of M is 1e-15, and what is not singular is above 1e-7";
  }
}

TEST(Massless, ABranchOfALinkWithoutMassHoldsIt) {
  const auto fork = [](const Vec3<double>& other_axis, double mass) {
    RobotDescription r;
    r.links = {{.name = "base"}, {.name = "light"}};
    JointDescription rail{.name = "rail", .type = "prismatic", .parent = "base", .child = "light", .axis = {1, 0, 0}};
    r.joints = {rail};
    for (const char* side : {"a", "b"}) {
      r.links.push_back({.name = side, .mass = mass, .inertia = Sym3<double>::diagonal(1, 1, 1)});
      JointDescription j{.name = std::string("slide_") + side, .type = "prismatic", .parent = "light", .child = side};
      j.axis = side[0] == 'a' ? Vec3<double>{1, 0, 0} : other_axis;
      r.joints.push_back(j);
    }
    return build(r);
  };
  EXPECT_TRUE(warns(fork({1, 0, 0}, 1))) << "both let it go";
  EXPECT_FALSE(warns(fork({0, 1, 0}, 1))) << "one moves with it";
}

TEST(Massless, StrictModeRefusesIt) {
  BuildOptions strict;
  strict.mode = Mode::strict;
  EXPECT_THROW(arm({"revolute", {0, 0, 0.2}, Sym3<double>::zero(), true}, strict), ModelError);
}

}  // namespace
}  // namespace zwang
