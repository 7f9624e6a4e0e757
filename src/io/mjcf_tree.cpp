// SPDX-License-Identifier: BSD-3-Clause
// Links and joints as bodies and joints of MuJoCo. A joint that MuJoCo does not have becomes several joints of a body;
// a link without mass between two joints disappears, and its joints are those of the next body. MuJoCo wants
//   - free joints alone, on children of the worldbody
//   - at most six freedoms in a body, no rotation after a ball
//   - balls whose axes are those of their body
// Where these do not fit, a body without a link stands between.
#include <algorithm>
#include <cmath>

#include "io/write_mjcf.hpp"
#include "model/build_steps.hpp"
#include "zwang/core/findings.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

namespace {

using Kind = MjcfPart::Kind;
using Follows = MjcfPart::Follows;
using building::canonical_rotation;
using building::is_identity;

Vec3<double> axis_of(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }

/// Turned by less than the builder takes for rounding.
bool is_turned(const Transform<double>& x) {
  const Mat3<double> off = x.R - Mat3<double>::identity();
  double worst = 0;
  for (int i = 0; i < 9; ++i) worst = std::max(worst, std::fabs(off(i / 3, i % 3)));
  return worst > 1e-12;
}

/// Joints that lead from a body to a frame, with the frame of each at q = 0 in that last one.
struct Chain {
  int base = 0;
  Transform<double> at = Transform<double>::identity();  ///< the last frame in the base
  std::vector<MjcfPart> parts = {};
  std::vector<std::pair<Index, Index>> passed = {};  ///< links that disappear, and the joints that carry them

  void advance(const Transform<double>& step) {
    if (is_identity(step)) return;
    at = at * step;
    for (MjcfPart& p : parts) p.frame = inverse_times(step, p.frame);
  }
  /// By the inverse of a joint's frame in its child: exact for the joint itself.
  void leave(const Transform<double>& child_origin) {
    if (is_identity(child_origin)) return;
    at = at * inverse(child_origin);
    for (MjcfPart& p : parts) p.frame = child_origin * p.frame;
  }
  int freedoms() const {
    int sum = 0;
    for (const MjcfPart& p : parts) sum += p.freedoms();
    return sum;
  }
  bool has_ball() const {
    return std::any_of(parts.begin(), parts.end(), [](const MjcfPart& p) { return p.kind == Kind::ball; });
  }
};

/// The parts of one joint, and in words what of it is otherwise in MuJoCo.
class Expansion {
 public:
  Expansion(Chain& chain, Index joint) : chain_(chain), joint_(joint) {}

  void add(const JointDescription& joint) {
    if (joint.type != "composite") return add(joint.type, joint.axis, joint.parameters);
    for (const JointPart& part : joint.parts) {
      chain_.advance(part.origin);
      add(part.type, part.axis, part.parameters);
    }
  }
  std::vector<std::string> notes;

 private:
  void add(Kind kind, const Vec3<double>& axis, Index q, Index v, Follows follows = Follows::number) {
    MjcfPart part;
    part.kind = kind;
    part.follows = follows;
    part.axis = axis;
    part.joint = joint_;
    part.type_q = q_, part.type_v = v_;
    part.q = q_ + q, part.v = v_ + v;
    chain_.parts.push_back(part);
  }

