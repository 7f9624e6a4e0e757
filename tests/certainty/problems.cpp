// SPDX-License-Identifier: BSD-3-Clause
// Problems whose rows are told apart by little (problems.hpp).
#include "certainty/problems.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numbers>
#include <sstream>

#include "zwang/io/constraints.hpp"

namespace zwang::test {

bool whole_table() {
  const char* whole = std::getenv("ZWANG_WHOLE_TABLE");
  return whole != nullptr && std::string(whole) != "0";
}
int share(int whole) { return whole_table() ? whole : (whole + 99) / 100; }
std::optional<std::uint64_t> replayed_seed() {
  const char* seed = std::getenv("ZWANG_SEED");
  return seed ? std::optional<std::uint64_t>(std::strtoull(seed, nullptr, 10)) : std::nullopt;
}

ConstraintSet HardProblem::set() const {
  ConstraintSet s(robot().model);
  for (const AnyConstraint& c : rows) add(s, c);
  return s;
}
std::string HardProblem::text(bool with_state) const {
  std::ostringstream out;
  out.precision(17);
  out << "ZWANG_SEED=" << seed << " (" << kind << ", " << robot().description.name << ") " << to_json(set());
  const auto list = [&](const char* name, const Eigen::VectorXd& x) {
    out << "\n" << name << " = [";
    for (Eigen::Index i = 0; i < x.size(); ++i) out << (i ? ", " : "") << x(i);
    out << "]";
  };
  if (with_state) {
    list("q", state.q);
    list("v", state.v);
    list("tau", state.tau);
  }
  return out.str();
}

namespace {

std::string place_of(const std::string& joint) { return joint + " on its parent"; }
/// The same robot with a frame on the parent at each hinge.
RobotDescription with_places(RobotDescription d) {
  for (const JointDescription& j : d.joints)
    if (j.type == "revolute" || j.type == "continuous") d.frames.push_back({place_of(j.name), j.parent, j.origin});
  return d;
}

/// A robot and how its states are drawn.
struct Stage {
  std::string kind;
  std::unique_ptr<Robot> robot;
  bool gimbal = false, stretched = false, far = false;
};

Robot random_tree(std::uint64_t seed, const std::string& root) {
  RandomRobot options;
  options.joints = 6 + static_cast<int>(seed % 7);
  options.types = {"revolute", "continuous", "prismatic", "spherical", "universal", "helical"};
  options.root = root;
  options.mimic = 0;
  RobotDescription d = random_robot(seed, options);
  d.name += "_" + std::to_string(seed);
  return Robot(with_places(d));
}
/// Two hinges with nothing but a massless link between them, whose axes are `angle` apart.
Robot nearly_coaxial(double angle) {
  RobotDescription d;
  d.name = "massless_link_between_hinges_" + std::to_string(angle);
  d.name.erase(d.name.find('.'), 1);
  const Sym3<double> inertia = Sym3<double>::diagonal(0.1, 0.2, 0.15);
  d.links = {{"ground"},
             {"one", 1, {0.1, 0, 0.2}, inertia},
             {"light"},
             {"two", 1, {0.1, 0, 0.2}, inertia},
             {"three", 2, {0.2, 0.1, 0.1}, inertia}};
  const auto hinge = [](const char* name, const char* parent, const char* child, Vec3<double> axis, Vec3<double> p) {
    JointDescription j{.name = name, .type = "continuous", .parent = parent, .child = child, .axis = axis};
    j.origin.p = p;
    return j;
  };
  d.joints = {hinge("i", "ground", "one", {0.6, 0, 0.8}, {0.1, 0.2, 0.3}),
              hinge("j", "one", "light", {0, 0, 1}, {0.1, 0.2, 0.3}),
              hinge("k", "light", "two", {std::sin(angle), 0, std::cos(angle)}, {}),
              hinge("l", "two", "three", {0, 1, 0}, {0.3, 0, 0.1})};
  return Robot(with_places(d));
}

}  // namespace

Robot overlapping_freedoms(const std::string& first, const std::string& second) {
  RobotDescription d;
  d.name = first + "_" + second;
  const Sym3<double> inertia = Sym3<double>::diagonal(0.1, 0.2, 0.15);
  d.links = {{"ground"}, {"one", 1, {0.1, 0, 0.2}, inertia}, {"light"}, {"two", 1, {0.1, 0, 0.2}, inertia}};
  JointDescription i{.name = "i", .type = "continuous", .parent = "ground", .child = "one", .axis = {0.6, 0, 0.8}};
  JointDescription j{.name = "j", .type = first, .parent = "one", .child = "light", .axis = {0.1, 0.2, 0.7}};
  JointDescription k{.name = "k", .type = second, .parent = "light", .child = "two", .axis = {0.1, 0.2, 0.7}};
  Random random(4);
  j.origin = random.pose(0.3);
  d.joints = {i, j, k};
  return Robot(d);
}

namespace {

/// The robots of all problems: floating and fixed roots, and a ball of three angles as a root.
const std::vector<Stage>& stages() {
  static const std::vector<Stage> all = [] {
    std::vector<Stage> s;
    const auto push = [&](const char* kind, Robot robot) -> Stage& {
      s.push_back({kind, std::make_unique<Robot>(std::move(robot))});
      return s.back();
    };
    push("quadruped", Robot(with_places(sample_quadruped()), {.root = "floating"}));
    push("gimbal", Robot(with_places(sample_quadruped()), {.root = "spherical_zyx"})).gimbal = true;
    push("arm", Robot(with_places(sample_arm7())));
    push("tree", random_tree(3, "floating"));
    push("loops", Robot(with_places(sample_quadruped()), {.root = "floating"}));
    push("tree", random_tree(8, "fixed"));
    push("tree", random_tree(12, "floating"));
    push("chain", Robot(with_places(sample_chain(12))));
    push("stretched", Robot(with_places(sample_arm7()))).stretched = true;
    push("massless", nearly_coaxial(1));
    push("nearly coaxial", nearly_coaxial(1e-4));
    push("far", Robot(with_places(sample_quadruped()), {.root = "floating"})).far = true;
    push("gimbal arm", random_tree(5, "spherical_zyx")).gimbal = true;
    return s;
  }();
  return all;
}

RandomState draw_state(const Stage& stage, Random& random) {
  const Model& model = stage.robot->model;
  const Eigen::VectorXd q = random_configuration(model, random), v = random.vector(model.nv(), 1);
  RandomState x{q, v, Eigen::VectorXd::Zero(model.nv()), random.vector(model.nv(), 10)};
  if (stage.gimbal)  // the second angle of the root
    x.q(1) = std::numbers::pi / 2 - std::pow(10.0, random.uniform(-6, -1));
  if (stage.stretched)
    for (Eigen::Index i = 0; i < x.q.size(); ++i) x.q(i) = std::pow(10.0, random.uniform(-9, -1));
  if (stage.far) x.q.head(3) *= 1e6;
  return x;
}

/// The last few states: eight problems in turn share one.
std::pair<std::shared_ptr<const Mechanics>, RandomState> mechanics_of(const Stage& stage, std::uint64_t state) {
  struct Kept {
    std::uint64_t state;
    std::shared_ptr<const Mechanics> mechanics;
    RandomState x;
  };
  static std::map<const Stage*, Kept> kept;
  if (const auto found = kept.find(&stage); found == kept.end() || found->second.state != state) {
    Random random(state * 977 + 5);
    const RandomState x = draw_state(stage, random);
    kept[&stage] = {state, std::make_shared<Mechanics>(*stage.robot, x), x};
  }
  return {kept[&stage].mechanics, kept[&stage].x};
}

/// k / 64: sums and products of a few such numbers are exact, so that a dependency is one to the last bit.
double dyadic(Random& random, double reach) { return std::round(64 * random.uniform(-reach, reach)) / 64; }

struct Draw {
  Random& random;
  const HardProblem& problem;
  std::map<std::string, std::vector<std::array<double, 6>>> drawn = {};  ///< rows so far, by frame
  double noise_low = 0, noise_high = 0;  ///< decimal exponents of what parts rows from combinations of others
  double combined = 0.4, exact = 0.4;    ///< shares: of rows that are combinations, of these that are exactly so
  bool lone_noise = false;               ///< rows of the size of the noise may appear

