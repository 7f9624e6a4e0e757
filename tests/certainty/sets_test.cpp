// SPDX-License-Identifier: BSD-3-Clause
// Sets of rows of one level: redundant, contradictory, moved by nothing, next to gimbal lock, on stretched arms, across
// massless links, scaled by 1e-6 to 1e6, at 1e6 m. Every method has the oracle's rank and motion, and all have one
// status; so have lanes, in double and in float.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "certainty/problems.hpp"
#include "zwang/batch/batch_solver.hpp"

namespace zwang::test {
namespace {

/// Accelerations: 1e4 eps kappa; where M itself is known to eps g^2 only (g: growth()), ten times that; where a change
/// of the rows by one rounding of their terms does more, a hundred times what that does.
struct Limit {
  Limit(const ExactMotion& exact, const Mechanics& mechanics, Real eps)
      : of_kappa(1e4L * eps * exact.kappa()),
        all(std::max(
            {of_kappa, 10 * eps * mechanics.growth() * mechanics.growth(), 100 * exact.flaws_of_rounding().error})) {}
  Real of_kappa, all;
};

struct Count {
  int solved = 0, refused = 0, not_converged = 0, rank = 0, status = 0, motion = 0, beyond_kappa = 0;
  Real worst = 0;  ///< error of q'' over its limit
};
using Counts = std::map<std::string, Count>;

void print(const char* title, const Counts& table) {
  std::cout
      << "| " << title
      << " | solved | refused | not converged | wrong rank | other status | q'' beyond its limit | q'' beyond 1e4 "
         "eps kappa | worst q'' over its limit |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [name, c] : table)
    std::cout << "| " << name << " | " << c.solved << " | " << c.refused << " | " << c.not_converged << " | " << c.rank
              << " | " << c.status << " | " << c.motion << " | " << c.beyond_kappa << " | " << number(c.worst)
              << " |\n";
}
void expect_none(const std::string& name, const Count& c) {
  EXPECT_EQ(c.rank, 0) << name << ": wrong ranks";
  EXPECT_EQ(c.status, 0) << name << ": another status than other methods or the oracle";
  EXPECT_EQ(c.motion, 0) << name << ": q''";
}

/// What is wrong with an answer, counted in `counts`; an empty string where nothing is.
std::string judge(const ExactMotion& exact, const Limit& limit, std::optional<Status> wanted, Status status,
                  std::optional<Index> rank, const Vec& acceleration, std::initializer_list<Count*> counts) {
  const bool settled = status != Status::not_converged;
  const Real error = has_result(status) && settled ? exact.flaws(acceleration).error : 0;
  const bool bad_rank = settled && rank && *rank != exact.rank(), bad_status = settled && wanted && status != *wanted,
             bad_motion = !(error <= limit.all);
  for (Count* c : counts) {
    ++c->solved;
    c->not_converged += !settled;
    c->rank += bad_rank;
    c->status += bad_status;
    c->motion += bad_motion;
    c->beyond_kappa += !(error <= limit.of_kappa);
    c->worst = std::max(c->worst, error / limit.all);
  }
  if (!bad_rank && !bad_status && !bad_motion) return "";
  return std::string(name_of(status)) + (wanted ? std::string(" instead of ") + name_of(*wanted) : "") +
         (rank ? ", rank " + std::to_string(*rank) + " of " + std::to_string(exact.rank()) : "") + ", q'' off by " +
         number(error) + ", limit " + number(limit.all);
}

void show(int& shown, const std::string& who, const std::string& why, const HardProblem& p) {
  if (!why.empty() && shown++ < 5) ADD_FAILURE() << who << ": " << why << "\n" << p.text();
}

TEST(CertainSets, HaveOneRankOneStatusAndOneMotionByEveryMethod) {
  if (const auto seed = replayed_seed()) {
    replay(set_problem(*seed));
    return;
  }
  Counts by_method, by_kind;
  int unclear = 0, deficient = 0, infeasible = 0, zero = 0, shown = 0;
  const int problems = whole_table() ? 100000 : share(40000);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(problems); ++seed) {
    const HardProblem p = set_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    if (!exact.clear()) {
      ++unclear;
      continue;
    }
    const Limit limit(exact, *p.mechanics, k_double_eps);
    std::optional<Status> wanted = exact.status();
    deficient += exact.rank() < exact.rows();
    infeasible += wanted == Status::infeasible;
    zero += std::count(exact.problem().zero.begin(), exact.problem().zero.end(), true) > 0;
    const ConstraintSet set = p.set();
    for (const std::string& method : methods()) {
      const auto answer = answer_of(p, set, method);
      if (!answer) {
        ++by_method[method].refused;
        continue;
      }
      if (!wanted) wanted = answer->status;  // in doubt: what the first method says
      show(shown, method,
           judge(exact, limit, wanted, answer->status, answer->rank, answer->acceleration,
                 {&by_method[method], &by_kind[p.kind]}),
           p);
    }
  }
  if (whole_table() || shown > 0) {
    std::cout << problems << " sets: " << unclear << " in doubt, " << deficient << " dependent, " << infeasible
              << " contradictory, " << zero << " with rows that nothing moves\n";
    print("method", by_method);
    print("robot", by_kind);
  }
  for (const auto& [name, c] : by_method) expect_none(name, c);
  EXPECT_LE(unclear, problems / 4);
  EXPECT_GE(deficient, problems / 4);
  EXPECT_GE(infeasible, problems / 20);
  EXPECT_GE(zero, problems / 20);
  EXPECT_GE(by_method["automatic"].solved, problems / 2);
}

/// The state of a problem in the middle of a batch of others.
template <class T> struct Lane {
  Status status;
  Vec acceleration;
};
template <class T> Lane<T> in_lanes(const HardProblem& p, const ConstraintSet& set, const RandomState& x) {
  constexpr long n = 5, mine = 2;
  const Model& m = p.robot().model;
  StateRows<T> q(n, m.nq()), v(n, m.nv()), tau(n, m.nv()), a(n, m.nv());
  for (long s = 0; s < n; ++s) {
    const RandomState other = s == mine ? x : random_state(m, p.seed * 5 + static_cast<std::uint64_t>(s));
    q.row(s) = other.q.cast<T>();
    v.row(s) = other.v.cast<T>();
    tau.row(s) = other.tau.cast<T>();
  }
  BasicBatchSolver<T> solver(m, set, {}, {.threads = 1});
  const BatchReport& report = solver.solve({.q = q, .v = v, .tau = tau}, {.acceleration = a});
  return {report.status(mine), a.row(mine).transpose().template cast<Real>()};
}

TEST(CertainSets, AreTheSameInLanes) {
  if (const auto seed = replayed_seed()) return;
  Counts counts;
  int shown = 0;
  const int problems = whole_table() ? 100000 : share(40000);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(problems); ++seed) {
    const HardProblem p = set_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    if (!exact.clear()) continue;
    const ConstraintSet set = p.set();
    const auto one = answer_of(p, set, "automatic");
    const Lane<double> lane = in_lanes<double>(p, set, p.state);
    show(shown, "double lanes",
         judge(exact, Limit(exact, *p.mechanics, k_double_eps), one->status, lane.status, std::nullopt,
               lane.acceleration, {&counts["double lanes beside one state"]}),
         p);
    if (const auto wanted = exact.status())
      counts["double lanes beside the oracle"].status +=
          ++counts["double lanes beside the oracle"].solved > 0 && lane.status != *wanted;
    RandomState x = p.state;  // as float can hold it
    for (Eigen::VectorXd* y : {&x.q, &x.v, &x.tau}) *y = y->cast<float>().cast<double>();
    const Mechanics mechanics(p.robot(), x);
    const ExactMotion rough(mechanics, p.rows, k_float_eps);
    const Limit limit(rough, mechanics, k_float_eps);
    if (!rough.clear() || limit.all > 0.1L) continue;
    const Lane<float> flat = in_lanes<float>(p, set, x);
    // A state that lanes leave to the solver of one state is solved in double:
    // what float cannot tell from zero may count.
    const ExactMotion sharp(mechanics, p.rows);
    const bool as_double = !(rough.flaws(flat.acceleration).error <= limit.all) && has_result(flat.status);
    show(shown, "float lanes",
         judge(as_double ? sharp : rough, limit, std::nullopt, flat.status, std::nullopt, flat.acceleration,
               {&counts["float lanes"]}),
         p);
  }
  if (whole_table() || shown > 0) print("lanes", counts);
  for (const auto& [name, c] : counts) expect_none(name, c);
  EXPECT_GE(counts["float lanes"].solved, problems / 20);
}

