// SPDX-License-Identifier: BSD-3-Clause
// A robot's description as tuples of plain objects, for pickle, and back.
// Each struct lists its fields once, for both directions.
#include "bind.hpp"
#include "fields.hpp"
#include "zwang/core/error.hpp"
#include "zwang/model/spline_joint.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::python {

namespace {

/// The order of the lists below is part of what pickle stores: a change needs a new number.
constexpr int k_version = 5;

}  // namespace

template <class A> void fields(A& a, Sym3<double>& s) { a(s.xx), a(s.xy), a(s.xz), a(s.yy), a(s.yz), a(s.zz); }
template <class A> void fields(A& a, SourcePlace& p) { a(p.file), a(p.line), a(p.column), a(p.path); }
template <class A> void fields(A& a, ContactData& c) {
  for (double& x : c.friction) a(x);
  a(c.type), a(c.affinity), a(c.dimension), a(c.priority), a(c.margin);
}
template <class A> void fields(A& a, Shape& s) {
  a(s.kind), a(s.collision), a(s.name), a(s.origin);
  for (double& x : s.size) a(x);
  a(s.mesh), a(s.mesh_path), a(s.material);
  for (double& x : s.colour) a(x);
  a(s.contact);
}
template <class A> void fields(A& a, LinkDescription& l) {
  a(l.name), a(l.mass), a(l.centre), a(l.inertia), a(l.shapes), a(l.place), a(l.gravity_scale);
}
template <class A> void fields(A& a, JointPart& p) { a(p.type), a(p.origin), a(p.axis), a(p.parameters); }
template <class A> void fields(A& a, Mimic& m) { a(m.leader), a(m.multiplier), a(m.offset); }
template <class A> void fields(A& a, JointDescription& j) {
  a(j.name), a(j.type), a(j.parent), a(j.child), a(j.origin), a(j.child_origin), a(j.axis), a(j.parameters), a(j.parts);
  a(j.lower), a(j.upper), a(j.velocity), a(j.effort), a(j.damping), a(j.friction), a(j.stiffness),
      a(j.spring_reference);
  a(j.rotor_inertia), a(j.gear_ratio), a(j.mimic), a(j.actuated), a(j.closes_loop);
  a(j.soft_lower), a(j.soft_upper), a(j.k_position), a(j.k_velocity), a(j.rising), a(j.falling), a(j.place);
}
template <class A> void fields(A& a, FrameDescription& f) { a(f.name), a(f.parent), a(f.placement); }
template <class A> void fields(A& a, NamedText& t) { a(t.name), a(t.text); }
template <class A> void fields(A& a, MotorDescription& m) {
  a(m.name), a(m.joint), a(m.kind), a(m.gear), a(m.control_lower), a(m.control_upper), a(m.force_lower);
  a(m.force_upper), a(m.attributes), a(m.place);
}
template <class A> void fields(A& a, ContactExclusion& x) { a(x.first), a(x.second), a(x.reason); }
template <class A> void fields(A& a, RobotDescription& r) {
  a(r.name), a(r.links), a(r.joints), a(r.frames), a(r.motors), a(r.contact_exclusions);
}

nb::tuple state_of(const RobotDescription& robot) {
  for (const JointDescription& j : robot.joints)
    if (j.user && j.user != spline_functions())
      throw UnsupportedError("pickle cannot keep the user-defined joint '" + j.name + "' of robot '" + robot.name +
                             "'");
  RobotDescription copy = robot;
  return nb::make_tuple(k_version, FieldWriter::tuple_of(copy));
}

RobotDescription description_from(nb::handle state) {
  if (nb::cast<int>(state[0]) != k_version)
    throw std::invalid_argument("Model: this state was stored by another version of zwang");
  RobotDescription robot;
  const Pickled read("Model");
  const nb::object parts = state[1];
  FieldReader(parts, read).into(robot);
  for (JointDescription& j : robot.joints)
    if (j.type == spline_functions()->name) j.user = spline_functions();
  return robot;
}

nb::tuple state_of(const BuildOptions& o) {
  return nb::make_tuple(o.root, o.root_joint, o.lump, o.expand_mimic, static_cast<int>(o.mode), o.gravity.x,
                        o.gravity.y, o.gravity.z, o.loops == ClosedLoops::constraints);
}
BuildOptions options_from(nb::handle s) {
  BuildOptions o;
  o.root = nb::cast<std::string>(s[0]), o.root_joint = nb::cast<std::string>(s[1]);
  o.lump = nb::cast<bool>(s[2]), o.expand_mimic = nb::cast<bool>(s[3]);
  const int mode = nb::cast<int>(s[4]);
  o.mode = mode == 1 ? Mode::strict : mode == 2 ? Mode::lenient : Mode::standard;
  o.gravity = {nb::cast<double>(s[5]), nb::cast<double>(s[6]), nb::cast<double>(s[7])};
  o.loops = nb::cast<bool>(s[8]) ? ClosedLoops::constraints : ClosedLoops::refuse;
  return o;
}

const Robot& blank_robot() {
  static const Robot robot(build(RobotDescription{.name = "blank", .links = {{.name = "base"}}}));
  return robot;
}

}  // namespace zwang::python
