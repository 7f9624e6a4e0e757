// SPDX-License-Identifier: BSD-3-Clause
#include "io/write_sdf.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/number.hpp"
#include "model/build_steps.hpp"
#include "zwang/model/check.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang {
namespace io {
namespace {

constexpr double k_token_mass = 1e-3, k_token_inertia = 1e-6;  // of links without mass that do not move
constexpr double k_unit_length = 1e-15;  // as near to 1 as a quaternion is that was normalised: it stays as it is
constexpr double k_sdf_triangle = 1e-6;  // relative, as libsdformat judges moments

const Vec3<double> k_unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// The same joint as prismatic and revolute ones, one behind the other; none where it has none.
std::vector<JointPart> parts_of(const JointDescription& j) {
  const auto part = [](const char* type, const Vec3<double>& axis) { return JointPart{.type = type, .axis = axis}; };
  if (j.type == "planar") {
    const Mat3<double> R = building::canonical_rotation(j.axis * (1 / norm(j.axis)));
    return {part("prismatic", column_x(R)), part("prismatic", column_y(R)), part("revolute", j.axis)};
  }
  if (j.type == "cylindrical") return {part("prismatic", j.axis), part("revolute", j.axis)};
  if (j.type == "translation")
    return {part("prismatic", k_unit[0]), part("prismatic", k_unit[1]), part("prismatic", k_unit[2])};
  if (j.type == "spherical_zyx")
    return {part("revolute", k_unit[2]), part("revolute", k_unit[1]), part("revolute", k_unit[0])};
  if (j.type == "universal") {
    const Mat3<double> R = building::canonical_rotation(j.axis * (1 / norm(j.axis)));
    return {part("revolute", j.axis), part("revolute", column_x(R))};
  }
  return {};
}

}  // namespace

bool sdf_reserves(const std::string& name) {
  return name == "world" || (name.starts_with("__") && name.ends_with("__"));
}

std::string fresh_sdf_name(UsedNames& names, const std::string& wanted) {
  std::string name = names.fresh(wanted);
  while (sdf_reserves(name)) name = names.fresh(name + "_1");
  return name;
}

SdfWriter::SdfWriter(const Robot& robot, const WriteOptions& options)
    : given_(robot),
      options_(options),
      text_("sdf"),
      model_(text_.root().set("version", "1.11").add("model")),
      plain_(plain_robot(robot, options, losses_)) {
  add_constraints(robot, plain_, losses_);
  hang_roots();
  turn_into_axes();
  turn_into_axes();  // those that were parts of others
  stands_.resize(plain_.robot.links.size());
  placed_.assign(plain_.robot.links.size(), 0);
  place_links();
  name_all();
}

/// Joints of BuildOptions::root hang on a link `world` without mass, which is the world.
void SdfWriter::hang_roots() {
  if (plain_.roots.empty()) return;
  RobotDescription& robot = plain_.robot;
  UsedNames links;
  for (const LinkDescription& l : robot.links) links.add(l.name);
  const std::string world = links.fresh("world");
  std::vector<JointDescription> all = plain_.roots;
  for (JointDescription& j : all) j.parent = world;
  all.insert(all.end(), robot.joints.begin(), robot.joints.end());
  robot.joints = std::move(all);
  robot.links.insert(robot.links.begin(), {.name = world});
  hung_ = true;
  plain_.link.clear(), plain_.carrier.clear();
  for (std::size_t i = 0; i < robot.links.size(); ++i) plain_.link.emplace(robot.links[i].name, i);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) plain_.carrier.emplace(robot.joints[i].child, i);
}

/// Joints of several axes as parts; those that SDF has not at all are fixed.
void SdfWriter::turn_into_axes() {
  std::unordered_map<std::string, std::string> type;
  for (JointDescription& j : plain_.robot.joints) {
    if (j.type == "revolute_unbounded") {
      losses_.add("L_JOINT", "joint", j.name, "its coordinates, cosine and sine", "a continuous joint: one angle");
      j.type = "continuous";
      j.lower.clear(), j.upper.clear();
    } else if (j.type == "ellipsoid") {
      losses_.add("L_JOINT", "joint", j.name, "a joint of type ellipsoid, and its motion", "a fixed joint");
      j.type = "fixed", j.parameters.clear();
    } else if (std::vector<JointPart> parts = parts_of(j); !parts.empty()) {
      type.emplace(j.name, j.type);
      if (!has_motor(j)) j.actuated = JointDescription::Actuated::no;
      j.type = "composite", j.parts = std::move(parts);
    }
    if (!is_universal(j)) continue;
    JointPart &first = j.parts[0], &second = j.parts[1];
    j.origin = j.origin * first.origin;
    second.axis = second.origin.R * second.axis;
    j.child_origin = j.child_origin * inverse(second.origin);
    first.origin = second.origin = Transform<double>::identity();
  }
  split_composites(plain_, true, type, losses_);
}

