// SPDX-License-Identifier: BSD-3-Clause
// Constraint sets as JSON: what is written and read again is the same set, to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/effort.hpp"
#include "support/random.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

struct Own : CustomRows {
  Index rows() const override { return 2; }
  void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const override {
    for (int r = 0; r < 2; ++r) {
      phi[r] = q[r] - 0.1;
      J[3 * r + r] = 1;
      J[3 * r + 2] = 0.5;
      Jdot_v[r] = v[r] * v[2];
    }
  }
};

/// Random constraints of every type, with every field.
class Draw {
 public:
  Draw(const Model& model, std::uint64_t seed) : model_(model), random_(seed) {}
  ConstraintSet set(bool custom);

 private:
  double number() {  // of every size; zeros of both signs
    switch (random_.below(8)) {
      case 0: return -0.0;
      case 1: return random_.uniform(-1, 1) * 1e-300;
      case 2: return random_.uniform(-1, 1) * 1e17;
      case 3: return random_.below(7) - 3;
      default: return random_.uniform(-3, 3);
    }
  }
  double positive() { return random_.uniform(0.1, 2); }
  Vec3<double> vec3() { return {random_.uniform(-1, 1), random_.uniform(-1, 1), random_.uniform(-1, 1)}; }
  std::vector<double> list(Index n) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (double& a : x) a = random_.uniform(-2, 2);
    return x;
  }
  std::string frame() {
    return model_.frames()[static_cast<std::size_t>(random_.below(static_cast<int>(model_.frames().size())))].name;
  }
  RowSelection selection() {
    switch (random_.below(4)) {
      case 0: return rows("linear.z angular.x linear.y");
      case 1: return rows(list(12));
      case 2: return joint_rows("hinge", vec3());
      default: return rows("linear");
    }
  }
  /// All that is common, for so many rows.
  template <class Type> void add(Type c, Index n, bool with_errors) {
    c.name = "constraint " + std::to_string(set_->size());
    c.role = random_.below(2) ? Role::driver : Role::physical;
    c.active = random_.below(5) > 0;
    if (random_.below(2)) c.beta = list(n);
    switch (random_.below(6)) {
      case 0:
        c.policy = Policy::soft;
        c.compliance = {positive()};
        break;
      case 1: c.policy = Policy::early; break;
      case 2: c.priority = 1 + random_.below(2); break;
      case 3: c.compensate = {random_.below(2) > 0, random_.below(2) > 0, random_.below(2) > 0, random_.below(2) > 0};
    }
    if (random_.below(2)) c.weight = std::vector<double>(static_cast<std::size_t>(n), positive());
    if (with_errors && random_.below(2)) {
      c.stabilisation = {positive(), positive()};
      c.target = list(n);
      if (random_.below(2)) c.target_velocity = list(n);
    }
    try {
      set_->add(c);
    } catch (const std::invalid_argument&) {  // such as a target in axes that move
    }
  }
  void change();
  void add_frame();
  void add_contact();
  void add_between_bodies();
  void add_of_coordinates(bool custom);

  const Model& model_;
  Random random_;
  ConstraintSet* set_ = nullptr;
};