  void add(const std::string& type, const Vec3<double>& given, const std::vector<double>& parameters) {
    if (type == "fixed") return;
    const std::optional<JointTypeInfo> info = building::type_of(type, nullptr);
    long ignored = 0;
    const Vec3<double> axis =
        info->has_axis ? building::unit_axis(given, ignored).value_or(axis_of(2)) : Vec3<double>{0, 0, 1};
    const Mat3<double> turn = canonical_rotation(axis);
    if (type == "revolute" || type == "continuous") {
      add(Kind::hinge, axis, 0, 0);
    } else if (type == "revolute_unbounded") {
      add(Kind::hinge, axis, 0, 0, Follows::circle);
      notes.push_back("its position is an angle");
    } else if (type == "prismatic") {
      add(Kind::slide, axis, 0, 0);
    } else if (type == "helical") {
      add(Kind::hinge, axis, 0, 0);
      add(Kind::slide, axis, 0, 0, Follows::pitch);
      chain_.parts.back().pitch = parameters.at(0);
      notes.push_back("a soft equality couples them, with one coordinate more");
    } else if (type == "cylindrical") {
      add(Kind::slide, axis, 0, 0);
      add(Kind::hinge, axis, 1, 1);
    } else if (type == "universal") {
      add(Kind::hinge, axis, 0, 0);
      add(Kind::hinge, column_x(turn), 1, 1);
    } else if (type == "planar") {
      add(Kind::slide, column_x(turn), 0, 0, Follows::plane);
      add(Kind::slide, column_y(turn), 1, 1, Follows::plane);
      add(Kind::hinge, axis, 2, 2);
      notes.push_back("linear velocities are along the axes of the parent");
    } else if (type == "translation") {
      for (int k = 0; k < 3; ++k) add(Kind::slide, axis_of(k), k, k);
    } else if (type == "spherical") {
      add(Kind::ball, axis_of(2), 0, 0, Follows::quaternion);
    } else if (type == "spherical_zyx") {
      for (int k = 0; k < 3; ++k) add(Kind::hinge, axis_of(2 - k), k, k);
    } else if (type == "ellipsoid") {
      chain_.advance({Mat3<double>::identity(), {0, 0, parameters.at(2)}});
      for (int k = 0; k < 3; ++k) add(Kind::hinge, axis_of(k), k, k);
      notes.push_back("it turns about the point where it is at 0");
    } else if (type == "floating") {
      for (int k = 0; k < 3; ++k) add(Kind::slide, axis_of(k), k, k, Follows::place);
      add(Kind::ball, axis_of(2), 3, 3, Follows::quaternion);
      notes.push_back("linear velocities are along the axes of the parent");
    } else {
      throw UnsupportedError("write_mjcf: a joint of type " + detail::quoted(type));
    }
    q_ += info->nq, v_ += info->nv;
  }

  Chain& chain_;
  Index joint_, q_ = 0, v_ = 0;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(MjcfWriting& work)
      : work_(work),
        model_(work.model()),
        chain_(model_.links().size()),
        children_(model_.links().size(), 0),
        only_child_(model_.links().size(), -1),
        kept_(model_.links().size(), 0) {}

  MjcfTree build() {
    look();
    roots();
    const std::vector<Joint>& joints = model_.joints();
    for (std::size_t j = 0; j < joints.size(); ++j) add(static_cast<Index>(j));
    order();
    return std::move(tree_);
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  const std::string& link_name(Index link) const { return names_[at(link)]; }

  /// UsedNames, children, and links that something stands on.
  void look() {
    work_.names.body.add("world");
    const std::vector<Link>& links = model_.links();
    for (std::size_t i = 0; i < links.size(); ++i) {
      const bool is_world =
          links[i].name == "world" && !links[i].joint && !links[i].parent && is_massless(model_.description().links[i]);
      if (is_world) world_ = static_cast<Index>(i);
      names_.push_back(is_world ? "world" : work_.name(work_.names.body, "link", links[i].name));
    }
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const Joint& joint = model_.joints()[j];
      if (joint.description.user)
        throw UnsupportedError("write_mjcf: joint " + detail::quoted(joint.name) +
                               " is user-defined: no file holds its functions");
      if (joint.type != "fixed") work_.names.joint.add(joint.name);
      if (!joint.parent) continue;
      ++children_[at(joint.parent.value)];
      only_child_[at(joint.parent.value)] = static_cast<Index>(j);
    }
    const auto keep = [&](LinkId link) {
      if (link) kept_[at(link.value)] = 1;
    };
    for (const Frame& f : model_.frames())
      if (f.kind == Frame::Kind::user) keep(f.link);
    for (const Constraint& c : work_.robot.constraints.constraints())
      if (work_.robot.constraints.added_as<LoopConstraint>(c.name))
        for (const std::string& name : {c.frame.value(), c.other.value()}) keep(model_.frame(name).link);
    for (const ContactExclusion& e : model_.description().contact_exclusions)
      for (const std::string& name : {e.first, e.second}) keep(model_.find_link(name));
    tree_.body_of.assign(links.size(), -1);
  }

  void roots() {
    tree_.bodies.push_back({.name = "world", .link = world_});
    still_.push_back(Transform<double>::identity());
    is_still_.push_back(1);
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      const Link& link = model_.links()[i];
      if (link.parent || link.joint) continue;
      if (static_cast<Index>(i) == world_) {
        tree_.body_of[i] = 0;
        chain_[i] = {.base = 0};
      } else {
        put(static_cast<Index>(i), 0, Transform<double>::identity(), {});
      }
    }
  }