  std::string moving_frame() {
    const auto& links = problem.robot().reference.links();
    for (;;) {
      const int i = random.below(static_cast<int>(links.size()));
      if (problem.robot().reference.moves(i)) return links[static_cast<std::size_t>(i)].name;
    }
  }
  std::array<double, 6> row(const std::string& frame) {
    auto& before = drawn[frame];
    std::array<double, 6> x{};
    if (!before.empty() && random.uniform(0, 1) < combined) {
      const int terms = 1 + random.below(std::min(3, static_cast<int>(before.size())));
      for (int t = 0; t < terms; ++t) {
        const auto& other = before[static_cast<std::size_t>(random.below(static_cast<int>(before.size())))];
        const double c = std::round(8 * random.uniform(-2, 2)) / 8;
        for (std::size_t k = 0; k < 6; ++k) x[k] += c * other[k];
      }
      double largest = 0;
      for (const double y : x) largest = std::max(largest, std::fabs(y));
      if (!lone_noise && largest < 0.1)  // nothing is left of it but noise: a row of its own, of another size
        for (double& y : x) y = dyadic(random, 2);
      else if (random.uniform(0, 1) > exact) {
        const double noise = std::pow(10.0, random.uniform(noise_low, noise_high));
        for (double& y : x) y += noise * random.uniform(-1, 1);
      }
    } else {
      for (double& y : x) y = random.below(5) == 0 ? 0 : dyadic(random, 2);
    }
    before.push_back(x);
    return x;
  }
  FrameConstraint frame_rows(const std::string& name, const std::string& frame, int k) {
    FrameConstraint c;
    c.name = name;
    c.frame = frame;
    std::vector<double> m;
    for (int i = 0; i < k; ++i) {
      const auto x = row(frame);
      m.insert(m.end(), x.begin(), x.end());
    }
    c.rows = rows(m);
    return c;
  }
  LoopConstraint loop(const std::string& name, const std::string& frame, const std::string& other) {
    static const char* const kinds[] = {"hinge", "ball", "cylindrical", "universal", "planar"};
    LoopConstraint c;
    c.name = name;
    c.frame = frame;
    c.other = other;
    c.rows = random.below(3) == 0 ? rows("linear.x linear.z") : joint_rows(kinds[random.below(5)], random.direction());
    return c;
  }
};

enum class Wish { random, met, top_met };

/// Right-hand sides: of any size, or such that one motion has them all.
void set_beta(HardProblem& p, Random& random, Wish wish) {
  const Mechanics& mechanics = *p.mechanics;
  const Vec motion = random.vector(mechanics.n(), 2).cast<Real>();
  for (AnyConstraint& any : p.rows)
    std::visit(
        [&](auto& c) {
          c.beta.clear();
          const Rows r = rows_of(mechanics.robot(), mechanics.state(), any);
          const bool met = wish == Wish::met || (wish == Wish::top_met && c.priority == 0);
          for (Eigen::Index i = 0; i < r.b.size(); ++i)
            c.beta.push_back(met ? static_cast<double>(r.A.row(i).dot(motion) - r.b(i)) : random.uniform(-1, 1));
        },
        any);
}

HardProblem problem_on(const Stage& stage, std::uint64_t seed) {
  HardProblem p;
  p.seed = seed;
  p.kind = stage.kind;
  std::tie(p.mechanics, p.state) = mechanics_of(stage, seed / 8);
  return p;
}

/// The place of a hinge as seen from both of its links: rows that nothing can move, whatever rounding makes of them.
AnyConstraint own_place(const HardProblem& p, Random& random) {
  const reference::Reference& r = p.robot().reference;
  LoopConstraint c;
  c.name = "own place";
  c.rows = rows("linear");
  for (;;) {
    const auto& j = r.joints()[static_cast<std::size_t>(random.below(static_cast<int>(r.joints().size())))];
    if (j.parts.size() != 1 || (j.parts[0].type != "revolute" && j.parts[0].type != "continuous")) continue;
    c.frame = place_of(j.name);
    c.other = r.links()[static_cast<std::size_t>(j.child)].name;
    return c;
  }
}

void set_priority(AnyConstraint& any, int level) {
  std::visit([&](auto& c) { c.priority = level; }, any);
}

void draw_levels(HardProblem& p, Draw& draw, Random& random, int levels, int most) {
  std::vector<std::string> frames;
  for (int i = 2 + random.below(3); i-- > 0;) frames.push_back(draw.moving_frame());
  int left = most;
  for (int level = 0; level < levels; ++level)
    for (int i = 1 + random.below(2); i-- > 0 && left > 0;) {
      const int k = std::min(left, 1 + random.below(std::max(1, std::min(4, most / levels))));
      const std::string name = "c" + std::to_string(level) + "_" + std::to_string(i);
      const std::string& frame = frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))];
      if (p.kind == "loops" && random.below(3) == 0)
        p.rows.push_back(draw.loop(name, frame, draw.moving_frame()));
      else
        p.rows.push_back(draw.frame_rows(name, frame, k));
      set_priority(p.rows.back(), level);
      left -= k;
    }
}

}  // namespace

