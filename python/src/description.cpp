// SPDX-License-Identifier: BSD-3-Clause
// A robot's description as tuples of plain objects, for pickle, and back. Each struct lists its fields once, for both
// directions.
#include <type_traits>

#include "bind.hpp"
#include "zwang/core/error.hpp"

namespace zwang::python {
namespace {

/// The order of the lists below is part of what pickle stores: a change needs a new number.
constexpr int k_version = 2;

template <class A> void fields(A& a, Vec3<double>& v) { a(v.x), a(v.y), a(v.z); }
template <class A> void fields(A& a, Sym3<double>& s) { a(s.xx), a(s.xy), a(s.xz), a(s.yy), a(s.yz), a(s.zz); }
template <class A> void fields(A& a, Transform<double>& X) { a(X.R.r0), a(X.R.r1), a(X.R.r2), a(X.p); }
template <class A> void fields(A& a, SourcePlace& p) { a(p.file), a(p.line), a(p.column), a(p.path); }
template <class A> void fields(A& a, Shape& s) {
  a(s.kind), a(s.collision), a(s.name), a(s.origin);
  for (double& x : s.size) a(x);
  a(s.mesh), a(s.mesh_path), a(s.material);
  for (double& x : s.colour) a(x);
}
template <class A> void fields(A& a, LinkDescription& l) {
  a(l.name), a(l.mass), a(l.centre), a(l.inertia), a(l.shapes), a(l.place);
}
template <class A> void fields(A& a, JointPart& p) { a(p.type), a(p.origin), a(p.axis), a(p.parameters); }
template <class A> void fields(A& a, Mimic& m) { a(m.leader), a(m.multiplier), a(m.offset); }
template <class A> void fields(A& a, JointDescription& j) {
  a(j.name), a(j.type), a(j.parent), a(j.child), a(j.origin), a(j.axis), a(j.parameters), a(j.parts);
  a(j.lower), a(j.upper), a(j.velocity), a(j.effort), a(j.damping), a(j.friction), a(j.stiffness),
      a(j.spring_reference);
  a(j.rotor_inertia), a(j.gear_ratio), a(j.mimic), a(j.actuated), a(j.closes_loop);
  a(j.soft_lower), a(j.soft_upper), a(j.k_position), a(j.k_velocity), a(j.rising), a(j.falling), a(j.place);
}
template <class A> void fields(A& a, FrameDescription& f) { a(f.name), a(f.parent), a(f.placement); }
template <class A> void fields(A& a, RobotDescription& r) { a(r.name), a(r.links), a(r.joints), a(r.frames); }

template <class T> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};

/// Strings become bytes: names in files may have any bytes.
class Writer {
 public:
  template <class T> void operator()(T& x) {
    if constexpr (std::is_same_v<T, std::string>) {
      list_.append(nb::bytes(x.data(), x.size()));
    } else if constexpr (std::is_enum_v<T>) {
      list_.append(static_cast<int>(x));
    } else if constexpr (std::is_arithmetic_v<T>) {
      list_.append(x);
    } else {
      Writer inner;
      if constexpr (IsVector<T>::value)
        for (auto& item : x) inner(item);
      else
        fields(inner, x);
      list_.append(inner.take());
    }
  }
  nb::tuple take() const { return nb::tuple(list_); }

 private:
  nb::list list_;
};

class Reader {
 public:
  explicit Reader(nb::tuple state) : state_(std::move(state)) {}
  bool more() const { return next_ < nb::len(state_); }
  template <class T> void operator()(T& x) {
    if (!more()) throw std::invalid_argument("Model: this is not the state of a model");
    nb::object item = state_[next_++];
    if constexpr (std::is_same_v<T, std::string>) {
      const nb::bytes text = nb::cast<nb::bytes>(item);
      x.assign(text.c_str(), text.size());
    } else if constexpr (std::is_enum_v<T>) {
      const int value = nb::cast<int>(item);
      if (value < 0 || value > 8) throw std::invalid_argument("Model: this is not the state of a model");
      x = static_cast<T>(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      x = nb::cast<T>(item);
    } else if constexpr (IsVector<T>::value) {
      Reader inner(nb::cast<nb::tuple>(item));
      while (inner.more()) inner(x.emplace_back());
    } else {
      Reader inner(nb::cast<nb::tuple>(item));
      fields(inner, x);
    }
  }

 private:
  nb::tuple state_;
  std::size_t next_ = 0;
};

}  // namespace

nb::tuple state_of(const RobotDescription& robot) {
  for (const JointDescription& j : robot.joints)
    if (j.user)
      throw UnsupportedError("pickle cannot keep the user-defined joint '" + j.name + "' of robot '" + robot.name +
                             "'");
  RobotDescription copy = robot;
  Writer writer;
  fields(writer, copy);
  return nb::make_tuple(k_version, writer.take());
}

RobotDescription description_from(nb::handle state) {
  if (nb::cast<int>(state[0]) != k_version)
    throw std::invalid_argument("Model: this state was stored by another version of zwang");
  Reader reader(nb::cast<nb::tuple>(state[1]));
  RobotDescription robot;
  fields(reader, robot);
  return robot;
}

}  // namespace zwang::python
