// SPDX-License-Identifier: BSD-3-Clause
// Lists of fields: none forgets a member, copies own all names, and docs/schema holds what the lists say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "zwang/algorithm/serial_inverse_kinematics.hpp"
#include "zwang/factor/delassus.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/solution.hpp"
#include "zwang/path.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"
#include "zwang/question/impulse.hpp"
#include "zwang/question/inverse_kinematics.hpp"
#include "zwang/question/mobility.hpp"
#include "zwang/question/wrench_observer.hpp"
#include "zwang/simulation/settings.hpp"

namespace zwang::test {
namespace {

/// Converts to whatever a member is.
struct Anything {
  template <class T> operator T() const;
};
template <class T, std::size_t... k> constexpr bool takes(std::index_sequence<k...>) {
  return requires { T{(static_cast<void>(k), Anything())...}; };
}
/// How many members an aggregate has: the most initialisers that it takes.
template <class T, std::size_t most = 40> constexpr std::size_t members() {
  if constexpr (most == 0 || takes<T>(std::make_index_sequence<most>()))
    return most;
  else
    return members<T, most - 1>();
}

template <class Key> struct Listed {
  std::size_t count = 0;
  std::set<std::string> names = {};
  bool sentences = true;
  void record(const char* name, const char* says) { sentences = *name != 0 && *says != 0; }
  template <class M> void operator()(const char* name, M, const char* says, Key = {}) {
    ++count;
    add(name, says);
  }
  template <class F> void computed(const char* name, F, const char* says, Key = {}) { add(name, says); }

 private:
  void add(const char* name, const char* says) { sentences = names.insert(name).second && *says != 0 && sentences; }
};
template <class T, class Key = Field> void expect_whole_list() {
  Listed<Key> v;
  fields(v, Type<T>());
  EXPECT_EQ(v.count, members<T>()) << "a member of " << typeid(T).name() << " has no line, or two";
  EXPECT_TRUE(v.sentences) << typeid(T).name();
}

TEST(Records, EveryMemberHasALineWithItsSentence) {
  static_assert(members<DependencyTerm>() == 2 && members<GivenUp>() == 3);
  expect_whole_list<SolveReport>();
  expect_whole_list<SolveWarning>();
  expect_whole_list<GivenUp>();
  expect_whole_list<Dependency>();
  expect_whole_list<DependencyTerm>();
  expect_whole_list<PlaceOfRows>();
  expect_whole_list<InverseReport>();
  expect_whole_list<MotionTerm>();
  expect_whole_list<MotionConflict>();
  expect_whole_list<MissedDemand>();
  expect_whole_list<AssemblyReport>();
  expect_whole_list<MobilityReport>();
  expect_whole_list<MobilitySettings>();
  expect_whole_list<SolverSettings>();
  expect_whole_list<InverseSettings>();
  expect_whole_list<AssemblySettings>();
  expect_whole_list<InverseKinematicsSettings>();
  expect_whole_list<SimulationSettings>();
  expect_whole_list<WrenchObserverSettings>();
  expect_whole_list<FollowSettings>();
  expect_whole_list<PathTimingSettings>();
  expect_whole_list<BindingLimit>();
  expect_whole_list<ActuatedJacobian>();
  expect_whole_list<RowTerm>();
  expect_whole_list<RedundantConstraint>();
}

TEST(Records, EveryFieldOfAConstraintAndEveryOptionHasALineWithItsSentence) {
  EXPECT_EQ(std::size(k_causes), members<Compensate>());
  expect_whole_list<Stabilisation>();
  std::size_t options = 0;
  for_each_option([&](const RowOption& option, auto) { options += *option.says != 0; }, Type<Holding>());
  EXPECT_EQ(options, members<Holding>()) << "an option of how rows are held has no line, or two";
  std::size_t types = 0;
  ConstraintTypes::find([&](auto type) {
    expect_whole_list<typename decltype(type)::type, ConstraintKey>();
    return ++types == 0;
  });
  EXPECT_GE(types, 9u);
}

// The spelling of every value. A value that is missing here is a warning of the compiler, which is an error.
#define WORD(value) \
  case E::value:    \
    return #value;
#define SPELLED(type, ...)          \
  const char* spelled(type value) { \
    using E = type;                 \
    switch (value) { __VA_ARGS__ }  \
    return "";                      \
  }
SPELLED(Status, WORD(ok) WORD(infeasible) WORD(singular_mass) WORD(not_converged) WORD(non_finite_input)
                    WORD(invalid_input) WORD(overflow) WORD(not_differentiable) WORD(drifted) WORD(stopped))
SPELLED(SolveWarning::Kind,
        WORD(driver_on_unactuated) WORD(contact_pulls) WORD(position_violates) WORD(velocity_violates)
            WORD(massless_joint) WORD(prescribed_on_unactuated) WORD(energy_grows) WORD(no_compression)
                WORD(motor_beyond_limit) WORD(contact_enters) WORD(beyond_effort))
SPELLED(GivenUp::Reason, WORD(conflict) WORD(priority) WORD(damping) WORD(limit))
SPELLED(PlaceOfRows::Reason, WORD(asked) WORD(own_paths) WORD(estimated) WORD(few_rows) WORD(dependent) WORD(settings))
SPELLED(MotionTerm::Kind, WORD(row) WORD(demand) WORD(motion) WORD(cone) WORD(sense) WORD(limit) WORD(torque))
SPELLED(Singularity, WORD(truncation) WORD(proximal) WORD(damping) WORD(weighted))
SPELLED(Restitution, WORD(newton) WORD(poisson) WORD(energetic))
SPELLED(Policy, WORD(hard) WORD(early) WORD(soft))
SPELLED(Role, WORD(physical) WORD(driver))
SPELLED(Sense, WORD(equal) WORD(at_least) WORD(at_most))
SPELLED(AccelerationKind, WORD(classical) WORD(spatial))
SPELLED(Keep, WORD(automatic) WORD(stabilisation) WORD(projection))
SPELLED(Crossing, WORD(falling) WORD(rising) WORD(both))
SPELLED(ContactState::What, WORD(point) WORD(lower) WORD(upper) WORD(friction) WORD(contact) WORD(row))
SPELLED(ContactState::Kind, WORD(open) WORD(stick) WORD(slip))
SPELLED(ContactChange::Kind, WORD(touch) WORD(leave))
SPELLED(PoseStatus, WORD(ok) WORD(nearest_found) WORD(not_converged) WORD(non_finite_input) WORD(invalid_input))
SPELLED(DelassusMethod, WORD(automatic) WORD(pv_osimr) WORD(efpa) WORD(dense))
SPELLED(Integrator,
        WORD(semi_implicit) WORD(rk4) WORD(half_explicit) WORD(variational) WORD(dormand_prince) WORD(contact))
#undef SPELLED
#undef WORD

template <class... E> void expect_words() {
  const auto one = []<class X>(Type<X> type) {
    const std::size_t count = words_of(type).size();
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_STREQ(name_of(static_cast<X>(k)), spelled(static_cast<X>(k))) << typeid(X).name();
    EXPECT_STREQ(spelled(static_cast<X>(count)), "") << typeid(X).name() << " has a value without a word";
    EXPECT_STREQ(name_of(static_cast<X>(count)), "unknown");
  };
  (one(Type<E>()), ...);
}
TEST(Records, EnumerationsHaveAWordForEveryValue) {
  expect_words<Status, SolveWarning::Kind, GivenUp::Reason, PlaceOfRows::Reason, MotionTerm::Kind, Singularity,
               Restitution, Policy, Role, Sense, AccelerationKind, Keep, Crossing, PoseStatus, DelassusMethod,
               Integrator, ContactState::What, ContactState::Kind, ContactChange::Kind>();
}

TEST(Records, NamesAreFoundWhereverTheyAre) {
  SolveReport r;
  r.redundant = {"a", "b"};
  r.given_up = {{"c", 1.0, GivenUp::Reason::limit}};
  r.terms = {{"d", 1.0}};
  r.warnings = {{SolveWarning::Kind::beyond_effort, "e", 1.0, "f"}};
  r.singular_joint = "g";
  std::string all;
  for_each_name(r, [&](std::string_view name) { all += name; });
  EXPECT_EQ(all, "abcdefg");
  r.rank = 7;
  const auto room = r.redundant.capacity();
  clear_lists(r);
  EXPECT_TRUE(r.redundant.empty() && r.given_up.empty() && r.terms.empty() && r.warnings.empty());
  EXPECT_TRUE(r.singular_joint.empty());
  EXPECT_EQ(r.redundant.capacity(), room);
  EXPECT_EQ(r.rank, 7);
}

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// ZWANG_WRITE_SCHEMA=1 writes the file.
TEST(Schema, OfASolutionHoldsTheListOfItsReport) {
  const std::string path = std::string(ZWANG_MODELS) + "/../docs/schema/solution.json", found = text_of_file(path);
  nlohmann::ordered_json schema = nlohmann::ordered_json::parse(found);
  schema["$defs"]["report"] = nlohmann::ordered_json::parse(solve_report_schema());
  const std::string wanted = schema.dump(1) + "\n";
  if (std::getenv("ZWANG_WRITE_SCHEMA") != nullptr) std::ofstream(path) << wanted;
  EXPECT_EQ(text_of_file(path), wanted) << "the list of SolveReport has changed: ZWANG_WRITE_SCHEMA=1 writes " << path;
}

TEST(Schema, OfConstraintsHoldsTheListsOfTheirTypes) {
  const std::string path = std::string(ZWANG_MODELS) + "/../docs/schema/constraints.json",
                    wanted = constraints_schema();
  if (std::getenv("ZWANG_WRITE_SCHEMA") != nullptr) std::ofstream(path) << wanted;
  EXPECT_EQ(text_of_file(path), wanted) << "a list of constraint/ has changed: ZWANG_WRITE_SCHEMA=1 writes " << path;
}

}  // namespace
}  // namespace zwang::test
