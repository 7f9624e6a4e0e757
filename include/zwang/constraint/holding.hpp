// SPDX-License-Identifier: BSD-3-Clause
// How the rows of a constraint are held: the options of all types of constraint, in one place.
//
// Aggregates with designated initialisers cannot name members of a base, so the members are a macro block: a struct
// writes ZWANG_HOLDING(AsIs) after its own members. A struct with own options between these, in the order of
// initialisers, writes the three parts of the block. A bound Constraint has the same block of Tracked values.
//
// for_each_option() is the list of the options. Beside each struct of types/ stands the list of its own fields. Keys of
// documents and their schema, arguments and help of Python's add_<type>, its attributes, and the checks of sizes and
// signs follow from the two.
#pragma once
#include "zwang/constraint/tracked.hpp"
#include "zwang/core/record.hpp"

namespace zwang {

/// How a field of a constraint is written, where its C++ type leaves that open.
enum class KeyForm {
  plain,       ///< as its type is: a word, a number, some numbers, some words
  hidden,      ///< goes with another field; neither key nor argument
  frames,      ///< the names of two frames: this one and `other`
  target,      ///< is there where `has_target` is true
  axis,        ///< `x`, `y`, `z`, or three numbers
  words,       ///< one text of words, in documents also a list
  joint_rows,  ///< rows as of a frame, or those of a joint: {"joint": "hinge", "axis": "z"}
  three_wide,  ///< rows of three numbers; in Python an argument with the `rows` before it
  posture,     ///< a configuration
  or_zeros,    ///< numbers, one for each row; none: zeros
  per_row,     ///< numbers, one for each row, or none
  positive,    ///< numbers > 0, one for each row or one for all, or none
};

/// What a field of a constraint is for others than C++.
struct ConstraintKey {
  KeyForm form = KeyForm::plain;
  bool needed = false;         ///< has no default; Python takes it by position, too
  bool by_position = false;    ///< has a default, and Python takes it by position, too
  bool option = false;         ///< of how rows are held: all types have it
  const char* type = nullptr;  ///< the annotation in Python, where that of the C++ type is another one
};

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
/// A cause of motion by its word.
struct Cause {
  const char* word;
  bool Compensate::*member;
};
/// The list of them, in the order of the members.
inline constexpr Cause k_causes[] = {{"gravity", &Compensate::gravity},
                                     {"external", &Compensate::external},
                                     {"tau", &Compensate::tau},
                                     {"prescribed", &Compensate::prescribed}};

/// Feedback of position and velocity errors: phi'' = beta - (2 zeta / T) phi' - phi / T^2 (Baumgarte 1972).
struct Stabilisation {
  double time_constant = 0;  ///< T [s]; 0: off
  double damping_ratio = 1;  ///< zeta; 1: critically damped
  bool operator==(const Stabilisation&) const = default;
};
/// The list of its fields.
template <class V> constexpr void fields(V& v, Type<Stabilisation>) {
  using T = Stabilisation;
  v.record("Stabilisation", "Feedback of position and velocity errors.");
  v("time_constant", &T::time_constant,
    "T of phi'' = beta - 2 zeta / T phi' - phi / T^2 [s]; 0: errors are left alone");
  v("damping_ratio", &T::damping_ratio, "zeta of the same; 1: critically damped");
}

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

/// What an option is for others than C++.
struct RowOption {
  const char *name, *says;
  KeyForm form = KeyForm::plain;
};
/// The list of the options, in the order of their keys: v(option, member...) with the members of one struct that has
/// them, or of several side by side.
template <class V, class... T> constexpr void for_each_option(V&& v, Type<T>...) {
  using Form = KeyForm;
  v({"beta", "desired acceleration, one per row [m/s^2, rad/s^2]; none: zeros", Form::or_zeros}, &T::beta...);
  v({"role", "physical (the multipliers are reactions) or driver (asked of the motors)"}, &T::role...);
  v({"active", "whether the rows are held"}, &T::active...);
  v({"policy", "hard, early (the same answer, eliminated early) or soft (K a + R lambda = beta, with compliance R)"},
    &T::policy...);
  v({"priority", "0 is highest; level k is held as well as the levels before it allow"}, &T::priority...);
  v({"compensate", "which of gravity, external, tau, prescribed the multipliers make up for; none given: all"},
    &T::compensate...);
  v({"compliance", "R of the policy soft, > 0, one per row or one for all [acceleration / force]", Form::positive},
    &T::compliance...);
  v({"weight", "> 0, of singularity weighted, one per row or one for all; none: ones", Form::positive}, &T::weight...);
  v({"sense",
     "equal, at_least (K a >= beta, lambda >= 0) or at_most, one per row; one word is that of all rows, of a "
     "contact that of its normal; none: equal"},
    &T::sense...);
  v({"limit", "|lambda| <= limit, > 0, one per row or one for all; none: no limit", Form::positive}, &T::limit...);
  v({"target", "desired phi, one per row; none: zeros", Form::per_row}, &T::target...);
  v({"target_velocity", "desired phi', one per row; none: zeros", Form::per_row}, &T::target_velocity...);
  v({"baumgarte", "feedback of the errors of position and velocity"}, &T::stabilisation...);
}
/// The end of the list of each type.
template <class V, class T> constexpr void holding_fields(V& v, Type<T> type) {
  const auto one = [&](const RowOption& o, auto member) {
    v(o.name, member, o.says, ConstraintKey{.form = o.form, .option = true});
  };
  for_each_option(one, type);
}
/// From one struct that has the options to another.
template <class A, class B> void copy_options(A& to, const B& from) {
  for_each_option([&](const RowOption&, auto a, auto b) { to.*a = from.*b; }, Type<A>(), Type<B>());
}

}  // namespace zwang
