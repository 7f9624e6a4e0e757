// SPDX-License-Identifier: BSD-3-Clause
// Impulses: the change of velocity in a shock, at one configuration.
//
//   M (v+ - v-) = J^T lambda + s,     J v+ + R lambda = w - E (J v- - w),     change of prescribed coordinates given
//
// lambda [N s, N m s] acts +J^T like every multiplier of zwang; s: impulses of motors and of external wrenches; w: the
// velocities that rows are driven to (their `target_velocity`, or `target`); E: restitution of each row, in [0, 1].
// Gravity, springs, damping and products of velocities are finite forces: they have no impulse. All active rows take
// part, whatever sign their multiplier has: a contact that pulls is reported, not released.
//
// It is Gauss' principle in velocities, and the problem of a solve with these right-hand sides: the same rows,
// policies, priorities, prescribed coordinates, ranks, statuses and methods. Units: docs/impulses.md.
#pragma once
#include <utility>

#include "zwang/core/record.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang {

struct ImpulseParts;

/// What E means where rows are coupled. With one E for all rows, and without s, the three are the same.
enum class Restitution {
  newton,   ///< of velocities: the velocity of each row is turned round and multiplied by E
  poisson,  ///< of impulses: after the compression, which ends with J v = w, a row gives E times its impulse again
  /// Of energy (Stronge): a constraint gives back E^2 of the work that the compression has done on it. Its impulses
  /// grow in proportion. Rows of one constraint with E > 0 have the same E.
  energetic,
};
/// `newton`, `poisson`, `energetic`; throws std::invalid_argument with the nearest word.
Restitution restitution_of(const std::string& word);
/// The words of its values, in their order.
constexpr auto words_of(Type<Restitution>) { return std::array{"newton", "poisson", "energetic"}; }

/// The state before the shock, and what acts in it.
struct ImpulseInput {
  ConstVector q;
  ConstVector v = {};            ///< before [nv]; empty: at rest
  ConstVector restitution = {};  ///< E: one number, or one for each row of the set; empty: 0
  ConstVector target = {};       ///< w: one for each row of the set; empty: target_velocity of the constraints
  Restitution model = Restitution::newton;
  ConstVector impulse = {};  ///< of the motors [nv], N m s; empty: zeros. Not read at prescribed coordinates.
  const Externals* external = nullptr;     ///< impulses of external wrenches, N s and N m s
  const Prescribed* prescribed = nullptr;  ///< coordinates whose change of velocity is given (in `acceleration`)
};

/// Numbers for a constraint or a group of them, by its name: one for all rows, or one for each row.
using NumbersByName = std::vector<std::pair<std::string, std::vector<double>>>;
/// ImpulseInput::restitution: 0 for rows that are not named. Throws std::invalid_argument for unknown names, a wrong
/// number of values, and constraints that are named twice.
std::vector<double> restitution_of(const ConstraintSet& set, const NumbersByName& named);
/// ImpulseInput::target: target_velocity for rows that are not named. Throws as above.
std::vector<double> target_of(const ConstraintSet& set, const NumbersByName& named);

/// The part of an impulse that belongs to one constraint.
struct ConstraintImpulse {
  VectorView multipliers;                      ///< lambda, in the order of the rows
  VectorView wrench;                           ///< impulse on the body, in the axes of `in`, about the point
  VectorView velocity_before, velocity_after;  ///< J v- and J v+
  VectorView residual;                         ///< J v+ minus what was asked of it (soft rows: -R lambda)
  double energy;                               ///< work of its impulses on the robot: lambda . (J v- + J v+) / 2 [J]
};

/// Results of the last impulse of a Solver, which its views show until the next one.
/// After a refused or failed impulse all numbers are 0.
class Impulse {
 public:
  Impulse();
  Impulse(const Impulse&) = delete;
  Impulse& operator=(const Impulse&) = delete;
  ~Impulse();

  VectorView velocity{nullptr, 0};     ///< v+ [nv]
  VectorView change{nullptr, 0};       ///< v+ - v- [nv]
  VectorView multipliers{nullptr, 0};  ///< lambda of all rows in order of insertion; 0 for inactive ones
  /// Impulses of the motors: `impulse` + J^T lambda of driver rows [nv];
  /// at prescribed coordinates what gives their change.
  VectorView motor_impulse{nullptr, 0};
  VectorView reaction{nullptr, 0};  ///< J^T lambda of physical rows [nv]
  VectorView velocity_before{nullptr, 0},
      velocity_after{nullptr, 0};              ///< J v- and J v+ of all rows; 0 for inactive ones
  VectorView residual{nullptr, 0};             ///< of all rows, as in ConstraintImpulse
  double energy_before = 0, energy_after = 0;  ///< kinetic energy [J], rotors included
  /// As of a solve; residuals are those of the rows' velocities. Its names live as long as those of a Solution.
  SolveReport report;

  ConstraintImpulse operator[](const std::string& constraint) const;  ///< throws with the nearest name

 private:
  friend class Solver;
  friend struct ImpulseParts;
  const ImpulseParts* parts_ = nullptr;
};

/// Derivatives of one vector. By q along q (+) d, rows' velocities w and the rest constant.
struct ImpulseJacobian {
  JacobianView q{nullptr, 0, 0}, v{nullptr, 0, 0};                 ///< [size x nv] by the configuration, by v-
  JacobianView impulse{nullptr, 0, 0};                             ///< [size x nv] by the impulses of the motors
  JacobianView target{nullptr, 0, 0}, restitution{nullptr, 0, 0};  ///< [size x rows] by w, by E of each row
};
/// Of the last impulse, by Newton's restitution. `not_differentiable` as SolutionDerivatives; also by another law of
/// restitution, whose rows change with the state.
struct ImpulseDerivatives {
  Status status = Status::ok;
  std::string_view reason = {};
  ImpulseJacobian velocity;     ///< of v+
  ImpulseJacobian multipliers;  ///< of lambda
};

/// The weights of an impulse in a scalar. Empty ones are zero.
struct ImpulseGradient {
  ConstVector velocity = {};     ///< [nv] of v+
  ConstVector multipliers = {};  ///< [rows]
};
/// The gradient of that scalar by what the impulse has read.
struct ImpulseInputGradient {
  Status status = Status::ok;
  std::string_view reason = {};
  VectorView q{nullptr, 0}, v{nullptr, 0}, impulse{nullptr, 0};  ///< [nv]
  VectorView target{nullptr, 0}, restitution{nullptr, 0};        ///< [rows]
};

/// A direction in which the inputs of an impulse vary. Empty ones do not.
struct ImpulseInputVariation {
  ConstVector q = {}, v = {}, impulse = {};   ///< [nv]
  ConstVector target = {}, restitution = {};  ///< [rows]
};
/// How the impulse varies along it.
struct ImpulseVariation {
  Status status = Status::ok;
  std::string_view reason = {};
  VectorView velocity{nullptr, 0}, multipliers{nullptr, 0};
};

}  // namespace zwang
