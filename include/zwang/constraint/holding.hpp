// SPDX-License-Identifier: BSD-3-Clause
// How the rows of a constraint are held: the options of all types of constraint, in one place.
//
// Aggregates with designated initialisers cannot name members of a base, so the members are a macro block: a struct
// writes ZWANG_HOLDING(AsIs) after its own members. A struct with own options between these, in the order of
// initialisers, writes the three parts of the block. A bound Constraint has the same block of Tracked values.
#pragma once
#include "zwang/constraint/tracked.hpp"
#include "zwang/core/record.hpp"

namespace zwang {

/// Who provides the force of a constraint.
enum class Role {
  physical,  ///< the world: J^T lambda is a reaction
  driver,    ///< the motors must provide J^T lambda
};

/// How the rows of a constraint are held, and where in the sweep they are eliminated.
enum class Policy {
  hard,  ///< exact; carried to the root (or eliminated early if the method does so)
  /// exact; eliminated as soon as the joints below can satisfy them: same answer, less work with many rows
  early,
  soft,  ///< K a + R lambda = beta with the compliance R: a spring-damper of the acceleration, eliminated at its body
};
/// `hard`, `early`, `soft`; throws std::invalid_argument naming the three.
Policy policy_of(const std::string& word);
/// The words of its values, in their order.
constexpr auto words_of(Type<Policy>) { return std::array{"hard", "early", "soft"}; }
/// `physical`, `driver`.
Role role_of(const std::string& word);
/// The words of its values, in their order.
constexpr auto words_of(Type<Role>) { return std::array{"physical", "driver"}; }

/// What a row asks of its acceleration, and with it the sign of its multiplier.
enum class Sense {
  equal,     ///< K a = beta
  at_least,  ///< K a >= beta, lambda >= 0, one of them as an equality: a contact that only pushes
  at_most,   ///< K a <= beta, lambda <= 0, one of them as an equality: a rope between two points
};
/// `equal`, `at_least`, `at_most`; throws std::invalid_argument naming the three.
Sense sense_of(const std::string& word);
/// The words of its values, in their order.
constexpr auto words_of(Type<Sense>) { return std::array{"equal", "at_least", "at_most"}; }
template <Worded E> constexpr const char* name_of(const Tracked<E>& value) { return name_of(value.value()); }

/// Which causes of motion a constraint's multipliers compensate. A cause that is left out acts on the
/// rows as it would without them: K a = beta + (K a caused by it alone). Velocity products and
/// passive joint effects are always compensated.
struct Compensate {
  bool gravity = true;
  bool external = true;    ///< external wrenches
  bool tau = true;         ///< feed-forward torques
  bool prescribed = true;  ///< accelerations of prescribed joints
  bool all() const { return gravity && external && tau && prescribed; }
  bool operator==(const Compensate&) const = default;
};

/// Feedback of position and velocity errors: phi'' = beta - (2 zeta / T) phi' - phi / T^2 (Baumgarte 1972).
struct Stabilisation {
  double time_constant = 0;  ///< T [s]; 0: off
  double damping_ratio = 1;  ///< zeta; 1: critically damped
  bool operator==(const Stabilisation&) const = default;
};

/// The members that a user sets.
template <class T> using AsIs = T;

#define ZWANG_HOLDING_BETA(Of) \
  Of<std::vector<double>> beta = {}; /**< desired acceleration, one per row [m/s^2, rad/s^2]; none: zeros */
#define ZWANG_HOLDING_POLICY(Of)                                                                                       \
  Of<Role> role{Role::physical};                                                                                       \
  Of<bool> active{true};                                                                                               \
  Of<Policy> policy{Policy::hard};                                                                                     \
  Of<int> priority{0}; /**< 0 is highest; level k is held as well as the levels before it allow */                     \
  Of<Compensate> compensate = {};                                                                                      \
  Of<std::vector<double>> compliance = {}; /**< R > 0 of soft rows, one each or one for all [acceleration / force] */  \
  Of<std::vector<double>> weight = {};     /**< > 0, of singularity `weighted`, one each or one for all; none: ones */ \
  Of<std::vector<Sense>> sense = {};       /**< one each or one for all; none: equal */                                \
  Of<std::vector<double>> limit = {};      /**< |lambda| <= limit, > 0, one each or one for all; none: no limit */
#define ZWANG_HOLDING_ERRORS(Of)                                                              \
  Of<Stabilisation> stabilisation = {};                                                       \
  Of<std::vector<double>> target = {};          /**< desired phi, one per row; none: zeros */ \
  Of<std::vector<double>> target_velocity = {}; /**< desired phi', one per row; none: zeros */
/// All of them.
#define ZWANG_HOLDING(Of)  \
  ZWANG_HOLDING_BETA(Of)   \
  ZWANG_HOLDING_POLICY(Of) \
  ZWANG_HOLDING_ERRORS(Of)

/// The members to be given one by one.
template <> class Tracked<Compensate> : public TrackedTag {
 public:
  Tracked() : Tracked(Compensate{}) {}
  explicit Tracked(const Compensate& x)
      : gravity(x.gravity),
        external(x.external),
        tau(x.tau),
        prescribed(x.prescribed) {}
  template <class U = Compensate>
  requires(std::is_same_v<std::remove_cvref_t<U>, Compensate>) Tracked& operator=(U&& x) { return *this = Tracked(x); }
  operator Compensate() const { return {gravity, external, tau, prescribed}; }
  bool all() const { return Compensate(*this).all(); }
  bool operator==(const Compensate& x) const { return Compensate(*this) == x; }
  bool operator==(const Tracked& x) const { return *this == Compensate(x); }
  std::uint64_t stamp() const { return gravity.stamp() + external.stamp() + tau.stamp() + prescribed.stamp(); }
  Tracked<bool> gravity, external, tau, prescribed;
};
template <> class Tracked<Stabilisation> : public TrackedTag {
 public:
  Tracked() : Tracked(Stabilisation{}) {}
  explicit Tracked(const Stabilisation& x) : time_constant(x.time_constant), damping_ratio(x.damping_ratio) {}
  template <class U = Stabilisation>
  requires(std::is_same_v<std::remove_cvref_t<U>, Stabilisation>) Tracked& operator=(U&& x) {
    return *this = Tracked(x);
  }
  operator Stabilisation() const { return {time_constant, damping_ratio}; }
  bool operator==(const Stabilisation& x) const { return Stabilisation(*this) == x; }
  bool operator==(const Tracked& x) const { return *this == Stabilisation(x); }
  std::uint64_t stamp() const { return time_constant.stamp() + damping_ratio.stamp(); }
  Tracked<double> time_constant, damping_ratio;
};

/// The options only.
struct Holding {
  ZWANG_HOLDING(AsIs)
};

/// Calls f(x.beta...), f(x.role...) and so on, for one struct with the options or for several side by side.
template <class F, class... Holders> constexpr void for_each_option(F&& f, Holders&&... x) {
  f(x.beta...);
  f(x.role...);
  f(x.active...);
  f(x.policy...);
  f(x.priority...);
  f(x.compensate...);
  f(x.compliance...);
  f(x.weight...);
  f(x.sense...);
  f(x.limit...);
  f(x.stabilisation...);
  f(x.target...);
  f(x.target_velocity...);
}

}  // namespace zwang
