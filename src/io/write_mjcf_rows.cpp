// SPDX-License-Identifier: BSD-3-Clause
// write_mjcf: sites, mimicking joints, screws, loops and couplings. MuJoCo holds equalities by springs and dampers of
// the acceleration (solref): each is a loss, L_SOFT or L_MIMIC.
#include <algorithm>
#include <cmath>
#include <set>

#include "io/loop_kind.hpp"
#include "io/write_mjcf.hpp"
#include "zwang/constraint/types/coupling.hpp"
#include "zwang/constraint/types/loop.hpp"

namespace zwang::io {

namespace {

/// Distance of the two points of a hinge from its frame [m].
constexpr double k_beside = 0.05;
constexpr std::size_t k_degree = 4;  ///< of a polynomial of MuJoCo

class RowWriter {
 public:
  RowWriter(MjcfWriting& work, const MjcfTree& tree, const std::vector<XmlElement>& elements, XmlElement root)
      : work_(work),
        model_(work.model()),
        set_(work.robot.constraints),
        tree_(tree),
        elements_(elements),
        tendon_(root.add("tendon")),
        equality_(root.add("equality")) {}

  void write() {
    look_at_names();
    frames();
    for (const Constraint& c : set_.constraints()) work_.names.equality.add(c.name);
    for (const int k : tree_.order)
      for (const MjcfPart& part : tree_.bodies[static_cast<std::size_t>(k)].joints) of_joint(part);
    for (const Constraint& c : set_.constraints()) of_constraint(c);
    open_loops();
    for (const XmlElement& e : {tendon_, equality_})
      if (!e.node().first_child()) e.node().parent().remove_child(e.node());
  }

 private:
  XmlElement element_of(const Frame& frame) const {
    return elements_[static_cast<std::size_t>(tree_.body_of[static_cast<std::size_t>(frame.link.value)])];
  }
  Transform<double> in_link(const Frame& frame) const {
    return inverse_times(model_.links()[static_cast<std::size_t>(frame.link.value)].in_body, frame.in_body);
  }

  /// Names that readers give to links and joints: they rename a site that has one of them.
  void look_at_names() {
    UsedNames links, joints;
    const auto add = [&](const std::string& name) {
      check_length_of_name(name);
      of_others_.add(name);
    };
    for (const MjcfWrittenBody& body : tree_.bodies) {
      links.add(body.name);
      for (const MjcfPart& p : body.joints) joints.add(p.name);
    }
    for (std::size_t k = 1; k < tree_.bodies.size(); ++k) {
      const MjcfWrittenBody& body = tree_.bodies[k];
      if (body.joints.empty()) add(joints.fresh(body.name + "_fixed"));
      for (std::size_t i = 0; i + 1 < body.joints.size(); ++i) add(links.fresh(body.name + '/' + body.joints[i].name));
      for (const MjcfPart& p : body.joints) of_others_.add(p.name);
      of_others_.add(body.name);
    }
    of_others_.add("world");
  }
  /// A name that sites, links and joints do not have.
  std::string fresh_site(const std::string& wanted) {
    std::string name = of_others_.has(wanted) ? wanted + "_site" : wanted;
    for (name = work_.names.site.fresh(name); of_others_.has(name);) name = work_.names.site.fresh(name + "_site");
    return name;
  }

  /// Frames of the user.
  void frames() {
    std::unordered_map<std::string, const FrameDescription*> given;
    for (const FrameDescription& f : model_.description().frames) given.emplace(f.name, &f);
    for (const Frame& f : model_.frames()) {
      if (f.kind != Frame::Kind::user) continue;
      const std::string name = fresh_site(f.name);
      if (name != f.name)
        work_.lose("L_NAME", "frame", f.name, "its name, which a link, a joint or another site of the file has", name);
      const XmlElement site = element_of(f).add("site");
      site.set("name", name);
      const auto it = given.find(f.name);
      const bool direct =
          it != given.end() && it->second->parent == model_.links()[static_cast<std::size_t>(f.link.value)].name;
      set_pose(site, direct ? it->second->placement : in_link(f));
      site_of_.emplace(f.name, name);
    }
  }

  /// The site at a frame, or beside it.
  std::string site(const std::string& frame, const Vec3<double>& beside, const std::string& wanted) {
    const Frame& f = model_.frame(frame);
    const bool there = beside.x == 0 && beside.y == 0 && beside.z == 0;
    if (const auto it = site_of_.find(f.name); there && f.kind == Frame::Kind::user && it != site_of_.end())
      return it->second;
    const XmlElement e = element_of(f).add("site");
    const std::string name = fresh_site(plain_name(wanted));
    e.set("name", name);
    set_pose(e, in_link(f) * Transform<double>{Mat3<double>::identity(), beside});
    return name;
  }

