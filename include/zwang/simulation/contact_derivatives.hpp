// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a step of Integrator::contact, and of motions of many such steps.
//
//   zwang::ContactDerivatives derivatives(robot, set, {.dt = 1e-3, .integrator = zwang::Integrator::contact}, scene);
//   const zwang::ContactStepDerivatives& d = derivatives.step({.q = q, .v = v, .tau = tau});
//   d.v_by.tau                                       // d v' / d tau [nv x nv]
//   derivatives.vjp(w_q, w_v)                        // the gradient of w_q . q' + w_v . v'
//
// A step (q, v, tau) -> (q', v') is a smooth function as long as what is open stays open, what sticks sticks, and what
// slips slips. There its derivative is exact: implicit function theorem on the rows that act, with what gaps, normals
// and points of contact owe to q. By q along q (+) d, of q' as q' (+) d. tau is constant in the step.
//
// At a border of two states there are two derivatives, one to each side. What is given then is that of the state which
// the step has found, `is_unique` is false and `borders` names what is there. A gap of less than 1e-9 m, as that of
// what rests, counts as 0 in a step; so it does here: where a surface rests the derivative is that of a contact whose
// normal velocity is 0, for changes of the gap below 1e-9 m. Larger ones are one-sided, and not in `borders`: what is
// lifted closes with gap/dt, what is pushed in is taken apart.
#pragma once
#include <string>
#include <vector>

#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"
#include "zwang/simulation/scene.hpp"
#include "zwang/simulation/settings.hpp"

namespace zwang {

/// Something that is between two states: the derivatives to both sides differ, or no accuracy tells them apart.
struct ContactBorder {
  enum class What {
    grazes,  ///< it touches without a force: open or closed
    slides,  ///< at the edge of the cone without a slip: it sticks or slips
    yields,  ///< dry friction of a joint at its bound without a speed
    depends  ///< its impulse nearly depends on others: which motion it permits is below the accuracy of a step
  };
  What what = What::grazes;
  std::string name;  ///< the pair, the limit or the joint
};
/// The words of its values, in their order.
constexpr auto words_of(Type<ContactBorder::What>) { return std::array{"grazes", "slides", "yields", "depends"}; }

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<ContactBorder>) {
  using T = ContactBorder;
  v.record(
      "ContactBorder",
      "Something that is between two states: the derivatives to both sides differ, or no accuracy tells them apart.");
  v("what", &T::what,
    "grazes (it touches without a force), slides (friction at its bound without a slip), yields (dry friction of a "
    "joint likewise), depends (its impulse nearly depends on others)");
  v("name", &T::name, "the pair, the limit or the joint");
}

/// Derivatives of one of q' and v' [nv x nv].
struct StepJacobian {
  Eigen::Map<const Eigen::MatrixXd> q{nullptr, 0, 0}, v{nullptr, 0, 0}, tau{nullptr, 0, 0};
};

/// Of the last step: views of the object that has made it, until its next step.
struct ContactStepDerivatives {
  /// ok; what the step itself has said; not_differentiable: an impact with restitution is in it, a point of contact is
  /// no smooth function of q, rows contradict each other to first order, the shapes overlap at the state, the step was
  /// halved, or a row of the set with a sense may act in it.
  Status status = Status::ok;
  std::string reason = {};                  ///< in a sentence; empty if ok
  VectorView q{nullptr, 0}, v{nullptr, 0};  ///< q', v'
  StepJacobian q_by, v_by;                  ///< zeros where the status is not ok
  bool is_free = true;                      ///< nothing touched: a step of rk4
  bool is_unique = true;                    ///< no border
  std::vector<ContactBorder> borders = {};
  /// Of points of contact that are known by differences of the geometry alone: two estimates of their derivatives
  /// differ by this, lengths beside the smaller solid. 0: all by formulas.
  double geometry_error = 0;
  double taken_apart = 0;  ///< the largest displacement that took overlaps apart [m, rad]
  /// The same beside rows of the set: how these rows turn meanwhile is not in the derivatives.
  double left_out = 0;
};

/// The gradient of a scalar of q' and v' by what a step begins with.
struct StepGradient {
  VectorView q{nullptr, 0}, v{nullptr, 0}, tau{nullptr, 0};  ///< [nv]
};
/// How q' and v' vary along a direction.
struct StepVariation {
  VectorView q{nullptr, 0}, v{nullptr, 0};  ///< [nv]
};

