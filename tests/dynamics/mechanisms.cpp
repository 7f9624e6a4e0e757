// SPDX-License-Identifier: BSD-3-Clause
// Closed mechanisms (mechanisms.hpp): their descriptions.
#include "dynamics/mechanisms.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "zwang/manifold/manifold.hpp"

namespace zwang::test {

namespace {

using Vec3d = Vec3<double>;
using Pose = Transform<double>;

Vec3d unit(const Vec3d& a) { return a * (1 / norm(a)); }
Mat3<double> columns(const Vec3d& x, const Vec3d& y, const Vec3d& z) {
  return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}
/// Axes whose y points along d.
Mat3<double> y_along(const Vec3d& d) {
  const Vec3d y = unit(d), other = std::fabs(y.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1}, z = unit(cross(other, y));
  return columns(cross(y, z), y, z);
}
/// Roll, pitch and yaw about fixed axes.
Mat3<double> turned(double r, double p, double y) {
  const double cr = std::cos(r), sr = std::sin(r), cp = std::cos(p), sp = std::sin(p), cy = std::cos(y),
               sy = std::sin(y);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
          {-sp, cp * sr, cp * cr}};
}

/// A slender rod along y from the origin.
LinkDescription rod(const std::string& name, double mass, double length, double radius) {
  const double across = mass * (3 * radius * radius + length * length) / 12, along = mass * radius * radius / 2;
  return {.name = name,
          .mass = mass,
          .centre = {0, length / 2, 0},
          .inertia = Sym3<double>::diagonal(across, along, across)};
}
LinkDescription disc(const std::string& name, double mass, double radius) {
  const double flat = mass * radius * radius / 4;
  return {.name = name, .mass = mass, .inertia = Sym3<double>::diagonal(flat, flat, 2 * flat)};
}
void join(RobotDescription& d, const std::string& type, const std::string& parent, const std::string& child,
          const Pose& origin, const Vec3d& axis = {0, 0, 1}) {
  d.joints.push_back(
      {.name = "to " + child, .type = type, .parent = parent, .child = child, .origin = origin, .axis = axis});
}
LoopConstraint closing(const std::string& name, const std::string& a, const std::string& b, const RowSelection& rows) {
  return {.name = name, .frame = a, .other = b, .rows = rows};
}
Pose at(const Vec3d& p) { return {Mat3<double>::identity(), p}; }

}  // namespace

ConstraintSet Mechanism::set() const {
  ConstraintSet s(robot.model);
  for (const AnyConstraint& c : constraints) add(s, c);
  for (const Gear& g : gears)
    s.add(CouplingConstraint{.name = g.name, .coordinates = {g.out, g.in}, .ratio = {1, -g.ratio}});
  return s;
}

Mechanism stewart_platform() {
  RobotDescription d{.name = "stewart"};
  d.links.push_back({.name = "base"});
  d.links.push_back(disc("platform", 120, 0.6));
  const double height = 0.9;
  join(d, "floating", "base", "platform", at({0, 0, height}));
  std::vector<AnyConstraint> constraints;
  for (int k = 0; k < 6; ++k) {
    const std::string n = std::to_string(k);
    const double third = 2 * std::numbers::pi / 3, side = k % 2 == 0 ? -1 : 1;
    const double below = third * (k / 2) + side * 0.75, above = third * (k / 2) + side * 0.2;
    const Vec3d foot{0.8 * std::cos(below), 0.8 * std::sin(below), 0},
        head{0.5 * std::cos(above), 0.5 * std::sin(above), 0}, way = head + Vec3d{0, 0, height} - foot;
    d.links.push_back(rod("cylinder" + n, 9, 0.6, 0.04));
    d.links.push_back(rod("piston" + n, 4, 0.6, 0.02));
    join(d, "universal", "base", "cylinder" + n, {y_along(way), foot});
    join(d, "prismatic", "cylinder" + n, "piston" + n, at({0, norm(way) - 0.6, 0}), {0, 1, 0});
    d.frames.push_back({"head" + n, "piston" + n, at({0, 0.6, 0})});
    d.frames.push_back({"seat" + n, "platform", at(head)});
    constraints.push_back(closing("leg" + n, "head" + n, "seat" + n, joint_rows("ball")));
  }
  return {.robot = Robot(d), .constraints = constraints, .reach = 0.1, .mobility = 6};
}

