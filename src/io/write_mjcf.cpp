// SPDX-License-Identifier: BSD-3-Clause
// write_mjcf: the document, bodies and their inertias.
#include "io/write_mjcf.hpp"

#include <algorithm>
#include <cmath>

#include "model/build_steps.hpp"
#include "zwang/model/check.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

void set_pose(XmlElement element, const Transform<double>& pose) {
  const Vec3<double>& p = pose.p;
  if (p.x != 0 || p.y != 0 || p.z != 0) element.set("pos", p);
  if (building::is_identity({pose.R, Vec3<double>::zero()})) return;
  const Quat<double> q = from_rotation(pose.R);
  const double numbers[4] = {q.w, q.x, q.y, q.z};
  set_numbers(element, "quat", numbers);
}

namespace {

/// MuJoCo refuses moving bodies with less mass, or less inertia about an axis, than 1e-15.
constexpr double k_least = 1e-15, k_some = 1e-14;
/// Elements in each other that MuJoCo reads.
constexpr int k_deepest = 500, k_indented = 200;
/// What rounding leaves of A + B >= C.
constexpr double k_rounding = 1e-9;

/// <inertial>: moments about axes through the centre.
struct Inertial {
  bool given = false;
  double mass = 0;
  Vec3<double> centre = Vec3<double>::zero();
  double moment[3] = {0, 0, 0};
  Mat3<double> axes = Mat3<double>::identity();

  Inertial() = default;
  Inertial(double m, const Vec3<double>& c, const Sym3<double>& I) : given(true), mass(m), centre(c) {
    if (I.xy == 0 && I.xz == 0 && I.yz == 0) {
      moment[0] = I.xx, moment[1] = I.yy, moment[2] = I.zz;
      return;
    }
    const PrincipalInertia p = principal_inertia(I);
    for (int k = 0; k < 3; ++k) moment[k] = p.moment[k];
    axes = p.axes;
    if (dot(column_x(axes), cross(column_y(axes), column_z(axes))) < 0)
      axes = from_columns(-column_x(axes), column_y(axes), column_z(axes));
  }

  double* largest() { return std::max_element(moment, moment + 3); }
  double least() const { return std::min({moment[0], moment[1], moment[2]}); }
  double mean() const { return (moment[0] + moment[1] + moment[2]) / 3; }
  /// A + B where C is the largest: MuJoCo wants it to be at least C, without tolerance.
  double others() {
    const double* const C = largest();
    double sum = 0;
    for (const double& m : moment)
      if (&m != C) sum += m;
    return sum;
  }
  /// No body has such moments, and rounding does not explain them.
  bool is_unphysical() {
    return given && (others() < (1 - k_rounding) * *largest() || least() < -k_rounding * *largest());
  }
  bool can_move() const { return mass >= k_least && least() >= k_least; }

  void write(XmlElement body) const {
    if (!given) return;
    const XmlElement e = body.add("inertial");
    e.set("mass", mass).set("pos", centre);
    set_pose(e, {axes, Vec3<double>::zero()});
    set_numbers(e, "diaginertia", moment);
  }
};

/// Masses of links in the frame of one of them.
struct Sum {
  struct Term {
    const LinkDescription* link;
    Transform<double> pose;
  };
  std::vector<Term> terms;
  Inertial inertial() const {
    double mass = 0;
    Vec3<double> centre = Vec3<double>::zero();
    for (const Term& t : terms) {
      mass += t.link->mass;
      centre += (t.pose * t.link->centre) * t.link->mass;
    }
    if (mass > 0) centre = centre * (1 / mass);
    Sym3<double> inertia = Sym3<double>::zero();
    for (const Term& t : terms) {
      inertia += congruence(t.pose.R, t.link->inertia);
      inertia += point_inertia(t.link->mass, t.pose * t.link->centre - centre);
    }
    return {mass, centre, inertia};
  }
};

class MjcfWriter {
 public:
  explicit MjcfWriter(MjcfWriting& work) : work_(work), tree_(mjcf_tree(work)) {}

  WrittenRobot write() {
    weigh();
    const XmlElement root = text_.root();
    root.set("model", work_.model().name());
    XmlElement compiler = root.add("compiler");
    compiler.set("angle", "radian").set("autolimits", true);
    if (work_.options.balance) compiler.set("balanceinertia", true);
    root.add("option").set("gravity", work_.model().gravity());
    classes(root);
    const XmlElement asset = root.add("asset");
    const std::vector<XmlElement> elements = bodies(root, asset);
    if (!asset.node().first_child()) pugi::xml_node(root.node()).remove_child(asset.node());
    write_mjcf_rows(work_, tree_, elements, root);
    write_mjcf_data(work_, tree_, root);
    for (const Joint& joint : work_.model().joints()) lose_rest_of_joint(work_, joint);
    lose_of_robot();
    return {text_.text(tree_.depth < k_indented), work_.losses.take(work_.options.strict)};
  }