void Draw::add_frame() {
  FrameConstraint c{.frame = frame(), .rows = selection()};
  const std::string in[] = {"local", "world", "local_world_aligned", frame()};
  c.in = in[random_.below(4)];
  c.acceleration = random_.below(3) ? AccelerationKind::classical : AccelerationKind::spatial;
  c.has_target = random_.below(2) > 0;
  c.target_pose = random_.pose();
  add(c, c.rows.size(), c.has_target);
}
void Draw::add_contact() {
  ContactConstraint c{.frame = frame(), .rows = 1 + random_.below(3)};
  if (random_.below(2)) c.point = vec3();
  if (random_.below(2)) c.normal = vec3();
  if (random_.below(2)) c.tangent = vec3();
  c.has_target = random_.below(2) > 0;
  c.target_point = vec3();
  add(c, c.rows, c.has_target);
  if (random_.below(4) > 0) return;  // solvers refuse it
  ContactConstraint rubs{.frame = frame(), .friction = random_.below(2) ? 0.0 : positive()};
  Constraint& sided = set_->add([&] {
    rubs.name = "rubs";
    rubs.sense = {Sense::at_least};
    return rubs;
  }());
  if (random_.below(2)) sided.friction = std::optional<double>(positive());
}
void Draw::add_between_bodies() {
  LoopConstraint loop{.frame = frame(), .other = frame()};
  loop.rows = random_.below(3) ? joint_rows("universal", {0, 0, 2}, {0, 3, 0}) : selection();
  add(loop, loop.rows.size(), true);
  LoopConstraint points{.frame = frame(), .other = frame(), .rows = rows("linear.y linear.x")};
  if (random_.below(2)) points.in = "local_world_aligned";
  add(points, 2, true);
  DistanceConstraint rod{.frame = frame(), .point = vec3(), .other = frame(), .length = positive()};
  if (random_.below(2)) rod.other_point = vec3();
  add(rod, 1, true);
  RollingConstraint wheel{.frame = frame(), .radius = positive()};
  if (random_.below(2)) wheel.axis = vec3();
  if (random_.below(2)) wheel.other = frame();
  if (random_.below(2)) wheel.normal = vec3();
  if (random_.below(2)) wheel.plane_point = vec3();
  if (random_.below(2)) wheel.tangent = vec3();
  if (random_.below(2)) wheel.rows = "normal, tangent1";
  add(wheel, wheel.rows.size() > 20 ? 3 : 2, true);
}
void Draw::add_of_coordinates(bool custom) {
  std::vector<std::string> names;
  for (Index k = model_.nv() - 3; k < model_.nv(); ++k)
    names.push_back(model_.coordinate_names()[static_cast<std::size_t>(k)]);
  CouplingConstraint gear{.coordinates = {names[0], names[1]}};
  if (random_.below(2)) {
    gear.ratio = list(2);
    gear.offset = number();
  } else {
    gear.polynomial = {number(), positive(), number()};
  }
  add(gear, 1, true);
  JointConstraint posture{.coordinates = {names[1], names[2]}};
  if (random_.below(2)) {
    posture.coordinates.clear();
    const Eigen::VectorXd q = zwang::random(model_, random_.next());
    posture.posture.assign(q.data(), q.data() + q.size());
  }
  add(posture, posture.coordinates.empty() ? model_.nv() : 2, true);
  CentreOfMassConstraint balance;
  if (random_.below(2))
    balance.matrix = list(6);
  else
    balance.rows = rows("linear.x linear.y");
  add(balance, 2, true);
  if (!custom) return;
  CustomConstraint own{.rows = std::make_shared<Own>(), .coordinates = names};
  if (random_.below(2)) own.row_names = {"one", "two \"2\""};
  add(own, 2, true);
}

/// What users change between solves.
void Draw::change() {
  for (const Constraint& added : set_->constraints()) {
    Constraint& c = (*set_)[added.name];
    for (std::size_t k = 0; k < c.beta.size(); ++k)
      if (random_.below(3) == 0) c.beta[k] = number();
    if (random_.below(3) == 0) c.active = !c.active;
    if (random_.below(3) == 0) c.role = c.role == Role::driver ? Role::physical : Role::driver;
    for (std::size_t k = 0; k < c.target.size(); ++k) c.target[k] += 0.125;
    if (c.stabilisation.time_constant > 0) c.stabilisation.damping_ratio = positive();
    for (std::size_t k = 0; k < c.weight.size(); ++k) c.weight[k] *= 3;
    for (std::size_t k = 0; k < c.compliance.size(); ++k) c.compliance[k] *= 1.1;
    if (c.type == "frame" && c.relation == nullptr)
      c.rows_on_body.change([](RowsOnBody& r) {
        for (double& x : r.matrix) x *= 1.5;
      });
    if (c.type == "contact" && random_.below(3) == 0) c.acceleration = AccelerationKind::spatial;
  }
}

ConstraintSet Draw::set(bool custom) {
  ConstraintSet set(model_);
  set_ = &set;
  add_frame();
  add_contact();
  add_between_bodies();
  add_of_coordinates(custom);
  add_frame();
  if (random_.below(2)) change();
  const std::vector<Constraint>& all = set.constraints();
  if (all.size() > 2) set.add_group("z group", {all[2].name, all[0].name});
  if (all.size() > 1) set.add_group("a group", {all[1].name});
  return set;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}