  /// A joint that follows another one; the displacement of a screw, which follows its angle.
  void of_joint(const MjcfPart& part) {
    const Joint& joint = work_.joint(part);
    if (part.follows == MjcfPart::Follows::pitch) {
      joint_equality(part.name, part_of(joint.name, part.q)->name, {0, part.pitch});
      return;
    }
    if (joint.mimic.leader.empty()) return;
    const MjcfPart* leader = part_of(joint.mimic.leader, part.q);
    if (part.freedoms() > 1 || !leader || leader->freedoms() > 1) {
      work_.lose("L_MIMIC", "joint", part.name, "that it follows joint " + joint.mimic.leader);
      return;
    }
    joint_equality(part.name, leader->name, {joint.mimic.offset, joint.mimic.multiplier});
    work_.lose("L_MIMIC", "joint", part.name, "that it follows joint " + leader->name,
               "a soft equality, with one coordinate more");
  }

  void joint_equality(const std::string& first, const std::string& second, const std::vector<double>& polynomial) {
    const XmlElement e = equality_.add("joint");
    e.set("name", work_.names.equality.fresh(first)).set("joint1", first).set("joint2", second);
    set_polynomial(e, polynomial);
  }

  static void set_polynomial(XmlElement e, std::vector<double> polynomial) {
    polynomial.resize(k_degree + 1);
    e.set("polycoef", std::span<const double>(polynomial));
  }

  /// The part of a joint that has number q of its position: of a screw the hinge, which may be in another body.
  const MjcfPart* part_of(const std::string& joint, Index q) {
    if (parts_.empty())
      for (const MjcfWrittenBody& body : tree_.bodies)
        for (const MjcfPart& p : body.joints)
          if (p.follows != MjcfPart::Follows::pitch)
            parts_.emplace(work_.joint(p).name + ' ' + std::to_string(p.q), &p);
    const auto it = parts_.find(joint + ' ' + std::to_string(q));
    return it == parts_.end() ? nullptr : it->second;
  }

  void lose(const Constraint& c, LossCode code, const std::string& lost, const std::string& instead = "") {
    work_.lose(code, "constraint", c.name, lost, instead);
  }

  void of_constraint(const Constraint& c) {
    const auto* loop = set_.added_as<LoopConstraint>(c.name);
    const auto* coupling = set_.added_as<CouplingConstraint>(c.name);
    if (!loop && !coupling) return lose(c, "L_CONSTRAINT", "a constraint of type " + c.type.value());
    if (!can_be_held(c)) return;
    if (loop) return close(c, *loop);
    couple(c, *coupling);
  }

  /// Options of how rows are held. False where the rows mean something else by them.
  bool can_be_held(const Constraint& c) {
    Holding given;
    copy_options(given, c);
    const auto none = [](const std::vector<double>& x) {
      return std::all_of(x.begin(), x.end(), [](double a) { return a == 0; });
    };
    if (std::any_of(given.sense.begin(), given.sense.end(), [](Sense s) { return s != Sense::equal; })) {
      lose(c, "L_CONSTRAINT", "rows that hold in one direction");
      return false;
    }
    if (given.role != Role::physical) {
      lose(c, "L_CONSTRAINT", "rows that motors hold");
      return false;
    }
    if (!none(given.target)) {
      lose(c, "L_CONSTRAINT", "rows with a target");
      return false;
    }
    std::string options;
    const auto is_usual = [&](const auto& x, const auto& usual) {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::vector<double>>)
        return none(x);
      else
        return x == usual;
    };
    const auto one = [&](const RowOption& o, auto member) {
      const std::string_view name = o.name;
      if (name == "active" || name == "baumgarte" || is_usual(given.*member, Holding().*member)) return;
      options += (options.empty() ? "" : ", ") + std::string(name);
    };
    for_each_option(one, Type<Holding>());
    if (!options.empty()) lose(c, "L_CONSTRAINT", options);
    return true;
  }

  /// What all equalities have. With the reference acceleration -(2 z / T) phi' - phi / T^2 MuJoCo's time constant is
  /// T / z; where there is no feedback its own stays.
  XmlElement held(const Constraint& c, const char* element, const std::string& name) {
    const XmlElement e = equality_.add(element);
    e.set("name", name);
    if (!c.active) e.set("active", false);
    const double T = c.stabilisation.time_constant, z = c.stabilisation.damping_ratio;
    if (T > 0) {
      const double numbers[2] = {z > 0 ? T / z : -1 / (T * T), z > 0 ? z : 0};
      set_numbers(e, "solref", numbers);
    }
    return e;
  }
  void soft(const Constraint& c) { lose(c, "L_SOFT", "rows that hold exactly", "a soft equality"); }

