// SPDX-License-Identifier: BSD-3-Clause
#include "io/write_urdf.hpp"

#include <array>
#include <cmath>

#include "model/build_steps.hpp"

namespace zwang {
namespace io {
namespace {

const char* urdf_shape(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::box: return "box";
    case Shape::Kind::cylinder: return "cylinder";
    case Shape::Kind::sphere: return "sphere";
    case Shape::Kind::capsule: return "capsule";
    case Shape::Kind::mesh: return "mesh";
    default: return nullptr;
  }
}

}  // namespace

UrdfWriter::UrdfWriter(const Robot& robot, const WriteOptions& options)
    : given_(robot),
      options_(options),
      text_("robot"),
      plain_(plain_robot(robot, options, losses_)) {
  add_constraints(robot, plain_, losses_);
  split_composites(plain_, false, {}, losses_);
  for (const LinkDescription& l : plain_.robot.links) {
    links_.add(l.name);
    for (const Shape& s : l.shapes)
      if (!std::isnan(s.colour[0])) colours_.insert(s.material);
  }
  for (const FrameDescription& f : plain_.robot.frames) links_.add(f.name);
  for (const JointDescription& j : plain_.robot.joints) joints_.add(j.name);
  for (const PlainLoop& l : plain_.loops) joints_.add(l.joint.name);
}

/// The joints that BuildOptions::root adds hang on a link of their own.
void UrdfWriter::hang_roots() {
  if (plain_.roots.empty()) return;
  LinkDescription world{.name = links_.fresh("world")};
  losses_.add("L_ROOT", "robot", plain_.robot.name, "a root link that is not fixed without a joint of the file",
              "link " + world.name + " and " + plain_.roots[0].type + " joint " + plain_.roots[0].name +
                  ", which some programs do not take there");
  std::vector<JointDescription> all = plain_.roots;
  for (JointDescription& j : all) {
    j.parent = world.name;
    joints_.add(j.name);
  }
  all.insert(all.end(), plain_.robot.joints.begin(), plain_.robot.joints.end());
  plain_.robot.joints = std::move(all);
  plain_.robot.links.insert(plain_.robot.links.begin(), std::move(world));
}

void UrdfWriter::shift_links() {
  for (JointDescription& j : plain_.robot.joints) {
    if (building::is_identity(j.child_origin)) continue;
    if (j.type == "fixed") {
      j.origin = j.origin * inverse(j.child_origin);
    } else {
      shift_.emplace(j.child, j.child_origin);
      losses_.add("L_FRAME", "link", j.child, "its frame, which is not that of its joint " + j.name,
                  "a frame of its name where the joint is");
    }
    j.child_origin = Transform<double>::identity();
  }
}

Transform<double> UrdfWriter::moved(const std::string& link, const Transform<double>& pose) const {
  const auto it = shift_.find(link);
  return it == shift_.end() ? pose : inverse_times(it->second, pose);
}

void UrdfWriter::origin(XmlElement holder, const Transform<double>& pose) {
  if (building::is_identity(pose)) return;
  const XmlElement element = holder.add("origin");
  element.set("xyz", pose.p);
  const Vec3<double> rpy = written_rpy(pose.R);
  if (rpy.x != 0 || rpy.y != 0 || rpy.z != 0) element.set("rpy", rpy);
}

void UrdfWriter::link(const LinkDescription& link) {
  const XmlElement element = text_.root().add("link");
  element.set("name", link.name);
  if (!is_massless(link)) {
    const auto shift = shift_.find(link.name);
    const XmlElement inertial = element.add("inertial");
    Vec3<double> centre = link.centre;
    Sym3<double> I = link.inertia;
    if (shift != shift_.end()) {
      centre = inverse(shift->second) * centre;
      I = congruence(transpose(shift->second.R), I);
    }
    origin(inertial, {Mat3<double>::identity(), centre});
    inertial.add("mass").set("value", link.mass);
    inertial.add("inertia")
        .set("ixx", I.xx)
        .set("ixy", I.xy)
        .set("ixz", I.xz)
        .set("iyy", I.yy)
        .set("iyz", I.yz)
        .set("izz", I.zz);
  }
  if (link.gravity_scale != 1 && link.mass != 0)
    losses_.add("L_GRAVITY", "link", link.name, "its gravity_scale " + number_text(link.gravity_scale),
                "all of gravity");
  for (const Shape& s : link.shapes) shape(element, link, s);
}

void UrdfWriter::shape(XmlElement holder, const LinkDescription& link, const Shape& shape) {
  const std::string where = shape.name.empty() ? link.name : link.name + '/' + shape.name;
  const char* const kind = urdf_shape(shape.kind);
  if (shape.kind == Shape::Kind::capsule) text_.root().set("version", "1.2");  // which has added it
  if (!kind) {
    losses_.add("L_SHAPE", "shape", where, shape.kind == Shape::Kind::plane ? "a plane" : "an ellipsoid");
    return;
  }
  const XmlElement element = holder.add(shape.collision ? "collision" : "visual");
  if (!shape.name.empty()) element.set("name", shape.name);
  origin(element, moved(link.name, shape.origin));
  const XmlElement form = element.add("geometry").add(kind);
  const double* const size = shape.size;
  switch (shape.kind) {
    case Shape::Kind::box: form.set("size", Vec3<double>{size[0], size[1], size[2]}); break;
    case Shape::Kind::sphere: form.set("radius", size[0]); break;
    case Shape::Kind::mesh:
      form.set("filename", shape.mesh);
      if (size[0] != 1 || size[1] != 1 || size[2] != 1) form.set("scale", Vec3<double>{size[0], size[1], size[2]});
      break;
    default: form.set("radius", size[0]).set("length", size[1]);
  }
  material(element, link, shape);
  if (!is_plain(shape.contact)) losses_.add("L_CONTACT", "shape", where, "friction and other data of contact");
}

/// A material without a colour may be that of another shape: readers then give it that colour.
void UrdfWriter::material(XmlElement holder, const LinkDescription& link, const Shape& shape) {
  const bool coloured = !std::isnan(shape.colour[0]);
  if (shape.material.empty() && !coloured) return;
  if (!coloured && colours_.contains(shape.material))
    return losses_.add("L_MATERIAL", "shape", link.name,
                       "material " + shape.material + " without the colour of others");
  const XmlElement element = holder.add("material");
  element.set("name", shape.material);
  if (coloured) element.add("color").set("rgba", std::span<const double>(shape.colour));
}

/// Frames of the user are links without mass.
void UrdfWriter::frames() {
  for (const FrameDescription& f : plain_.robot.frames) {
    text_.root().add("link").set("name", f.name);
    JointDescription mount{.name = joints_.fresh(f.name + "_joint"), .parent = f.parent, .child = f.name};
    mount.origin = f.placement;
    joint(mount);
  }
}

WrittenRobot UrdfWriter::write() {
  const RobotDescription& robot = plain_.robot;
  const Vec3<double>& g = given_.model.gravity();
  text_.root().set("name", robot.name);
  if (g.x != 0 || g.y != 0 || g.z != -9.81)
    losses_.add("L_GRAVITY", "robot", robot.name, "gravity " + number_text(std::array<double, 3>{g.x, g.y, g.z}),
                "0 0 -9.81, which readers take");
  hang_roots();
  shift_links();
  for (const LinkDescription& l : robot.links) link(l);
  for (const JointDescription& j : robot.joints) joint(j);
  frames();
  for (const PlainLoop& l : plain_.loops) loop(l);
  couplings();
  transmissions();
  for (const ContactExclusion& e : robot.contact_exclusions)
    losses_.add("L_CONTACT", "link", e.first + ", " + e.second, "that their shapes never touch each other");
  lose_configurations(given_, {}, losses_);
  return {text_.text(), losses_.take(options_.strict)};
}

}  // namespace io

WrittenRobot write_urdf(const Robot& robot, const WriteOptions& options) {
  return io::UrdfWriter(robot, options).write();
}

}  // namespace zwang