  int body(MjcfWrittenBody fresh) {
    const int index = static_cast<int>(tree_.bodies.size());
    const auto parent = static_cast<std::size_t>(fresh.parent);
    is_still_.push_back(is_still_[parent] && fresh.joints.empty());
    still_.push_back(is_still_.back() ? still_[parent] * fresh.pose : Transform<double>::identity());
    tree_.bodies.push_back(std::move(fresh));
    return index;
  }

  /// The body of a link.
  void put(Index link, int parent, const Transform<double>& pose, std::vector<MjcfPart> joints) {
    const int index = body({link_name(link), parent, pose, std::move(joints), link});
    tree_.body_of[at(link)] = index;
    chain_[at(link)] = {.base = index};
  }

  void add(Index j) {
    const Joint& joint = model_.joints()[at(j)];
    Chain chain = joint.parent ? chain_[at(joint.parent.value)] : Chain{};
    const JointDescription& d = joint.description;
    chain.advance(d.origin);
    const Index child = joint.child.value;
    if (joint.type == "floating" && chain.parts.empty() && is_still_[static_cast<std::size_t>(chain.base)])
      return add_free(j, still_[static_cast<std::size_t>(chain.base)] * chain.at);
    const std::size_t before = chain.parts.size();
    Expansion expansion(chain, j);
    expansion.add(d);
    name_parts(joint, chain.parts, before, expansion.notes);
    chain.leave(d.child_origin);
    if (disappears(child, joint, chain)) {
      chain.passed.emplace_back(child, j);
      chain_[at(child)] = std::move(chain);
    } else {
      finish(std::move(chain), child);
    }
  }

  void name_parts(const Joint& joint, std::vector<MjcfPart>& parts, std::size_t first,
                  const std::vector<std::string>& notes) {
    const bool several = parts.size() - first > 1;
    std::string said;
    for (std::size_t k = first; k < parts.size(); ++k) {
      MjcfPart& p = parts[k];
      p.name = several ? work_.names.joint.fresh(joint.name + '_' + std::to_string(k - first + 1)) : joint.name;
      said += (said.empty() ? "" : ", ") + p.name;
      if (p.follows != Follows::number || !joint.mimic.leader.empty()) continue;
      const std::vector<std::string>& all = model_.coordinate_names();
      tree_.scalar_of.emplace(all[at(joint.v.first + p.v)], p.name);
    }
    for (const std::string& note : notes) said += "; " + note;
    if (several || !notes.empty())
      work_.lose("L_JOINT", "joint", joint.name, "a joint of type " + joint.type,
                 (several ? "joints " : "joint ") + said);
  }

  /// A link without mass whose joints the next body can have.
  bool disappears(Index link, const Joint& joint, const Chain& chain) const {
    if (chain.parts.empty() || joint.type == "fixed" || children_[at(link)] != 1 || kept_[at(link)]) return false;
    if (!is_bare(model_.description().links[at(link)])) return false;
    const Joint& next = model_.joints()[at(only_child_[at(link)])];
    if (next.type == "fixed") return false;
    Chain more;
    Expansion(more, 0).add(next.description);
    const bool turns = std::any_of(more.parts.begin(), more.parts.end(), [](const MjcfPart& p) { return p.turns(); });
    return chain.freedoms() + more.freedoms() <= 6 && !(chain.has_ball() && turns);
  }

  /// A free joint has the axes of its body, and its position is counted from the world.
  void add_free(Index j, const Transform<double>& from) {
    const Joint& joint = model_.joints()[at(j)];
    MjcfPart part;
    part.kind = Kind::free;
    part.follows = Follows::pose;
    part.name = joint.name;
    part.joint = j;
    part.frame = from;
    if (!is_identity(from))
      work_.lose("L_JOINT", "joint", joint.name, "the frame from which its position is counted",
                 "positions from the world's origin");
    const Transform<double> drawn = from * drawn_at(joint), &inside = joint.description.child_origin;
    const Index child = joint.child.value;
    if (is_identity(inside)) return put(child, 0, drawn, {part});
    const std::string name = work_.names.body.fresh(link_name(child) + '/' + joint.name);
    lose_frame(joint, child, name);
    put(child, body({name, 0, drawn, {part}}), inverse(inside), {});
  }