 private:
  const Link* link_of(std::size_t body) const {
    const Index link = tree_.bodies[body].link;
    return link < 0 ? nullptr : &work_.model().links()[static_cast<std::size_t>(link)];
  }

  const LinkDescription* described(std::size_t body) const {
    const Index link = tree_.bodies[body].link;
    return link < 0 ? nullptr : &work_.model().description().links[static_cast<std::size_t>(link)];
  }

  /// What MuJoCo refuses is changed, with a loss.
  void weigh() {
    const std::size_t n = tree_.bodies.size();
    weight_.resize(n);
    moves_.assign(n, 0);
    for (std::size_t k = 1; k < n; ++k)
      moves_[k] = !tree_.bodies[k].joints.empty() || moves_[static_cast<std::size_t>(tree_.bodies[k].parent)];
    for (std::size_t k = 1; k < n; ++k)
      if (const LinkDescription* link = described(k); link && !is_massless(*link))
        weight_[k] = Inertial(link->mass, link->centre, link->inertia);
    join();
    std::vector<char> heavy(n, 0);  // it, or a body fixed to it, can move
    for (std::size_t k = n; k-- > 1;) {
      const MjcfWrittenBody& body = tree_.bodies[k];
      if (weight_[k].can_move()) heavy[k] = 1;
      if (!body.joints.empty()) {
        if (!heavy[k]) some(k);
      } else if (heavy[k]) {
        heavy[static_cast<std::size_t>(body.parent)] = 1;
      }
    }
    for (std::size_t k = 1; k < n; ++k) triangle(k);
  }

  /// Links that are fixed to each other, where one has moments that no body has but all together do not.
  void join() {
    const std::size_t n = tree_.bodies.size();
    std::vector<std::size_t> root(n, 0);
    std::vector<Transform<double>> pose(n, Transform<double>::identity());  // in the root
    std::vector<std::vector<std::size_t>> members(n);
    for (std::size_t k = 1; k < n; ++k) {
      const MjcfWrittenBody& body = tree_.bodies[k];
      const auto parent = static_cast<std::size_t>(body.parent);
      const bool own = parent == 0 || !body.joints.empty();
      root[k] = own ? k : root[parent];
      if (!own) pose[k] = pose[parent] * body.pose;
      if (weight_[k].given) members[root[k]].push_back(k);
    }
    for (std::size_t r = 1; r < n; ++r) {
      const auto bad = [&](std::size_t k) { return weight_[k].is_unphysical(); };
      if (members[r].size() < 2 || std::none_of(members[r].begin(), members[r].end(), bad)) continue;
      const auto scale = [&](std::size_t k) {
        const LinkDescription* const link = described(k);
        return link ? link->gravity_scale : 1.0;
      };
      if (std::any_of(members[r].begin(), members[r].end(), [&](std::size_t k) { return scale(k) != scale(r); }))
        continue;  // together they weigh otherwise
      for (const bool all : {false, true}) {
        Sum sum;
        for (const std::size_t k : members[r])
          if (all || k == r || bad(k)) sum.terms.push_back({described(k), pose[k]});
        Inertial together = sum.inertial();
        if (together.is_unphysical()) continue;
        for (const std::size_t k : members[r])
          if (k != r && (all || bad(k))) {
            work_.lose(LossCode("L_INERTIA").of_data(), "link", tree_.bodies[k].name, "mass and moments of its own",
                       "part of body " + tree_.bodies[r].name + ", to which it is fixed");
            weight_[k] = {};
          }
        weight_[r] = together;
        break;
      }
    }
  }

  void some(std::size_t k) {
    Inertial& w = weight_[k];
    const std::string some = number_text(k_some);
    if (!w.given)
      work_.lose("L_MASSLESS", "link", tree_.bodies[k].name, "that it moves without mass",
                 some + " kg and moments of " + some + " kg m^2");
    else
      work_.lose("L_INERTIA", "link", tree_.bodies[k].name, "mass or moments below " + number_text(k_least),
                 some + " in their place");
    w.given = true;
    if (w.mass < k_least) w.mass = k_some;
    for (double& m : w.moment)
      if (m < k_least) m = k_some;
  }

