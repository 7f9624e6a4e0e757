// SPDX-License-Identifier: BSD-3-Clause
// Random constraints on random robots, and what they mean by the definitions of mechanics:
// rows A a = b of the reference.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "support/eigen.hpp"
#include "support/random.hpp"
#include "support/reference_constrained.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {

using reference::Real;
using Vec = reference::VectorX<Real>;
using Mat = reference::MatrixX<Real>;

/// A model with its reference beside it.
struct Robot {
  Robot(const RobotDescription& description, const BuildOptions& options = {});
  RobotDescription description;
  BuildOptions options;
  Model model;
  reference::Reference reference;
};
/// A user-defined joint of two coordinates, which the reference knows.
std::shared_ptr<const UserJoint> rolling_joint();
/// Every joint type, user-defined ones, mimic joints, fixed joints; the root fixed, floating, planar or spherical.
Robot random_robot_of_all_joints(std::uint64_t seed, int joints);

using AnyConstraint = std::variant<FrameConstraint, ContactConstraint, LoopConstraint>;
const std::string& name_of(const AnyConstraint& c);
Role role_of(const AnyConstraint& c);
bool is_active(const AnyConstraint& c);
void add(ConstraintSet& set, const AnyConstraint& c);

/// What is asked of a robot in one state.
struct Imposed {
  RandomState state;
  std::vector<AnyConstraint> constraints;
  Externals external;
  std::vector<reference::External> reference_external;

  ConstraintSet set(const Model& model) const;
  SolveInput input(bool with_tau = true) const;
};
/// One to four constraints of any kind on any frames, in any axes, roles mixed, at times one of them switched off;
/// three wrenches from outside, one in each reference.
Imposed random_imposed(const Robot& robot, std::uint64_t seed);
/// One to three loops among them, on any rows or those of any joint; targets and stabilisation as well.
Imposed random_imposed_with_loops(const Robot& robot, std::uint64_t seed);
LoopConstraint random_loop(const Robot& robot, Random& random, const std::string& name);
FrameConstraint random_frame_constraint(const Robot& robot, Random& random, const std::string& name);
ContactConstraint random_contact(const Robot& robot, Random& random, const std::string& name);
/// k x 6 numbers, row by row, of which a few are zero.
std::vector<double> random_rows(Random& random, int k);

/// One constraint's rows in the reference: A = K J_6, b = beta - K a_6 with a_6 the
/// acceleration at zero joint acceleration.
struct Rows {
  Mat A;
  Vec b;
  /// What rounding of a row is measured against: |beta| + |K| (largest of |a_6|,
  /// gravity and |J_6| |a|) = size + reach |a|.
  Vec size;
  Mat reach;
  Mat K;  ///< over [linear; angular] in world axes at the point
};
Rows rows_of(const Robot& robot, const reference::State& s, const AnyConstraint& c);

/// The whole problem in the reference.
struct Posed {
  Mat M, A, reach;
  Vec h, tau, b, size;          ///< rows: of active constraints, by insertion
  std::vector<int> constraint;  ///< that each row belongs to
  std::vector<int> row;         ///< of the set, with rows of constraints that are switched off counted
};
Posed pose(const Robot& robot, const Imposed& imposed, const reference::Effects& effects = {});
inline Vec size_of_rows(const Posed& p, const Vec& a) { return p.size + p.reach * a.cwiseAbs(); }
inline reference::Constrained solve(const Posed& p) { return reference::constrained_motion(p.M, p.h, p.tau, p.A, p.b); }
/// The rank is beyond doubt: no singular value of the equilibrated rows lies near the tolerances (1e-9 of the
/// oracle, 1e-6 of the library, whose tolerance is on squares).
bool clear_rank(const reference::Constrained& s);
/// What rounding in q'' and lambda is multiplied with: condition of M, and of Lambda on its range.
double amplification(const Posed& p, const reference::Constrained& s);

/// |M q'' + h - tau - A^T lambda| over the magnitudes of its terms, the worst coordinate.
double kkt_residual(const Posed& p, const Vec& acceleration, const Vec& multipliers);
Vec active_part(const Posed& p, const VectorView& of_all_rows);

inline Eigen::Matrix<double, 6, 1> eigen(const Motion<double>& m) {
  return (Eigen::Matrix<double, 6, 1>() << eigen(m.v), eigen(m.w)).finished();
}

}  // namespace zwang::test