SdfWriter::Stand SdfWriter::stand_of(const std::string& link) const { return stands_[plain_.link.at(link)]; }
const std::string& SdfWriter::name_of(int link) const {
  static const std::string world = "world";
  return link < 0 ? world : written_[static_cast<std::size_t>(link)].name;
}
Transform<double> SdfWriter::drawn_of(const Stand& stand) const {
  return stand.link < 0 ? stand.pose : written_[static_cast<std::size_t>(stand.link)].drawn * stand.pose;
}

/// The link of the file that a link of the description is; nullptr: it is a frame, or the world.
SdfWriter::Written* SdfWriter::written_as(std::size_t link) {
  const int at = stands_[link].link;
  Written* const w = at < 0 ? nullptr : &written_[static_cast<std::size_t>(at)];
  return w && w->link == &plain_.robot.links[link] ? w : nullptr;
}

/// Links from the root outward, along a way of its own: chains may be long.
void SdfWriter::place_links() {
  std::vector<std::size_t> way;
  for (std::size_t i = 0; i < plain_.robot.links.size(); ++i) {
    for (std::size_t at = i; !placed_[at];) {
      way.push_back(at);
      const JointDescription* const j = plain_.carrier_of(plain_.robot.links[at].name);
      if (!j || placed_[plain_.link.at(j->parent)]) break;
      at = plain_.link.at(j->parent);
    }
    for (; !way.empty(); way.pop_back()) place(way.back());
  }
}

void SdfWriter::place(std::size_t i) {
  const LinkDescription& link = plain_.robot.links[i];
  placed_[i] = 1;
  const auto at = plain_.carrier.find(link.name);
  const bool is_root = at == plain_.carrier.end();
  if (is_root && is_bare(link) && (hung_ || link.name == "world")) return;  // it is the world
  Written w{&link, {}};
  if (is_root) {
    w.still = true;
  } else {
    const JointDescription& j = plain_.robot.joints[at->second];
    const Stand parent = stand_of(j.parent);
    w.carrier = static_cast<int>(at->second);
    w.on = {parent.link, parent.pose * j.origin * inverse(j.child_origin)};
    const bool parent_still = parent.link < 0 || written_[static_cast<std::size_t>(parent.link)].still;
    w.still = j.type == "fixed" && parent_still;
    if (j.type == "floating") {
      const Configuration* file = nullptr;
      for (const Configuration& c : given_.configurations)
        if (c.name == "file" && fits(given_.model, c)) file = &c;
      Transform<double> X = Transform<double>::identity();
      const JointId id = given_.model.find_joint(j.name);
      if (file && id) {
        const double* const q =
            &file->q[static_cast<std::size_t>(given_.model.joints()[static_cast<std::size_t>(id.value)].q.first)];
        const Quat<double> turn{q[3], q[4], q[5], q[6]};
        if (const double length = norm(turn); length > 0 && std::isfinite(length)) {
          X = {rotation(std::fabs(length - 1) > k_unit_length ? normalized(turn) : turn), {q[0], q[1], q[2]}};
          drawn_joints_.insert(j.name);
        }
      }
      w.on = {k_on_world, drawn_of(parent) * j.origin * X * inverse(j.child_origin)};
      w.carrier = -1;
      if (parent.link >= 0 || !building::is_identity(parent.pose * j.origin) || !building::is_identity(j.child_origin))
        losses_.add("L_JOINT", "joint", j.name, "that its coordinates are seen from a frame on link " + j.parent,
                    "a link that floats in the world, whose coordinates are its pose there");
      lose_numbers(j);
    } else if (j.type == "fixed" && is_massless(link) && parent.link >= 0) {
      stands_[i] = w.on;  // a frame on the link with mass
      for (const Shape& s : link.shapes)
        written_[static_cast<std::size_t>(parent.link)].shapes.emplace_back(&s, w.on.pose * s.origin);
      return;
    }
  }
  w.drawn = drawn_of(w.on);
  for (const Shape& s : link.shapes) w.shapes.emplace_back(&s, s.origin);
  stands_[i].link = static_cast<int>(written_.size());
  written_.push_back(std::move(w));
}