void expect_same(const ConstraintSet& a, const ConstraintSet& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.constraints().size(); ++k) {
    const Constraint &x = a.constraints()[k], &y = b.constraints()[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.frame, y.frame);
    EXPECT_EQ(x.other, y.other);
    EXPECT_EQ(x.in, y.in);
    EXPECT_EQ(x.row_names, y.row_names);
    EXPECT_EQ(x.role, y.role);
    EXPECT_EQ(x.acceleration, y.acceleration);
    EXPECT_EQ(x.active, y.active);
    EXPECT_EQ(x.unilateral, y.unilateral);
    EXPECT_EQ(x.policy, y.policy);
    EXPECT_EQ(x.priority, y.priority);
    EXPECT_EQ(x.compensate, y.compensate);
    EXPECT_EQ(x.stabilisation, y.stabilisation);
    EXPECT_TRUE(same(x.beta, y.beta)) << x.name;
    EXPECT_TRUE(same(x.compliance, y.compliance)) << x.name;
    EXPECT_TRUE(same(x.weight, y.weight)) << x.name;
    EXPECT_TRUE(same(x.target, y.target)) << x.name;
    EXPECT_TRUE(same(x.target_velocity, y.target_velocity)) << x.name;
    EXPECT_TRUE(same(x.rows_on_body->matrix, y.rows_on_body->matrix)) << x.name;
    EXPECT_EQ(x.relation == nullptr, y.relation == nullptr);
  }
  ASSERT_EQ(a.groups().size(), b.groups().size());
  for (std::size_t k = 0; k < a.groups().size(); ++k) {
    EXPECT_EQ(a.groups()[k].name, b.groups()[k].name);
    EXPECT_EQ(a.groups()[k].members, b.groups()[k].members);
  }
}

/// Both sets lead to the same numbers, or to the same refusal.
void expect_same_motion(const Model& m, ConstraintSet& a, ConstraintSet& b, std::uint64_t seed, int& solved) {
  const RandomState x = random_state(m, seed);
  for (const Singularity singularity : {Singularity::truncation, Singularity::weighted}) {
    Solver first(m, a, {.singularity = singularity}), second(m, b, {.singularity = singularity});
    const Solution& s = first.try_solve({.q = x.q, .v = x.v, .tau = x.tau});
    const Solution& t = second.try_solve({.q = x.q, .v = x.v, .tau = x.tau});
    EXPECT_EQ(s.report.status, t.report.status);
    EXPECT_EQ(s.report.explain(), t.report.explain());
    for (Index k = 0; k < m.nv(); ++k) EXPECT_EQ(s.acceleration[k], t.acceleration[k]);
    for (Index k = 0; k < a.rows(); ++k) EXPECT_EQ(s.multipliers[k], t.multipliers[k]);
    solved += s.report.status == Status::ok || s.report.status == Status::infeasible;
  }
}

TEST(ConstraintsAsJson, ReadAgainAreTheSameToTheLastBit) {
  int solved = 0, constraints = 0;
  const int count = effort(200);
  for (int seed = 1; seed <= count; ++seed) {
    RandomRobot options{.joints = 8, .root = seed % 2 ? "floating" : "fixed"};
    const Model m = build(random_robot(static_cast<std::uint64_t>(seed), options));
    const bool custom = seed % 3 == 0;
    ConstraintSet set = Draw(m, static_cast<std::uint64_t>(seed)).set(custom);
    NamedCustomRows functions;
    for (const Constraint& c : set.constraints())
      if (const auto* own = set.added_as<CustomConstraint>(c.name)) functions.emplace_back(c.name, own->rows);
    const std::string text = to_json(set, CustomAs::by_name);
    ConstraintSet again = constraints_from_json(m, text, functions);
    expect_same(set, again);
    EXPECT_EQ(to_json(again, CustomAs::by_name), text);
    expect_same_motion(m, set, again, static_cast<std::uint64_t>(seed), solved);
    constraints += set.size();
    if (HasFailure()) {
      ADD_FAILURE() << "seed " << seed << "\n" << text;
      break;
    }
  }
  EXPECT_GT(constraints, 6 * count);
  EXPECT_GT(solved, count / 4);
}