HardProblem level_problem(std::uint64_t seed) {
  Random random(seed * 2 + 1);
  const int decade = static_cast<int>(seed % 11);
  HardProblem p = problem_on(stages()[(seed / 8) % 7], seed);
  Draw draw{random, p};
  draw.noise_low = -decade - 0.5;
  draw.noise_high = 0.5 - decade;
  if (decade <= 1) draw.combined = 0.25;
  const int n = p.mechanics->n();
  draw_levels(p, draw, random, 2 + random.below(3), decade <= 1 ? 3 + random.below(2) : 4 + random.below(n));
  set_beta(p, random, static_cast<Wish>(random.below(3)));
  return p;
}

HardProblem set_problem(std::uint64_t seed) {
  Random random(seed * 2 + 4);
  const Stage& stage = stages()[(seed / 8) % stages().size()];
  HardProblem p = problem_on(stage, seed);
  Draw draw{random, p};
  draw.noise_low = -4;
  draw.noise_high = 0;
  draw_levels(p, draw, random, 1, 2 + random.below(10));
  for (AnyConstraint& any : p.rows) set_priority(any, 0);
  if (random.below(3) == 0)
    p.rows.insert(p.rows.begin() + random.below(static_cast<int>(p.rows.size()) + 1), own_place(p, random));
  set_beta(p, random, random.below(2) ? Wish::met : Wish::random);
  if (random.below(3) == 0)  // as users scale them
    for (AnyConstraint& any : p.rows)
      if (auto* c = std::get_if<FrameConstraint>(&any)) {
        for (std::size_t i = 0; i < c->beta.size(); ++i) {
          const double scale = std::pow(10.0, random.uniform(-6, 6));
          for (std::size_t k = 0; k < 6; ++k) c->rows.matrix[6 * i + k] *= scale;
          c->beta[i] *= scale;
        }
      }
  return p;
}