/// A name that is free in the model and not reserved.
std::string SdfWriter::named(const char* element, const std::string& name, const char* suffix) {
  std::string own = name;  // readers of SDF pass over blanks around a text
  while (!own.empty() && is_space(own.back())) own.pop_back();
  while (!own.empty() && is_space(own.front())) own.erase(0, 1);
  if (own.empty()) own = "unnamed";
  if (sdf_reserves(own) || names_.has(own)) own += suffix;
  own = fresh_sdf_name(names_, own);
  if (own != name)
    losses_.add(
        "L_NAME", element, name,
        names_.has(name) ? "its name, which another element of the model has" : "its name, which SDF reserves or trims",
        "the name " + own);
  if (own.find("::") != std::string::npos)
    losses_.add("L_NAME", element, name, "a name with ::, which other programs take for one of a nested model",
                "the same name, which zwang reads");
  return own;
}

void SdfWriter::name_all() {
  for (std::size_t i = 0; i < plain_.robot.links.size(); ++i)
    if (Written* const w = written_as(i)) w->name = named("link", w->link->name, "_link");
  for (std::size_t k = 0; k < plain_.robot.joints.size(); ++k) {
    const JointDescription& j = plain_.robot.joints[k];
    const Stand child = stand_of(j.child);
    const bool is_written =
        child.link >= 0 && written_[static_cast<std::size_t>(child.link)].carrier == static_cast<int>(k);
    if (is_written) joint_name_.emplace(j.name, named("joint", j.name, "_joint"));
  }
  for (PlainLoop& l : plain_.loops) l.joint.name = named(l.element(), l.joint.name, "_loop");
  for (std::size_t k = 0; k < written_.size() && anchor_ < 0; ++k)
    if (written_[k].still) anchor_ = static_cast<int>(k);
}

void SdfWriter::pose(XmlElement holder, const Transform<double>& pose, const std::string& relative_to) {
  const Vec3<double> rpy = written_rpy(pose.R);
  const std::array<double, 6> x{pose.p.x, pose.p.y, pose.p.z, rpy.x, rpy.y, rpy.z};
  const bool still = std::all_of(x.begin(), x.end(), [](double a) { return a == 0; });
  if (still && relative_to.empty()) return;
  const XmlElement element = holder.add("pose");
  if (!relative_to.empty()) element.set("relative_to", relative_to);
  element.text(number_text(x));
}

void SdfWriter::inertial(XmlElement holder, const Written& link) {
  const LinkDescription& l = *link.link;
  double mass = l.mass;
  Sym3<double> I = l.inertia;
  if (mass == 0 && link.still) {
    mass = k_token_mass;
    I = Sym3<double>::diagonal(k_token_inertia, k_token_inertia, k_token_inertia);
    losses_.add(LossCode("L_MASSLESS").of_data(), "link", l.name, "that it has no mass",
                number_text(mass) + " kg, which are fixed to the world");
  } else if (mass == 0) {
    losses_.add(LossCode("L_MASSLESS").of_data(), "link", l.name,
                "that it can be read by others: they refuse a mass of 0", "mass 0");
  } else {
    const PrincipalInertia p = principal_inertia(I);
    const double *const m = p.moment, slack = k_sdf_triangle * m[2];
    if (!(m[0] > 0) || m[0] + m[1] < m[2] - slack)
      losses_.add("L_INERTIA", "link", l.name,
                  "that it can be read by others: they refuse moments of inertia " +
                      number_text(std::span<const double>(p.moment)),
                  "the same numbers");
  }
  const XmlElement element = holder.add("inertial");
  pose(element, {Mat3<double>::identity(), l.centre});
  element.add("mass").text(number_text(mass));
  const XmlElement tensor = element.add("inertia");
  const std::pair<const char*, double> entries[] = {{"ixx", I.xx}, {"ixy", I.xy}, {"ixz", I.xz},
                                                    {"iyy", I.yy}, {"iyz", I.yz}, {"izz", I.zz}};
  for (const auto& [name, value] : entries) tensor.add(name).text(number_text(value));
}

