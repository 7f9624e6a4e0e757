// SPDX-License-Identifier: BSD-3-Clause
// Random robots of every joint type.
#include <algorithm>
#include <cmath>

#include "model/build_steps.hpp"
#include "zwang/core/error.hpp"
#include "zwang/core/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/model/user_joint.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang {
namespace {

/// Draws one robot. Every choice takes a fixed kind of number from one stream, in the order of the joints.
class Draw {
 public:
  Draw(std::uint64_t seed, const RandomRobot& options) : random_(seed), options_(options) {}

  RobotDescription robot() {
    RobotDescription r;
    r.name = "random";
    const bool hangs = options_.root != "fixed";
    if (hangs) r.links.push_back({.name = "world"});
    r.links.push_back(link("link0"));
    if (hangs) {
      JointDescription j = joint("base", {options_.root, nullptr});
      j.parent = "world";
      j.child = "link0";
      j.actuated = JointDescription::Actuated::no;
      r.joints.push_back(j);
    }
    const std::size_t base = r.links.size() - 1;
    for (int i = 1; i <= options_.joints; ++i) {
      JointDescription j = joint("joint" + std::to_string(i), next_type());
      const std::size_t last = r.links.size() - 1;
      const bool branch = chance(options_.branching);
      j.parent = r.links[branch ? base + below(last - base + 1) : last].name;
      j.child = "link" + std::to_string(i);
      j.origin = pose(options_.size);
      effects(j);
      r.links.push_back(link(j.child));
      r.joints.push_back(std::move(j));
    }
    mimics(r);
    return r;
  }

 private:
  struct Choice {
    std::string type;
    std::shared_ptr<const UserJoint> user;
  };

  bool chance(double p) { return random_.uniform() < p; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.integer(n)); }
  Vec3<double> vector(double size) {
    const double x = random_.uniform(-size, size), y = random_.uniform(-size, size);
    return {x, y, random_.uniform(-size, size)};
  }
  Mat3<double> turn() {
    const auto q = random_.unit_quaternion();
    return rotation(Quat<double>{q[0], q[1], q[2], q[3]});
  }
  Transform<double> pose(double size) {
    const Mat3<double> R = turn();
    return {R, vector(size)};
  }
  Vec3<double> direction() { return column_x(turn()); }

  /// A body of positive density: second moments a, b, c along its principal
  /// axes give the inertia (b + c, a + c, a + b).
  LinkDescription link(const std::string& name) {
    LinkDescription l{.name = name};
    l.mass = random_.uniform(0.3, 4);
    l.centre = vector(0.4 * options_.size);
    const double s = l.mass * options_.size * options_.size;
    const double a = s * random_.uniform(0.02, 0.1), b = s * random_.uniform(0.02, 0.1),
                 c = s * random_.uniform(0.02, 0.1);
    l.inertia = congruence(turn(), Sym3<double>::diagonal(b + c, a + c, a + b));
    return l;
  }

  /// The next card of a shuffled deck of all types.
  Choice next_type() {
    if (deck_.empty()) {
      std::vector<std::string> types = options_.types;
      if (types.empty()) {
        types = joint_type_names();
        types.insert(types.end(), {"continuous", "fixed", "composite"});
      }
      for (const std::string& t : types) deck_.push_back({t, nullptr});
      for (const auto& u : options_.user) deck_.push_back({"user", u});
      for (std::size_t i = deck_.size(); i > 1; --i) std::swap(deck_[i - 1], deck_[below(i)]);
    }
    const Choice c = deck_.back();
    deck_.pop_back();
    return c;
  }

  std::vector<double> parameters(const std::string& type) {
    const std::optional<JointTypeInfo> info = building::type_of(type, nullptr);
    std::vector<double> p(static_cast<std::size_t>(info ? std::max(info->parameters, 0) : 0));
    for (double& x : p) x = random_.uniform(0.05, 0.3);
    return p;
  }