Mechanism delta_robot() {
  RobotDescription d{.name = "delta"};
  d.links.push_back({.name = "base"});
  d.links.push_back(disc("platform", 0.3, 0.06));
  const double arm = 0.2, length = 0.45, out = 0.2 + arm * std::cos(0.5), down = arm * std::sin(0.5);
  const double drop = down + std::sqrt(length * length - (out - 0.05) * (out - 0.05));
  join(d, "floating", "base", "platform", at({0, 0, -drop}));
  std::vector<AnyConstraint> constraints;
  for (int k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k);
    const double turn = 2 * std::numbers::pi / 3 * k, c = std::cos(turn), s = std::sin(turn);
    const Mat3<double> sideways = columns({s, -c, 0}, {c, s, 0}, {0, 0, 1});  // y outwards, x the motor's axis
    d.links.push_back(rod("arm" + n, 0.25, arm, 0.012));
    join(d, "revolute", "base", "arm" + n, {sideways * turned(-0.5, 0, 0), Vec3d{0.2 * c, 0.2 * s, 0}}, {1, 0, 0});
    for (const int side : {-1, 1}) {
      const std::string r = n + (side < 0 ? "l" : "r");
      const Vec3d inwards{0, 0.05 - out, down - drop};  // from elbow to platform, in the arm's upright plane
      d.links.push_back(rod("rod" + r, 0.08, length, 0.005));
      join(d, "spherical", "arm" + n, "rod" + r, {turned(0.5, 0, 0) * y_along(inwards), {0.04 * side, arm, 0}});
      d.frames.push_back({"end" + r, "rod" + r, at({0, length, 0})});
      d.frames.push_back({"seat" + r, "platform", at(sideways * Vec3d{0.04 * side, 0.05, 0})});
      constraints.push_back(closing("ball" + r, "end" + r, "seat" + r, joint_rows("ball")));
    }
  }
  return {.robot = Robot(d), .constraints = constraints, .reach = 0.1, .mobility = 9};
}

Mechanism hinge_ring(int n) {
  RobotDescription d{.name = "ring"};
  d.links.push_back({.name = "ground"});
  const Pose tilted{turned(0.9, 0.4, 0.2), {0.1, 0.2, 0.3}};
  for (int k = 0; k < n; ++k) {
    d.links.push_back(rod("link" + std::to_string(k), 0.5 + 0.1 * (k % 3), 0.3, 0.02));
    join(d, "revolute", k == 0 ? "ground" : "link" + std::to_string(k - 1), "link" + std::to_string(k),
         k == 0 ? tilted : at({0, 0.3, 0}));
  }
  d.frames.push_back({"end", "link" + std::to_string(n - 1), at({0, 0.3, 0})});
  d.frames.push_back({"pin", "ground", tilted});
  Mechanism m{.robot = Robot(d), .constraints = {closing("closed", "pin", "end", joint_rows("hinge"))}};
  m.start = Eigen::VectorXd::Constant(n, 2 * std::numbers::pi / n);
  m.mobility = n - 2;
  return m;
}

Mechanism ball_ring(int n) {
  RobotDescription d{.name = "necklace"};
  const double turn = 2 * std::numbers::pi / n;
  for (int k = 0; k < n; ++k) {
    d.links.push_back(rod("link" + std::to_string(k), 0.2, 0.1, 0.02));
    if (k > 0)
      join(d, "spherical", "link" + std::to_string(k - 1), "link" + std::to_string(k),
           {turned(0, 0, turn), {0, 0.1, 0}});
  }
  d.frames.push_back({"end", "link" + std::to_string(n - 1), at({0, 0.1, 0})});
  BuildOptions options;
  options.root = "floating";
  return {.robot = Robot(d, options),
          .constraints = {closing("closed", "end", "link0", joint_rows("ball"))},
          .mobility = 6 + 3 * (n - 1) - 3};
}

Mechanism four_bar_in_space() {
  RobotDescription d{.name = "four_bar"};
  d.links.push_back({.name = "ground"});
  const Mat3<double> slanting = turned(0.7, -0.5, 0.3);
  d.links.push_back(rod("crank", 0.3, 0.1, 0.01));
  d.links.push_back(rod("coupler", 0.6, 0.35, 0.01));
  d.links.push_back(rod("rocker", 0.5, 0.25, 0.01));
  join(d, "revolute", "ground", "crank", {slanting, {0, 0, 0.5}});
  join(d, "revolute", "crank", "coupler", at({0, 0.1, 0}));
  join(d, "revolute", "coupler", "rocker", at({0, 0.35, 0}));
  d.frames.push_back({"end", "rocker", at({0, 0.25, 0})});
  d.frames.push_back({"pin", "ground", {slanting, slanting * Vec3d{0.3, 0, 0} + Vec3d{0, 0, 0.5}}});
  Mechanism m{.robot = Robot(d), .constraints = {closing("closed", "pin", "end", joint_rows("hinge"))}};
  m.start = Eigen::Vector3d(0.2, -1.2, -1.6);
  m.mobility = 1;
  return m;
}