/// Coaxial freedoms with nothing but a massless link between them: M is singular at every state, and the row does not
/// say how the two share the motion.
TEST(CertainSets, ASingularInertiaIsToldByEveryMethodAndInLanes) {
  if (replayed_seed()) return;
  int shown = 0;
  for (const auto& [first, second] :
       {std::pair("continuous", "continuous"), std::pair("spherical", "continuous"),
        std::pair("spherical", "universal"), std::pair("planar", "continuous"), std::pair("translation", "prismatic"),
        std::pair("spherical", "spherical"), std::pair("floating", "revolute"), std::pair("floating", "prismatic")}) {
    const Robot robot = overlapping_freedoms(first, second);
    ConstraintSet set(robot.model);
    FrameConstraint c;
    c.name = "held";
    c.frame = "one";
    c.rows = rows("linear.x");
    set.add(c);
    std::map<std::string, int> other;
    const int states = share(2000);
    for (int k = 0; k < states; ++k) {
      const RandomState x = random_state(robot.model, static_cast<std::uint64_t>(k) + 1);
      const SolveInput input{.q = x.q, .v = x.v, .tau = x.tau};
      for (const std::string& method : methods()) {
        if (method == "pv_soft") continue;  // refuses rows without compliance
        try {
          Solver solver(robot.model, set, {.method = method});
          other[method] += solver.solve(input).report.status != Status::singular_mass;
        } catch (const UnsupportedError&) {}
      }
      StateRows<double> q = x.q.transpose(), v = x.v.transpose(), tau = x.tau.transpose(), a = v;
      BatchSolver solver(robot.model, set, {}, {.threads = 1});
      other["lanes"] +=
          solver.solve({.q = q, .v = v, .tau = tau}, {.acceleration = a}).status(0) != Status::singular_mass;
    }
    for (const auto& [name, n] : other) {
      EXPECT_EQ(n, 0) << name << " of " << states << " states: " << first << " and " << second;
      shown += n > 0;
    }
  }
  RecordProperty("wrong", shown);
}

}  // namespace
}  // namespace zwang::test