  JointDescription joint(const std::string& name, const Choice& choice) {
    JointDescription j{.name = name, .type = choice.type};
    j.user = choice.user;
    const double length = random_.uniform(0.9995, 1.0005);  // one draw a statement: a compiler may swap operands
    j.axis = direction() * length;
    j.parameters = choice.user ? std::vector<double>(6, random_.uniform(0.05, 0.3)) : parameters(choice.type);
    if (choice.type != "composite") return j;
    const std::vector<std::string> types = joint_type_names();
    const std::size_t count = 2 + below(2);
    for (std::size_t k = 0; k < count; ++k) {
      JointPart part{.type = k == 1 && chance(0.2) ? "fixed" : types[below(types.size())]};
      part.origin = pose(0.3 * options_.size);
      part.axis = direction();
      part.parameters = parameters(part.type);
      j.parts.push_back(std::move(part));
    }
    return j;
  }

  /// nq, nv and whether q is additive, of a whole joint.
  JointTypeInfo whole(const JointDescription& j) const {
    if (j.type != "composite") return *building::type_of(j.type, j.user.get());
    JointTypeInfo sum{"composite", 0, 0, false, 0};
    sum.additive = true;
    for (const JointPart& p : j.parts) {
      const JointTypeInfo info = *building::type_of(p.type, nullptr);
      sum.nq += info.nq;
      sum.nv += info.nv;
      sum.additive = sum.additive && info.additive;
    }
    return sum;
  }

  std::vector<double> some(int count, double low, double high) {
    std::vector<double> x(static_cast<std::size_t>(count));
    for (double& e : x) e = random_.uniform(low, high);
    return x;
  }

  void effects(JointDescription& j) {
    const JointTypeInfo info = whole(j);
    const bool rotor = chance(options_.armature), damped = chance(options_.damping), rubs = chance(options_.friction),
               spring = chance(options_.springs), limited = chance(options_.limits);
    if (info.nv == 0) return;
    if (rotor) {
      j.rotor_inertia = some(info.nv, 1e-5, 1e-4);
      j.gear_ratio = some(info.nv, 5, 60);
    }
    if (damped) j.damping = some(info.nv, 0.05, 1);
    if (rubs) j.friction = some(info.nv, 0.05, 0.5);
    if (spring && info.additive) {
      j.stiffness = some(info.nv, 1, 20);
      j.spring_reference = some(info.nq, -0.5, 0.5);
    }
    if (!limited) return;
    j.velocity = some(info.nv, 1, 5);
    j.effort = some(info.nv, 10, 80);
    if (!info.additive || j.type == "continuous") return;
    j.lower = some(info.nq, -2, -0.3);
    j.upper = some(info.nq, 0.3, 2);
  }

  /// Followers and leaders among the joints of one coordinate; a leader comes earlier in a random order,
  /// so that no chain closes.
  void mimics(RobotDescription& r) {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < r.joints.size(); ++i) {
      const JointTypeInfo info = whole(r.joints[i]);
      if (info.nq == 1 && info.nv == 1 && info.additive && r.joints[i].name != "base") able.push_back(i);
    }
    for (std::size_t i = able.size(); i > 1; --i) std::swap(able[i - 1], able[below(i)]);
    for (std::size_t k = 1; k < able.size(); ++k) {
      const bool follows = chance(options_.mimic), backwards = chance(0.5);
      const double multiplier = random_.uniform(0.4, 1.5) * (backwards ? -1 : 1), offset = random_.uniform(-0.4, 0.4);
      const std::size_t leader = able[below(k)];
      if (follows) r.joints[able[k]].mimic = {r.joints[leader].name, multiplier, offset};
    }
  }

  Random random_;
  const RandomRobot& options_;
  std::vector<Choice> deck_;
};

}  // namespace

RobotDescription random_robot(std::uint64_t seed, const RandomRobot& options) {
  std::vector<std::string> known = joint_type_names();
  known.insert(known.end(), {"continuous", "fixed", "composite"});
  const auto check = [&](const char* what, const std::string& type) {
    if (std::find(known.begin(), known.end(), type) == known.end()) detail::throw_unknown(what, type, known);
  };
  for (const std::string& type : options.types) check("joint type", type);
  check("type of root", options.root);
  return Draw(seed, options).robot();
}

}  // namespace zwang