  void close(const Constraint& c, const LoopConstraint& added) {
    const LoopKind kind = loop_kind(added.rows);
    const auto sites = [&](XmlElement e, const Vec3<double>& beside, const char* number) {
      e.set("site1", site(c.frame, beside, c.name.value() + "_1" + number));
      e.set("site2", site(c.other, beside, c.name.value() + "_2" + number));
    };
    if (kind.type == "fixed" || kind.type == "spherical") {
      sites(held(c, kind.type == "fixed" ? "weld" : "connect", c.name), Vec3<double>::zero(), "");
    } else if (kind.type == "revolute") {  // two points of the axis
      for (const double side : {-1.0, 1.0}) {
        const char* number = side < 0 ? "_1" : "_2";
        const XmlElement e = held(c, "connect", side < 0 ? c.name.value() : work_.names.equality.fresh(c.name + "_2"));
        sites(e, kind.axis * (side * k_beside), number);
      }
    } else if (kind.type == "universal") {
      sites(held(c, "connect", c.name), Vec3<double>::zero(), "");
      lose(c, "L_LOOP", "that its two axes stay perpendicular", "a connection of two points");
    } else {
      return lose(c, "L_LOOP",
                  "a loop that " + (kind.type.empty() ? std::string("no joint") : "a " + kind.type + " joint") +
                      " would close");
    }
    soft(c);
  }

  /// phi = sum_i ratio_i q_i - offset, or q_0 - P(q_1).
  void couple(const Constraint& c, const CouplingConstraint& added) {
    std::vector<std::string> joints;
    for (const std::string& coordinate : added.coordinates) {
      const auto it = tree_.scalar_of.find(coordinate);
      if (it == tree_.scalar_of.end())
        return lose(c, "L_COUPLING", "rows on coordinate " + coordinate + ", which is no coordinate of MuJoCo");
      joints.push_back(it->second);
    }
    std::vector<double> polynomial = added.polynomial;
    while (polynomial.size() > k_degree + 1 && polynomial.back() == 0) polynomial.pop_back();
    if (polynomial.size() > k_degree + 1)
      return lose(c, "L_COUPLING", "a polynomial of degree " + std::to_string(polynomial.size() - 1));
    const bool linear = polynomial.empty();
    if (linear && joints.size() <= 2 && added.ratio[0] == 1) {
      polynomial = {added.offset};
      if (joints.size() == 2) polynomial.push_back(-added.ratio[1]);
    }
    if (!polynomial.empty()) {
      const XmlElement e = held(c, "joint", c.name);
      e.set("joint1", joints[0]);
      if (joints.size() == 2) e.set("joint2", joints[1]);
      set_polynomial(e, polynomial);
      return soft(c);
    }
    const XmlElement sum = tendon_.add("fixed");
    const std::string name = work_.names.tendon.fresh(c.name);
    sum.set("name", name);
    for (std::size_t k = 0; k < joints.size(); ++k)
      sum.add("joint").set("joint", joints[k]).set("coef", added.ratio[k]);
    const XmlElement e = held(c, "tendon", c.name);
    e.set("tendon1", name);
    set_polynomial(e, {added.offset});
    soft(c);
  }

  /// Loops of the model that no constraint closes.
  void open_loops() {
    std::set<std::pair<std::string, std::string>> closed;  // by their two frames
    for (const Constraint& c : set_.constraints()) closed.emplace(c.frame.value(), c.other.value());
    for (const Loop& loop : model_.loops())
      if (!closed.contains({model_.frame(loop.predecessor).name, model_.frame(loop.successor).name}))
        work_.lose("L_LOOP", "joint", loop.name, "a loop that no constraint of the robot closes");
  }

  MjcfWriting& work_;
  const Model& model_;
  const ConstraintSet& set_;
  const MjcfTree& tree_;
  const std::vector<XmlElement>& elements_;
  XmlElement tendon_, equality_;
  UsedNames of_others_;                                   ///< links and joints, as readers name them
  std::unordered_map<std::string, std::string> site_of_;  ///< frames of the user
  std::unordered_map<std::string, const MjcfPart*> parts_;
};

}  // namespace

void write_mjcf_rows(MjcfWriting& work, const MjcfTree& tree, const std::vector<XmlElement>& elements,
                     XmlElement root) {
  RowWriter(work, tree, elements, root).write();
}

}  // namespace zwang::io