  /// A joint whose frame in its link MuJoCo does not have stands on a body of its own.
  void lose_frame(const Joint& joint, Index link, const std::string& body) {
    work_.lose("L_FRAME", "joint", joint.name, "its frame in link " + model_.links()[at(link)].name,
               "a body " + body + " between");
  }

  /// Where the configuration `file` has a floating joint.
  Transform<double> drawn_at(const Joint& joint) const {
    for (const Configuration& c : work_.robot.configurations) {
      if (c.name != "file" || static_cast<Index>(c.q.size()) != model_.nq()) continue;
      const double* q = c.q.data() + joint.q.first;
      return {rotation(Quat<double>{q[3], q[4], q[5], q[6]}), {q[0], q[1], q[2]}};
    }
    return Transform<double>::identity();
  }

  /// Bodies for the parts of a chain, and that of the link behind them.
  void finish(Chain chain, Index link) {
    for (const auto& [passed, j] : chain.passed) {
      const Joint& joint = model_.joints()[at(j)];
      const std::string& name = model_.links()[at(passed)].name;
      if (name != link_name(link) + '/' + joint.name)
        work_.lose(LossCode("L_MASSLESS").of_data(), "link", name, "a link without mass between joints",
                   "joint " + joint.name + " in body " + link_name(link));
    }
    std::vector<MjcfPart> group;
    const auto close = [&](std::size_t pivot, const std::string& of) {
      const Transform<double> frame = group[pivot].frame;
      for (MjcfPart& p : group) p.frame = inverse_times(frame, p.frame);
      const std::string name = work_.names.body.fresh(link_name(link) + '/' + of);
      chain.base = body({name, chain.base, chain.at * frame, std::move(group)});
      chain.at = inverse(frame);
      group = {};
    };
    const auto ball = [&] {
      return static_cast<std::size_t>(
          std::find_if(group.begin(), group.end(), [](const MjcfPart& p) { return p.kind == Kind::ball; }) -
          group.begin());
    };
    int freedoms = 0;
    for (MjcfPart& part : chain.parts) {
      const bool after_ball = part.turns() && ball() < group.size();
      if (after_ball || freedoms + part.freedoms() > 6) {
        close(std::min(ball(), group.size() - 1), model_.joints()[at(part.joint)].name);
        freedoms = 0;
      }
      freedoms += part.freedoms();
      group.push_back(std::move(part));
    }
    const std::size_t k = ball();
    if (k < group.size() && is_turned(group[k].frame)) {
      const Joint& of = model_.joints()[at(group[k].joint)];
      close(k, of.name);
      lose_frame(of, link, tree_.bodies.back().name);
    }
    put(link, chain.base, chain.at, std::move(group));
  }

  void order() {
    std::vector<std::vector<int>> children(tree_.bodies.size());
    for (std::size_t k = 1; k < tree_.bodies.size(); ++k)
      children[static_cast<std::size_t>(tree_.bodies[k].parent)].push_back(static_cast<int>(k));
    std::vector<std::pair<int, int>> stack{{0, 0}};
    while (!stack.empty()) {
      const auto [k, depth] = stack.back();
      stack.pop_back();
      tree_.order.push_back(k);
      tree_.depth = std::max(tree_.depth, depth);
      const std::vector<int>& inside = children[static_cast<std::size_t>(k)];
      for (auto it = inside.rbegin(); it != inside.rend(); ++it) stack.emplace_back(*it, depth + 1);
    }
  }

  MjcfWriting& work_;
  const Model& model_;
  MjcfTree tree_;
  std::vector<Chain> chain_;       ///< to each link
  std::vector<int> children_;      ///< of each link
  std::vector<Index> only_child_;  ///< the last joint on each link
  std::vector<char> kept_, is_still_;
  std::vector<Transform<double>> still_;  ///< in the world, of bodies that do not move
  std::vector<std::string> names_;        ///< of links' bodies
  Index world_ = -1;
};

}  // namespace

std::string MjcfWriting::name(UsedNames& taken, const char* element, const std::string& wanted) {
  std::string fresh = taken.fresh(wanted);
  if (fresh != wanted)
    lose("L_NAME", element, wanted, "its name, which another " + std::string(element) + " has", fresh);
  return fresh;
}

MjcfTree mjcf_tree(MjcfWriting& work) { return TreeBuilder(work).build(); }

}  // namespace zwang::io