void SdfWriter::links() {
  for (const LinkDescription& l : plain_.robot.links)
    for (const Shape& s : l.shapes)
      masks_ = masks_ || (s.collision && (s.contact.type != 1 || s.contact.affinity != 1));
  for (std::size_t i = 0; i < plain_.robot.links.size(); ++i) {
    Written* const w = written_as(i);
    if (!w) continue;
    const XmlElement element = model_.add("link");
    element.set("name", w->name);
    pose(element, w->on.pose, w->on.link < 0 ? "" : name_of(w->on.link));
    inertial(element, *w);
    if (const double scale = w->link->gravity_scale; scale == 0)
      element.add("gravity").text("false");
    else if (scale != 1)
      losses_.add("L_GRAVITY", "link", w->link->name, "its gravity_scale " + number_text(scale), "all of gravity");
    for (const auto& [s, at] : w->shapes) shape(element, *w, *s, at);
  }
}

/// On the world itself a model has no frames: they stand on a link that is fixed to it.
void SdfWriter::frame(const std::string& name, const Stand& stand, const char* element) {
  std::string on = name_of(stand.link);
  Transform<double> at = stand.pose;
  if (stand.link < 0) {
    if (anchor_ < 0)
      return losses_.add("L_FRAME", element, name, "a frame that is fixed to the world, on which a model has none");
    on = name_of(anchor_);
    at = inverse_times(written_[static_cast<std::size_t>(anchor_)].drawn, at);
  }
  const XmlElement own = model_.add("frame");
  own.set("name", named(element, name, "_frame")).set("attached_to", on);
  pose(own, at);
}

void SdfWriter::frames() {
  for (std::size_t i = 0; i < plain_.robot.links.size(); ++i) {
    const LinkDescription& l = plain_.robot.links[i];
    const JointDescription* const j = plain_.carrier_of(l.name);
    if (!j || written_as(i)) continue;
    losses_.add(LossCode("L_MASSLESS").of_data(), "link", l.name, "a link without mass, and its fixed joint " + j->name,
                "a frame on link " + name_of(stands_[i].link));
    lose_numbers_of_fixed(*j, losses_);
    frame(l.name, stands_[i], "link");
  }
  for (const FrameDescription& f : plain_.robot.frames) {
    Stand stand = stand_of(f.parent);
    stand.pose = stand.pose * f.placement;
    frame(f.name, stand, "frame");
  }
}

WrittenRobot SdfWriter::write() {
  const RobotDescription& robot = plain_.robot;
  const Vec3<double>& g = given_.model.gravity();
  std::string name = robot.name.empty() ? "robot" : robot.name;
  if (sdf_reserves(name)) name += "_model";
  if (name != robot.name) losses_.add("L_NAME", "robot", robot.name, "its name", "the name " + name);
  model_.set("name", name);
  if (written_.empty()) model_.add("static").text("true");
  if (g.x != 0 || g.y != 0 || g.z != -9.81)
    losses_.add("L_GRAVITY", "robot", robot.name, "gravity " + number_text(std::array<double, 3>{g.x, g.y, g.z}),
                "nothing: it belongs to a world, and readers take 0 0 -9.81");
  find_mimics();
  links();
  for (const Written& w : written_) {
    if (w.carrier >= 0 || !w.still) continue;
    const XmlElement mount = model_.add("joint");
    mount.set("name", fresh_sdf_name(names_, w.name + "_fixed")).set("type", "fixed");
    mount.add("parent").text("world");
    mount.add("child").text(w.name);
  }
  for (const JointDescription& j : robot.joints)
    if (joint_name_.contains(j.name)) joint(j);
  for (const PlainLoop& l : plain_.loops) loop(l);
  for (const CouplingConstraint& c : plain_.couplings) coupling(c);
  frames();
  motors();
  for (const ContactExclusion& e : robot.contact_exclusions)
    losses_.add("L_CONTACT", "link", e.first + ", " + e.second, "that their shapes never touch each other");
  lose_configurations(given_, drawn_joints_, losses_);
  return {text_.text(), losses_.take(options_.strict)};
}

}  // namespace io

WrittenRobot write_sdf(const Robot& robot, const WriteOptions& options) {
  return io::SdfWriter(robot, options).write();
}

}  // namespace zwang