namespace {

/// A pose as SDF writes it: x y z roll pitch yaw; the identity where there is none.
Pose sdf_pose(const pugi::xml_node& of) {
  std::istringstream text(of.child("pose").text().as_string("0 0 0 0 0 0"));
  text.imbue(std::locale::classic());
  double x[6] = {};
  for (double& e : x) text >> e;
  if (!text) throw std::runtime_error("cassie: a pose is not six numbers");
  return {turned(x[3], x[4], x[5]), {x[0], x[1], x[2]}};
}
Vec3d sdf_axis(const pugi::xml_node& joint) {
  std::istringstream text(joint.child("axis").child("xyz").text().as_string("0 0 1"));
  text.imbue(std::locale::classic());
  Vec3d a{};
  text >> a.x >> a.y >> a.z;
  return a;
}

/// Poses are in the model's frame; a joint stands where its pose says in the child's frame, its axis is the model's
/// where the file says so.
class Cassie {
 public:
  explicit Cassie(const std::string& file) {
    if (!document_.load_file(file.c_str())) throw std::runtime_error("cassie: cannot read " + file);
    const pugi::xml_node model = document_.child("sdf").child("model");
    for (const pugi::xml_node& link : model.children("link")) read_link(link);
    std::vector<pugi::xml_node> joints(model.children("joint").begin(), model.children("joint").end());
    // The joint of a body is the first that reaches it; the file gives parents before their children.
    std::set<std::string> reached{description_.links[0].name};
    for (const pugi::xml_node& j : joints) {
      const std::string type = j.attribute("type").as_string(), child = j.child("child").text().as_string();
      if (type == "gearbox")
        gears_.push_back(j);
      else if (reached.insert(child).second)
        add_joint(j, type, child);
      else
        close(j, type, child);
    }
  }
  Mechanism mechanism() const {
    BuildOptions options;
    options.root = "floating";
    Mechanism m{.robot = Robot(description_, options), .constraints = constraints_};
    for (const pugi::xml_node& g : gears_) {
      const auto joint_to = [&](const char* link) { return joint_to_.at(g.child(link).text().as_string()); };
      m.gears.push_back({g.attribute("name").as_string(), joint_to("parent"), joint_to("child"),
                         g.child("gearbox_ratio").text().as_double()});
    }
    m.reach = 0.15;
    return m;
  }

 private:
  void read_link(const pugi::xml_node& link) {
    const pugi::xml_node inertial = link.child("inertial"), I = inertial.child("inertia");
    const auto entry = [&](const char* name) { return I.child(name).text().as_double(); };
    const Pose centre = sdf_pose(inertial);
    const Sym3<double> own{entry("ixx"), entry("ixy"), entry("ixz"), entry("iyy"), entry("iyz"), entry("izz")};
    const std::string name = link.attribute("name").as_string();
    description_.links.push_back({.name = name,
                                  .mass = inertial.child("mass").text().as_double(),
                                  .centre = centre.p,
                                  .inertia = congruence(centre.R, own)});
    pose_[name] = sdf_pose(link);
  }
  Pose place(const pugi::xml_node& j, const std::string& child) const { return pose_.at(child) * sdf_pose(j); }
  Vec3d axis(const pugi::xml_node& j, const Pose& X) const {  // in the joint's frame
    const Vec3d a = unit(sdf_axis(j));
    return j.child("axis").child("use_parent_model_frame").text().as_int() != 0 ? transpose_times(X.R, a) : a;
  }
  void add_joint(const pugi::xml_node& j, const std::string& type, const std::string& child) {
    const Pose X = place(j, child);
    const std::string parent = j.child("parent").text().as_string(), name = j.attribute("name").as_string();
    const pugi::xml_node dynamics = j.child("axis").child("dynamics");
    JointDescription d{.name = name,
                       .type = type == "ball" ? "spherical" : type,
                       .parent = parent,
                       .child = child,
                       .origin = inverse(pose_.at(parent)) * X};
    if (type != "ball") {
      d.axis = axis(j, X);
      d.damping = {dynamics.child("damping").text().as_double()};
      d.stiffness = {dynamics.child("spring_stiffness").text().as_double()};
    }
    description_.joints.push_back(d);
    joint_to_[child] = name;
  }
  void close(const pugi::xml_node& j, const std::string& type, const std::string& child) {
    const Pose X = place(j, child);
    const std::string parent = j.child("parent").text().as_string(), name = j.attribute("name").as_string();
    description_.frames.push_back({name + " on parent", parent, inverse(pose_.at(parent)) * X});
    description_.frames.push_back({name + " on child", child, inverse(pose_.at(child)) * X});
    constraints_.push_back(closing(name, name + " on parent", name + " on child", joint_rows(type, axis(j, X))));
  }

  pugi::xml_document document_;
  RobotDescription description_{.name = "cassie"};
  std::vector<AnyConstraint> constraints_;
  std::vector<pugi::xml_node> gears_;
  std::map<std::string, Pose> pose_;
  std::map<std::string, std::string> joint_to_;
};

}  // namespace

Mechanism cassie(const std::string& file) { return Cassie(file).mechanism(); }

}  // namespace zwang::test
