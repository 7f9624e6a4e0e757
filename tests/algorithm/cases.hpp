// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the algorithms run on: a model beside its independent reference,
// of random trees and of real robots.
#pragma once
#include <string>
#include <vector>

#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {

inline constexpr double k_eps = 2.220446049250313e-16;

/// A model and its reference, with the right to change the description before both are built.
struct Case {
  Case(const RobotDescription& robot, const BuildOptions& options, const std::string& name);
  std::string name;
  BuildOptions options;
  Model model;
  reference::Reference reference;
};

/// A tree of every joint type (user-defined and composite ones too), with mimics in every arrangement, rotors, dampers,
/// friction, springs and two frames of the user; on a fixed, floating, planar or spherical root; lumped or not; now and
/// then with mimics expanded and with oblique gravity.
Case random_case(std::uint64_t seed, int joints = -1);
RobotDescription random_description(std::uint64_t seed, int joints, const std::string& root);
/// Every URDF of the shared folder on a fixed and on a floating root, and of the project's models.
struct RobotFile {
  std::string path, root;
};
std::vector<RobotFile> robot_files();
Case load_case(const RobotFile& file, bool lump = true);
/// The user-defined joint of the random trees, as the reference sees it.
reference::UserMotions user_motions();

// --- a robot in a few lines -------------------------------------------------------------------------------
LinkDescription make_link(const std::string& name, double mass, const Vec3<double>& centre,
                          const Sym3<double>& inertia);
JointDescription make_joint(const std::string& name, const std::string& type, const std::string& parent,
                            const std::string& child, const Vec3<double>& axis,
                            const Vec3<double>& at = Vec3<double>::zero());

// --- library to Eigen -------------------------------------------------------------------------------------
template <class Six> Eigen::Matrix<double, 6, 1> six(const Six& m) {
  Eigen::Matrix<double, 6, 1> x;
  for (int k = 0; k < 6; ++k) x(k) = m[k];
  return x;
}
inline Eigen::Matrix<double, 3, 4> eigen(const Transform<double>& X) {
  Eigen::Matrix<double, 3, 4> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) m(i, j) = j < 3 ? X.R[i][j] : X.p[i];
  return m;
}
inline Eigen::Matrix<double, 3, 4> eigen(const reference::Pose<reference::Real>& X) {
  Eigen::Matrix<double, 3, 4> m;
  m << X.R.cast<double>(), X.p.cast<double>();
  return m;
}

/// Both names of the effects of joints.
inline reference::Effects reference_effects(const JointEffects& e) {
  return {e.armature, e.damping, e.springs, e.friction};
}
inline reference::Axes axes_of(Reference r) {
  return r == Reference::local   ? reference::Axes::local
         : r == Reference::world ? reference::Axes::world
                                 : reference::Axes::local_world_aligned;
}
inline constexpr Reference k_references[3] = {Reference::local, Reference::world, Reference::local_world_aligned};

/// Wrenches on random frames, one in each reference, for the library and for the reference.
struct Wrenches {
  Externals external;
  std::vector<reference::External> reference;
};
Wrenches random_wrenches(const Case& c, Random& random);
/// A frame of the model that the reference names alike.
std::string random_frame(const Case& c, Random& random);

}  // namespace zwang::test
