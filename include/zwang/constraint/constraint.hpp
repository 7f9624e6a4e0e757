// SPDX-License-Identifier: BSD-3-Clause
// What every constraint is once it knows its model: rows on the accelerations of bodies, and how they are held.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "zwang/algorithm/reference.hpp"
#include "zwang/constraint/rows.hpp"

namespace zwang {

/// Who provides the force of a constraint.
enum class Role {
  physical,  ///< the world: J^T lambda is a reaction
  driver,    ///< the motors: J^T lambda is asked of them
};

/// How the rows of a constraint are held, and where in the sweep they are eliminated.
enum class Policy {
  hard,  ///< exactly; carried to the root (or eliminated early where the method says so)
  /// exactly; eliminated as soon as the joints below can satisfy them, the same answer for less work with many rows
  early,
  soft,  ///< K a + R lambda = beta with the compliance R: a spring-damper of the acceleration, eliminated at its body
};
/// `hard`, `early`, `soft`; throws std::invalid_argument naming the three.
Policy policy_of(const std::string& word);
const char* name_of(Policy policy);
/// `physical`, `driver`.
Role role_of(const std::string& word);
const char* name_of(Role role);

/// Which drivers of the motion a constraint's multipliers make up for. One that is left out acts on the rows as it
/// would without
/// them: K a = beta + (K a caused by it alone). Velocity products and passive joint effects are always made up for.
struct Compensate {
  bool gravity = true;
  bool external = true;    ///< wrenches from outside
  bool tau = true;         ///< feed-forward torques
  bool prescribed = true;  ///< accelerations of prescribed joints
  bool all() const { return gravity && external && tau && prescribed; }
  bool operator==(const Compensate&) const = default;
};

/// Rows of one constraint on one body: K a = beta with a the acceleration of a point, along given axes.
///
///   a = [acceleration of the point; angular acceleration], classical or spatial, gravity not counted (a body at rest:
///   0)
///   K = matrix * [A 0; 0 A]^T   with A the axes' columns in the world
struct RowsOnBody {
  enum class Axes { world, body };  ///< the axes turn with axes_body, or are the world's
  Index body = 0;
  Vec3<double> point = Vec3<double>::zero();  ///< in the body's frame; ignored where about_world_origin
  bool about_world_origin = false;            ///< the point is the one of the body that is now at the world's origin
  Axes axes = Axes::world;
  Index axes_body = 0;
  Mat3<double> axes_in_body = Mat3<double>::identity();  ///< the axes' columns in axes_body's frame
  std::vector<double> matrix = {};                       ///< k x 6
};

class Relation;

/// What is done about errors of position and velocity: phi'' = beta - (2 zeta / T) phi' - phi / T^2 (Baumgarte 1972).
struct Stabilisation {
  double time_constant = 0;  ///< T [s]; 0: off
  double damping_ratio = 1;  ///< zeta; 1: critically damped
  bool operator==(const Stabilisation&) const = default;
};

/// A constraint of a ConstraintSet. Everything but the names may change between solves; changes that keep the number of
/// rows allocate nothing in the library.
struct Constraint {
  std::string name;
  std::string type;   ///< `frame`, `contact`, `loop`, `distance`, `coupling`, `rolling`, `centre_of_mass`, `custom`
  std::string frame;  ///< that it holds; of a relation between two frames the first
  std::string other = {};  ///< the second frame of a relation between two
  std::string in;  ///< axes of its rows and of its wrench: `local`, `world`, `local_world_aligned`, or a frame's name
  Role role = Role::physical;
  AccelerationKind acceleration = AccelerationKind::classical;
  bool active = true;
  std::vector<double> beta = {};                       ///< desired acceleration, one per row [m/s^2, rad/s^2]
  std::vector<std::string> row_names = {};             ///< `tool:linear.x`
  RowsOnBody rows_on_body = {};                        ///< where the rows stay on one body
  std::shared_ptr<const Relation> relation = nullptr;  ///< where they act between bodies: instead of rows_on_body
  Stabilisation stabilisation = {};
  std::vector<double> target = {};           ///< desired phi, one per row; none: zeros
  std::vector<double> target_velocity = {};  ///< desired phi', one per row; none: zeros
  bool unilateral = false;                   ///< warn where its last row pulls
  Policy policy = Policy::hard;
  int priority = 0;  ///< 0 is highest; level k is held as well as the levels before it allow
  Compensate compensate = {};
  std::vector<double> compliance = {};  ///< R, one per row, > 0: where the policy is soft [acceleration / force]
  std::vector<double> weight = {};      ///< one per row, > 0: for singularity `weighted`; none: ones
  Index size() const { return static_cast<Index>(row_names.size()); }
};

}  // namespace zwang