  void triangle(std::size_t k) {
    Inertial& w = weight_[k];
    const bool unphysical = w.is_unphysical();
    const std::string moments = number_text(w.moment);
    for (double& m : w.moment) m = std::max(m, 0.0);
    if (!unphysical) {
      double* const C = w.largest();
      *C = std::min(*C, w.others());
      return;
    }
    std::string instead = "the same; MuJoCo refuses them but with balanceinertia";
    if (!moves_[k]) {
      instead = number_text(w.mean()) + " for all three: it never moves";
      for (double& m : w.moment) m = w.mean();
    } else if (work_.options.balance) {
      instead = number_text(w.mean()) + " for all three (balanceinertia)";
    }
    work_.lose("L_INERTIA", "link", tree_.bodies[k].name, "principal moments " + moments + ", which no body has",
               instead);
  }

  void classes(XmlElement root) {
    bool visual = false, collision = false;
    if (work_.options.shapes == WrittenShapes::none) return;
    for (const Link& l : work_.model().links())
      for (const Shape& s : l.shapes) (s.collision ? collision : visual) = true;
    if (!visual && !collision) return;
    const XmlElement top = root.add("default");
    const auto one = [&](const char* name, int group) {
      const XmlElement c = top.add("default");
      c.set("class", name);
      return c.add("geom").set("mass", 0.0).set("group", group);
    };
    if (visual) one("visual", 2).set("contype", 0).set("conaffinity", 0);
    if (collision) one("collision", 3);
  }

  std::vector<XmlElement> bodies(XmlElement root, XmlElement asset) {
    MjcfGeoms geoms(work_, asset);
    std::vector<XmlElement> elements;
    for (std::size_t k = 0; k < tree_.bodies.size(); ++k) {
      const MjcfWrittenBody& body = tree_.bodies[k];
      const auto parent = static_cast<std::size_t>(std::max(body.parent, 0));
      const XmlElement element = k == 0 ? root.add("worldbody") : elements[parent].add("body");
      elements.push_back(element);
      if (k > 0) {
        element.set("name", body.name);
        set_pose(element, body.pose);
        if (const LinkDescription* link = described(k); link && link->gravity_scale != 1)
          element.set("gravcomp", 1 - link->gravity_scale);
      }
      weight_[k].write(element);
      for (const MjcfPart& part : body.joints) write_mjcf_joint(work_, part, element);
      if (const Link* link = link_of(k); link && work_.options.shapes != WrittenShapes::none)
        for (const Shape& s : link->shapes) geoms.write(s, link->name, moves_[k], element);
    }
    for (std::size_t i = 0; i < tree_.body_of.size(); ++i) {  // only bare links have no body
      const Link& link = work_.model().links()[i];
      if (tree_.body_of[i] < 0 && !link.shapes.empty()) throw std::logic_error("write_mjcf: a link without a body");
    }
    return elements;
  }

  /// MuJoCo looks at gravcomp where a body has one above 0.
  void lose_gravity() {
    const LinkDescription* heavier = nullptr;
    for (const LinkDescription& l : work_.model().description().links) {
      if (l.gravity_scale < 1) return;
      if (l.gravity_scale > 1 && !heavier) heavier = &l;
    }
    if (heavier)
      work_.lose("L_GRAVITY", "link", heavier->name, "its gravity_scale " + number_text(heavier->gravity_scale),
                 "all of gravity: MuJoCo ignores gravcomp where none is above 0");
  }

  void lose_of_robot() {
    lose_gravity();
    lose_options(work_.model(), work_.losses);
    if (work_.model().name().empty())
      work_.lose("L_NAME", "robot", "", "its name, which is empty", "no name: readers call it mujoco");
    if (tree_.depth + 3 > k_deepest)
      work_.lose(LossCode("L_JOINT").of_data(), "robot", work_.model().name(),
                 std::to_string(tree_.depth) + " bodies one on the other",
                 "the same; MuJoCo reads files with at most " + std::to_string(k_deepest) + " elements in each other");
  }

  MjcfWriting& work_;
  MjcfTree tree_;
  std::vector<Inertial> weight_;  ///< of the tree's bodies
  std::vector<char> moves_;       ///< whether a joint is between a body and the world
  XmlText text_{"mujoco"};
};

}  // namespace
}  // namespace zwang::io

namespace zwang {

WrittenRobot write_mjcf(const Robot& robot, const WriteOptions& options) {
  io::MjcfWriting work{robot, options};
  return io::MjcfWriter(work).write();
}

}  // namespace zwang