/// Not for several threads at once. step() allocates.
class ContactDerivatives {
 public:
  /// dt and the rest as of a Simulator. Throws what that throws; UnsupportedError where the set has rows without a
  /// sense and `keep` is not stabilisation: projections after a step are not differentiated. std::invalid_argument for
  /// other integrators.
  ContactDerivatives(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings,
                     const Scene& scene);
  ContactDerivatives(ContactDerivatives&&) noexcept;
  ContactDerivatives& operator=(ContactDerivatives&&) noexcept;
  ~ContactDerivatives();

  /// One step of length dt from a state, as the first of a motion. Throws std::invalid_argument for wrong sizes and
  /// entries that are not finite.
  const ContactStepDerivatives& step(const SimulationInput& input);
  /// The step after it, from where it has ended; tau [nv] empty: the same again. Contacts go on with their impulses.
  const ContactStepDerivatives& next(ConstVector tau = {});
  const ContactStepDerivatives& last() const;

  /// The gradient of q . q' + v . v' of the last step, weights [nv] on increments of q' and on v'; empty: zeros. Throws
  /// std::invalid_argument for sizes, std::logic_error where the last step has none.
  StepGradient vjp(ConstVector q, ConstVector v);
  /// Along increments of q, and v and tau [nv]; empty: zeros. Throws as vjp().
  StepVariation jvp(ConstVector q, ConstVector v, ConstVector tau);

  const Model& model() const;
  const SimulationSettings& settings() const;

 private:
  struct Impl;
  Owned<Impl> impl_;
};

/// The gradient of a scalar of all states of a motion by its first state, and by the torques of each step.
struct RolloutGradient {
  VectorView q{nullptr, 0}, v{nullptr, 0};               ///< [nv]
  Eigen::Map<const Eigen::MatrixXd> tau{nullptr, 0, 0};  ///< [nv x steps]
};
/// How the states of a motion vary.
struct RolloutVariation {
  Eigen::Map<const Eigen::MatrixXd> q{nullptr, 0, 0}, v{nullptr, 0, 0};  ///< [nv x (steps + 1)]
};

/// A motion of many steps, each with its derivatives, which are kept: 6 nv^2 numbers a step.
///
///     zwang::ContactRollout rollout(robot, set, {.dt = 1e-3, .integrator = zwang::Integrator::contact}, scene);
///     if (rollout.run({.q = q, .v = v}, torques) == zwang::Status::ok) use(rollout.vjp(w_q, w_v));
class ContactRollout {
 public:
  /// As ContactDerivatives.
  ContactRollout(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings,
                 const Scene& scene);
  ContactRollout(ContactRollout&&) noexcept;
  ContactRollout& operator=(ContactRollout&&) noexcept;
  ~ContactRollout();

  /// A step for each column of the torques [nv x steps]; SimulationInput::tau is not read. Other than ok: the step
  /// that is missing has that status, and reason() says why; the steps before it are there. Throws as
  /// ContactDerivatives::step, and for torques of another height.
  Status run(const SimulationInput& input, MatrixIn torques);
  const std::string& reason() const;
  Index steps() const;                          ///< that have derivatives
  Eigen::Map<const Eigen::MatrixXd> q() const;  ///< [nq x (steps + 1)]
  Eigen::Map<const Eigen::MatrixXd> v() const;  ///< [nv x (steps + 1)]
  /// A border that a step has met: the derivatives are then one-sided (ContactBorder).
  struct Border {
    Index step = 0;
    ContactBorder border = {};
  };
  const std::vector<Border>& borders() const;

  /// The gradient of the sum over all states of q_k . (increments of q_k) + v_k . v_k, weights [nv x (steps + 1)]: one
  /// pass back, 6 nv^2 products a step. Throws std::invalid_argument for other shapes and entries that are not finite.
  RolloutGradient vjp(MatrixIn q, MatrixIn v);
  /// Along an increment of the first q, of the first v, and torques [nv x steps]. Throws as vjp().
  RolloutVariation jvp(ConstVector q, ConstVector v, MatrixIn tau);

 private:
  struct Impl;
  Owned<Impl> impl_;
};

}  // namespace zwang