template <class F> void expect_says(F&& f, std::initializer_list<const char*> words) {
  try {
    f();
    ADD_FAILURE() << "taken: " << *words.begin();
  } catch (const std::invalid_argument& e) {
    for (const char* word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what() << " does not say " << word;
  }
}

ConstraintSet held_arm(const Model& m) {
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  set.add(ContactConstraint{.name = "touch", .frame = "tool0"});
  return set;
}

TEST(ConstraintsAsJson, SayWhatCannotBeWritten) {
  const Model m = build(sample("arm7"));
  ConstraintSet set = held_arm(m);
  const auto write = [&] { static_cast<void>(to_json(set)); };
  EXPECT_NO_THROW(write());
  const ConstraintSet good = set;
  set["tool"].beta[1] = std::nan("");
  expect_says(write, {"'tool'", "beta"});
  set = good;
  set["touch"].rows_on_body.change([](RowsOnBody& r) { r.point.x += 1; });
  expect_says(write, {"'touch'", "rows_on_body"});
  set = good;
  set["tool"].stabilisation.time_constant = 1;  // of no effect without a target
  expect_says(write, {"'tool'", "target_pose"});
  set = good;
  set["touch"].in = "local";
  expect_says(write, {"'touch'", "axes"});
  set = good;
  CustomConstraint own{.name = "mine", .rows = std::make_shared<Own>()};
  own.coordinates = {m.coordinate_names()[0], m.coordinate_names()[1], m.coordinate_names()[2]};
  set.add(own);
  EXPECT_THROW(write(), UnsupportedError);
  expect_says(write, {"'mine'", "custom"});
  const std::string by_name = to_json(set, CustomAs::by_name);
  expect_says([&] { constraints_from_json(m, by_name); }, {"constraints[2].type", "'mine'"});
  EXPECT_EQ(constraints_from_json(m, by_name, {{"mine", std::make_shared<Own>()}}).size(), 3);
}

TEST(ConstraintsAsJson, SayWhatCannotBeReadAndWhere) {
  const Model m = build(sample("arm7"));
  const auto refused = [&](const std::string& text, std::initializer_list<const char*> words) {
    expect_says([&] { constraints_from_json(m, text); }, words);
    EXPECT_THROW(constraints_from_json(m, text), JsonError) << text;
  };
  refused("{", {"not JSON"});
  refused("[]", {"an object"});
  refused(R"({"constrains": []})", {"constrains", "did you mean 'constraints'"});
  refused(R"({"constraints": {}})", {"JSON: constraints", "an array"});
  const auto one = [](const std::string& c) { return R"({"constraints": [)" + c + "]}"; };
  refused(one("3"), {"constraints[0]", "an object"});
  refused(one(R"({"name": "a", "type": "fram"})"), {"constraints[0].type", "did you mean 'frame'"});
  refused(one(R"({"name": "a", "type": "frame", "frame": "tool1"})"), {"constraints[0]", "tool1", "'tool0'"});
  refused(one(R"({"name": "a", "type": "frame", "frame": "tool0", "row": "all"})"), {"'row'", "did you mean 'rows'"});
  refused(one(R"({"name": "a", "type": "frame", "frame": "tool0", "rows": {"matrix": [[1, 0, 0]]}})"),
          {"constraints[0].rows.matrix[0]", "expected 6"});
  refused(
      one(R"({"name": "a", "type": "frame", "frame": "tool0", "rows": {"matrix": [[1, 0, 0, 0, 0, 0]], "name": 1}})"),
      {"constraints[0].rows", "did you mean 'names'"});
  refused(one(R"({"name": "a", "type": "frame", "frame": "tool0", "beta": [1e999, 0, 0, 0, 0, 0]})"), {"number"});
  refused(one(R"({"name": "a", "name": "b", "type": "frame"})"), {"'name'", "twice"});
  const std::string tool = R"({"name": "a", "type": "frame", "frame": "tool0"})";
  refused(one(tool + "," + tool), {"constraints[1]", "there already"});
  const auto groups = [&](const std::string& g) {
    return R"({"constraints": [)" + tool + R"(], "groups": )" + g + "}";
  };
  EXPECT_EQ(constraints_from_json(m, groups(R"({"both": ["a"]})")).groups().size(), 1u);
  refused(groups("[]"), {"groups", "an object"});
  refused(groups(R"({"both": "a"})"), {"groups.both", "an array"});
  refused(groups(R"({"both": ["b"]})"), {"groups.both", "'b'"});
  refused(groups(R"({"a": ["a"]})"), {"groups.a", "taken"});
  refused(groups(R"({"both": []})"), {"groups.both", "no members"});
  std::string many = "{";
  for (int k = 0; k < 20000; ++k) many += "\"" + std::to_string(k) + "\":0,";
  refused(many + "\"end\":0}", {"10000 keys"});
}

// With a search of all names for each name, and a look at all constraints at the end of each, this took a minute.
TEST(ConstraintsAsJson, OfAHundredThousandAreReadInTimeInProportion) {
  const Model m = build(sample("arm7"));
  std::string text = R"({"constraints": [)";
  for (int k = 0; k < 100000; ++k)
    text += std::string(k == 0 ? "" : ",") + R"({"type": "frame", "frame": "tool0", "name": "c)" + std::to_string(k) +
            "\"}";
  const ConstraintSet set = constraints_from_json(m, text + "]}");
  EXPECT_EQ(set.size(), 100000);
  EXPECT_EQ(set["c99999"].row_names[0], "c99999:linear.x");
  EXPECT_EQ(set["c0"].row_names[5], "c0:angular.z");
  ConstraintSet copy(set);
  EXPECT_THROW(copy.add(FrameConstraint{.name = "c5000", .frame = "tool0"}), std::invalid_argument);
  copy.clear();
  copy.add(FrameConstraint{.name = "c5000", .frame = "tool0"});
  EXPECT_EQ(copy.size(), 1);
}

}  // namespace
}  // namespace zwang::test