HardProblem hostile_problem(std::uint64_t seed) {
  Random random(seed * 2 + 7);
  const Stage& stage = stages()[(seed / 8) % stages().size()];
  HardProblem p = problem_on(stage, seed);
  Draw draw{random, p};
  draw.noise_low = -13;
  draw.noise_high = -1;
  draw.combined = 0.5;
  draw.exact = 0.3;
  draw.lone_noise = true;
  const int levels = random.below(2) ? 1 : 2 + random.below(3);
  draw_levels(p, draw, random, levels, 3 + random.below(p.mechanics->n() + 4));
  set_beta(p, random, static_cast<Wish>(random.below(3)));
  return p;
}

std::optional<MethodAnswer> answer_of(const HardProblem& p, const ConstraintSet& set, const std::string& method) {
  try {
    Solver solver(p.robot().model, set, {.method = method});
    const Solution& s = solver.solve(p.input());
    return MethodAnswer{s.report.status, s.report.rank, s.acceleration.cast<Real>(), s.report.explain()};
  } catch (const UnsupportedError&) { return std::nullopt; }
}

std::string number(Real x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1Le", x);
  return text;
}
Real median(std::vector<Real> x) {
  if (x.empty()) return 0;
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

void replay(const HardProblem& p) {
  std::cout << p.text(true) << "\n";
  const ExactMotion exact(*p.mechanics, p.rows);
  std::cout << "rank " << exact.rank() << " of " << exact.rows() << (exact.clear() ? "" : " (in doubt)") << ", kappa "
            << number(exact.kappa()) << ", nu " << number(exact.nu()) << ", growth " << number(p.mechanics->growth())
            << ", status " << (exact.status() ? name_of(*exact.status()) : "in doubt") << "\nacceleration "
            << exact.acceleration().transpose().cast<double>() << "\n";
  for (std::size_t i = 0; i < exact.levels().row.size(); ++i) {
    const auto& d = exact.levels().row[i];
    std::cout << "row " << i << ", level " << exact.problem().level[i] << (d.counts ? ": counts" : ": depends")
              << ", rest " << number(d.rest) << ", terms " << number(d.terms) << ", threshold " << number(d.threshold)
              << ", asks for " << number(exact.problem().r[i]) << (exact.problem().zero[i] ? ", moved by nothing" : "")
              << "\n";
  }
  const ConstraintSet set = p.set();
  for (const std::string& method : methods()) {
    const auto answer = answer_of(p, set, method);
    std::cout << method << ": ";
    if (!answer) {
      std::cout << "refused\n";
      continue;
    }
    const Flaws f = exact.flaws(answer->acceleration);
    std::cout << name_of(answer->status) << ", rank " << answer->rank << ", error " << number(f.error)
              << ", level betterable by " << number(f.betterable) << ", over its bounds by " << number(f.unpromised)
              << "\n";
  }
}

}  // namespace zwang::test
