// SPDX-License-Identifier: BSD-3-Clause
// The keys of a model document, in the order of their text. Writer, reader, equality and hash go through the same list.
//
//   v(key, &T::member)             left out of the text where it has its default
//   v.needed(key, &T::member)      always written and always wanted
//   v.later(key, &T::member)       like the first; the hash does not see its default, as it came later than the hash
//   v.place(&T::place)             where the robot was read from: neither equality nor the hash looks at it
//   v.user(&T::user)               the code of a user-defined joint
#pragma once
#include <array>
#include <type_traits>

#include "zwang/core/record.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::io {

inline constexpr std::array<const char*, 7> k_shape_words{"box",  "cylinder", "sphere",   "capsule",
                                                          "mesh", "plane",    "ellipsoid"};
inline constexpr std::array<const char*, 3> k_actuated_words{"by_default", "yes", "no"};
inline constexpr std::array<const char*, 3> k_mode_words{"standard", "strict", "lenient"};
inline constexpr std::array<const char*, 2> k_loop_words{"refuse", "constraints"};
inline const auto& words_of(Shape::Kind) { return k_shape_words; }
inline const auto& words_of(JointDescription::Actuated) { return k_actuated_words; }
inline const auto& words_of(Mode) { return k_mode_words; }
inline const auto& words_of(ClosedLoops) { return k_loop_words; }

template <class V> void keys(V& v, Type<SourcePlace>) {
  using T = SourcePlace;
  v("file", &T::file), v("line", &T::line), v("column", &T::column), v("path", &T::path);
}
template <class V> void keys(V& v, Type<Transform<double>>) {
  using T = Transform<double>;
  v("position", &T::p), v("rotation", &T::R);
}
template <class V> void keys(V& v, Type<ContactData>) {
  using T = ContactData;
  v("friction", &T::friction), v("type", &T::type), v("affinity", &T::affinity);
  v("dimension", &T::dimension), v("priority", &T::priority), v("margin", &T::margin);
}
template <class V> void keys(V& v, Type<Shape>) {
  using T = Shape;
  v.needed("kind", &T::kind);
  v("collision", &T::collision), v("name", &T::name), v("origin", &T::origin), v("size", &T::size);
  v("mesh", &T::mesh), v("mesh_path", &T::mesh_path), v("material", &T::material), v("colour", &T::colour);
  v.later("contact", &T::contact);
}
template <class V> void keys(V& v, Type<LinkDescription>) {
  using T = LinkDescription;
  v.needed("name", &T::name);
  v("mass", &T::mass), v("centre", &T::centre), v("inertia", &T::inertia), v("shapes", &T::shapes);
  v.later("gravity_scale", &T::gravity_scale);
  v.place(&T::place);
}
template <class V> void keys(V& v, Type<JointPart>) {
  using T = JointPart;
  v.needed("type", &T::type);
  v("origin", &T::origin), v("axis", &T::axis), v("parameters", &T::parameters);
}
template <class V> void keys(V& v, Type<Mimic>) {
  using T = Mimic;
  v("leader", &T::leader), v("multiplier", &T::multiplier), v("offset", &T::offset);
}
template <class V> void keys(V& v, Type<JointDescription>) {
  using T = JointDescription;
  v.needed("name", &T::name), v.needed("type", &T::type);
  v("parent", &T::parent), v("child", &T::child), v("origin", &T::origin), v("axis", &T::axis);
  v("parameters", &T::parameters), v("parts", &T::parts);
  v.user(&T::user);
  v("lower", &T::lower), v("upper", &T::upper), v("velocity", &T::velocity), v("effort", &T::effort);
  v("damping", &T::damping), v("friction", &T::friction);
  v("stiffness", &T::stiffness), v("spring_reference", &T::spring_reference);
  v("rotor_inertia", &T::rotor_inertia), v("gear_ratio", &T::gear_ratio);
  v("mimic", &T::mimic), v("actuated", &T::actuated), v("closes_loop", &T::closes_loop);
  v("soft_lower", &T::soft_lower), v("soft_upper", &T::soft_upper);
  v("k_position", &T::k_position), v("k_velocity", &T::k_velocity);
  v("rising", &T::rising), v("falling", &T::falling);
  v.later("child_origin", &T::child_origin);
  v.place(&T::place);
}
template <class V> void keys(V& v, Type<FrameDescription>) {
  using T = FrameDescription;
  v.needed("name", &T::name);
  v("parent", &T::parent), v("placement", &T::placement);
}
template <class V> void keys(V& v, Type<NamedText>) {
  using T = NamedText;
  v.needed("name", &T::name), v.needed("text", &T::text);
}
template <class V> void keys(V& v, Type<MotorDescription>) {
  using T = MotorDescription;
  v.needed("name", &T::name);
  v("joint", &T::joint), v("kind", &T::kind), v("gear", &T::gear);
  v("control_lower", &T::control_lower), v("control_upper", &T::control_upper);
  v("force_lower", &T::force_lower), v("force_upper", &T::force_upper), v("attributes", &T::attributes);
  v.place(&T::place);
}
template <class V> void keys(V& v, Type<ContactExclusion>) {
  using T = ContactExclusion;
  v.needed("first", &T::first), v.needed("second", &T::second);
  v("reason", &T::reason);
}
template <class V> void keys(V& v, Type<RobotDescription>) {
  using T = RobotDescription;
  v("name", &T::name), v("links", &T::links), v("joints", &T::joints), v("frames", &T::frames);
  v.later("motors", &T::motors), v.later("contact_exclusions", &T::contact_exclusions);
}
template <class V> void keys(V& v, Type<BuildOptions>) {
  using T = BuildOptions;
  v("root", &T::root), v("root_joint", &T::root_joint), v("lump", &T::lump), v("expand_mimic", &T::expand_mimic);
  v("mode", &T::mode), v("gravity", &T::gravity), v("loops", &T::loops);
}

/// What members are.
template <class X>
concept Keyed = std::is_same_v<X, SourcePlace> || std::is_same_v<X, Transform<double>> || std::is_same_v<X, Shape> ||
    std::is_same_v<X, ContactData> || std::is_same_v<X, NamedText> || std::is_same_v<X, MotorDescription> ||
    std::is_same_v<X, ContactExclusion> || std::is_same_v<X, LinkDescription> || std::is_same_v<X, JointPart> ||
    std::is_same_v<X, Mimic> || std::is_same_v<X, JointDescription> || std::is_same_v<X, FrameDescription> ||
    std::is_same_v<X, RobotDescription> || std::is_same_v<X, BuildOptions>;
template <class X>
concept FixedNumbers = std::is_same_v<X, Vec3<double>> || std::is_same_v<X, Sym3<double>> || std::is_array_v<X>;

template <class X>
concept List = !std::is_same_v<X, std::string> && requires(const X& x) {
  x.capacity();
};

/// f(number) for all of them.
template <class F> void each(auto& x, F&& f) {
  using X = std::remove_cvref_t<decltype(x)>;
  if constexpr (std::is_same_v<X, Vec3<double>>)
    f(x.x), f(x.y), f(x.z);
  else if constexpr (std::is_same_v<X, Sym3<double>>)
    f(x.xx), f(x.xy), f(x.xz), f(x.yy), f(x.yz), f(x.zz);
  else
    for (auto& a : x) f(a);
}

}  // namespace zwang::io
