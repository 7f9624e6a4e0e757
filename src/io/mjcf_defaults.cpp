// SPDX-License-Identifier: BSD-3-Clause
// MJCF: values of attributes, orientations, default classes.
#include <algorithm>
#include <cmath>

#include "io/mjcf.hpp"
#include "io/number.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

constexpr const char* k_orientations[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
/// Lists of which an element may give the first numbers only: the class has the others.
constexpr const char* k_partial[] = {"size",   "friction", "stiffness", "damping",      "gear",    "polycoef", "solref",
                                     "solimp", "armature", "gainprm",   "springlength", "biasprm", "dynprm"};

bool is_partial(std::string_view name) {
  return std::any_of(std::begin(k_partial), std::end(k_partial), [&](const char* p) { return name == p; });
}

/// A list over that of the class: its numbers, and behind them those that only the class has.
std::string joined(std::string_view fresh, std::string_view old) {
  constexpr int k_room = 16;
  constexpr std::size_t k_longest = 100;  // of a number
  std::string_view parts[k_room];
  const int now = tokens(fresh, parts, k_room, k_room), before = tokens(old, parts, k_room, k_room);
  std::string out(fresh);
  for (int k = now; k < before; ++k) out += ' ' + std::string(parts[k].substr(0, k_longest));
  return out;
}

Quat<double> turn_about(const Vec3<double>& axis, double angle) {
  return from_rotation_vector(axis * (angle / norm(axis)));
}

}  // namespace

bool mjcf_is_orientation(std::string_view name) {
  return std::any_of(std::begin(k_orientations), std::end(k_orientations), [&](const char* p) { return name == p; });
}

const MjcfRecord::Value* MjcfRecord::find(std::string_view name) const {
  for (const Value& value : values)
    if (value.name == name) return &value;
  return nullptr;
}

const char* MjcfFields::text(const char* name) const {
  if (const pugi::xml_attribute own = node.attribute(name)) return own.value();
  const MjcfRecord::Value* value = record ? record->find(name) : nullptr;
  return value ? value->text : nullptr;
}

pugi::xml_node MjcfFields::where(const char* name) const {
  if (node.attribute(name)) return node;
  const MjcfRecord::Value* value = record ? record->find(name) : nullptr;
  return value ? value->node : node;
}

std::string MjcfFields::whole(const char* name) const {
  const char* own = text(name);
  const MjcfRecord::Value* value = record ? record->find(name) : nullptr;
  return own && value && is_partial(name) ? joined(own, value->text) : own ? own : "";
}

// ---- numbers and words

bool MjcfValues::list(pugi::xml_node node, const char* name, std::string_view text, int least, int most, double* out,
                      int& count) const {
  constexpr int k_room = 16, k_many = 64;
  std::string_view parts[k_room];
  count = tokens(text, parts, k_room, k_many);
  if (count < least || count > most) {
    const std::string wanted =
        least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
    refuse(node, "E_VECTOR_SIZE", std::string(name) + ' ' + detail::quoted(text),
           wanted + (most == 1 ? " number, not " : " numbers, not ") +
               (count < k_many ? std::to_string(count) : "so many"));
    return false;
  }
  double values[k_room] = {};
  for (int k = 0; k < count; ++k) {
    const NumberFault fault = parse_number(parts[k], values[k]);
    if (fault == NumberFault::none) continue;
    if (std::string_view(name) == "range" && (parts[k] == "inf" || parts[k] == "-inf")) {
      values[k] = parts[k][0] == '-' ? -unlimited : unlimited;
      continue;
    }
    refuse(node, "E_NUMBER", std::string(name) + ' ' + detail::quoted(parts[k]), "a finite decimal number",
           explain(fault));
    return false;
  }
  std::copy(values, values + count, out);
  return true;
}

int MjcfValues::numbers(const MjcfFields& of, const char* name, int least, int most, double* out) const {
  const pugi::xml_attribute own = of.node.attribute(name);
  const MjcfRecord::Value* inherited = of.record ? of.record->find(name) : nullptr;
  int given = 0;
  if (inherited && (!own || is_partial(name))) {
    if (!list(inherited->node, name, inherited->text, least, most, out, given)) return -1;
  }
  if (!own) return given;
  int count = 0;
  if (!list(of.node, name, own.value(), least, most, out, count)) return -1;
  return std::max(given, count);
}

bool MjcfValues::vector(const MjcfFields& of, const char* name, Vec3<double>& out) const {
  double values[3] = {out.x, out.y, out.z};
  if (numbers(of, name, 3, 3, values) < 0) return false;
  out = {values[0], values[1], values[2]};
  return true;
}

int MjcfValues::integer(const MjcfFields& of, const char* name, int otherwise) const {
  double value = otherwise;
  if (numbers(of, name, 1, 1, &value) <= 0) return otherwise;
  if (value == std::floor(value) && std::fabs(value) <= 2147483647.0) return static_cast<int>(value);
  refuse(of.where(name), "E_NUMBER", std::string(name) + ' ' + detail::quoted(of.text(name)), "a whole number");
  return otherwise;
}

int MjcfValues::word(const MjcfFields& of, const char* name, std::initializer_list<const char*> words,
                     int otherwise) const {
  const char* text = of.text(name);
  if (!text) return otherwise;
  std::string known;
  std::vector<std::string> names;
  int at = 0;
  for (const char* w : words) {
    if (trimmed(text) == w) return at;
    known += (known.empty() ? "" : ", ") + std::string(w);
    names.emplace_back(w);
    ++at;
  }
  refuse(of.where(name), "E_MJCF_VALUE", std::string(name) + ' ' + detail::quoted(text), known,
         work_.found.did_you_mean(text, names));
  return otherwise;
}

std::string MjcfValues::name_of(const MjcfFields& of, const char* attribute) const {
  const char* text = of.node.attribute(attribute) ? of.node.attribute(attribute).value() : nullptr;
  return text ? text : "";
}

/// Once for an element: copies say the same.
void MjcfValues::warn(pugi::xml_node node, const char* code, const std::string& what, const std::string& expected,
                      const std::string& hint) const {
  if (!warned_.insert(std::to_string(node.hash_value()) + what).second) return;
  work_.warn(document_.place_of(node), code, what, expected, hint);
}

// ---- orientations

double MjcfAngles::radian(double angle) const { return degree ? angle * (k_mjcf_pi / 180) : angle; }

Mat3<double> mjcf_euler(const double* euler, const MjcfAngles& angles) {
  Quat<double> q = Quat<double>::identity();
  for (int k = 0; k < 3; ++k) {
    const char axis = angles.sequence[static_cast<std::size_t>(k)];
    const bool moving = axis >= 'a';
    const int which = moving ? axis - 'x' : axis - 'X';
    Vec3<double> u = Vec3<double>::zero();
    u[which] = angles.radian(euler[k]);
    const Quat<double> step = from_rotation_vector(u);
    q = moving ? q * step : step * q;
  }
  return rotation(q);
}

Mat3<double> mjcf_rotation(const MjcfFields& of, const MjcfAngles& angles, const MjcfValues& values) {
  const char* given = nullptr;
  for (const char* name : k_orientations) {
    if (!of.node.attribute(name)) continue;
    if (given) {
      values.refuse(of.node, "E_MJCF_ORIENTATION", std::string(given) + " and " + name, "one orientation",
                    "keep one of quat, axisangle, xyaxes, zaxis, euler");
      return Mat3<double>::identity();
    }
    given = name;
  }
  // An orientation of the element replaces that of its class, of whatever kind.
  for (const char* name : k_orientations)
    if (!given && of.record && of.record->find(name)) given = name;
  if (!given) return Mat3<double>::identity();
  const std::string_view kind = given;
  double x[6] = {};
  const int count = kind == "quat" || kind == "axisangle" ? 4 : kind == "xyaxes" ? 6 : 3;
  if (values.numbers(of, given, count, count, x) < 0) return Mat3<double>::identity();
  const Vec3<double> a{x[0], x[1], x[2]}, b{x[3], x[4], x[5]};
  const auto zero = [&](const char* what) {
    values.refuse(of.where(given), kind == "quat" ? "E_QUATERNION" : "E_AXIS",
                  std::string(given) + ' ' + detail::quoted(of.text(given)), what, "a zero vector has no direction");
    return Mat3<double>::identity();
  };
  if (kind == "quat") {
    const Quat<double> q{x[1], x[2], x[3], x[0]};
    return norm(q) < k_mjcf_tiny ? zero("a quaternion w x y z that is not zero") : rotation(normalized(q));
  }
  if (kind == "euler") return mjcf_euler(x, angles);
  if (norm(a) < k_mjcf_tiny) return zero("an axis that is not zero");
  if (kind == "axisangle") return rotation(turn_about(a, angles.radian(x[3])));
  if (kind == "zaxis") return from_z(a);
  const Vec3<double> ux = a * (1 / norm(a)), y = b - ux * dot(ux, b);
  if (norm(y) < k_mjcf_tiny) return zero("two axes that are not parallel");
  const Vec3<double> uy = y * (1 / norm(y));
  return from_columns(ux, uy, cross(ux, uy));
}

// ---- classes

namespace {

MjcfKind default_kind_of(std::string_view element) {
  if (element == "joint") return MjcfKind::joint;
  if (element == "geom") return MjcfKind::geom;
  if (element == "site") return MjcfKind::site;
  if (element == "mesh") return MjcfKind::mesh;
  if (element == "material") return MjcfKind::material;
  if (element == "equality") return MjcfKind::equality;
  if (element == "tendon") return MjcfKind::tendon;
  for (const char* name : {"general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper",
                           "cylinder", "muscle", "adhesion", "dcmotor"})
    if (element == name) return MjcfKind::actuator;
  return MjcfKind::none;
}

}  // namespace

MjcfDefaults::MjcfDefaults(const MjcfValues& values) : values_(values) {
  classes_.push_back({"main", {}});
  index_.emplace("main", 0);
}

int MjcfDefaults::find(const std::string& name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? -1 : it->second;
}

int MjcfDefaults::of(pugi::xml_node node, int inherited, const char* attribute) const {
  const pugi::xml_attribute own = node.attribute(attribute);
  if (!own) return inherited;
  const int found = find(own.value());
  if (found >= 0) return found;
  std::string hint = "classes are made by <default class=\"...\">";
  std::vector<std::string> known;
  for (std::size_t k = 0; k < std::min<std::size_t>(classes_.size(), 200); ++k) known.push_back(classes_[k].name);
  if (const std::string near = nearest_name(own.value(), known); !near.empty())
    hint = "did you mean " + detail::quoted(near) + '?';
  values_.refuse(node, "E_MJCF_CLASS", std::string(attribute) + ' ' + detail::quoted(own.value()),
                 "a default class of this file", hint);
  return inherited;
}

/// Keeps what THE table says is read: a record never holds more attributes than the table has.
void MjcfDefaults::merge(MjcfRecord& record, pugi::xml_node node) {
  const MjcfRule* rule = mjcf_rule("default", node.name());
  int orientations = 0;
  for (pugi::xml_attribute a = node.first_attribute(); a; a = a.next_attribute()) {
    const std::string_view name = a.name();
    const auto treatment = rule->treatment.find(name);
    if (treatment == rule->treatment.end() || treatment->second != Treatment::read) continue;
    if (mjcf_is_orientation(name) && ++orientations > 1) {
      values_.refuse(node, "E_MJCF_ORIENTATION", "two orientations", "one of quat, axisangle, xyaxes, zaxis, euler");
      return;
    }
    if (mjcf_is_orientation(name))
      std::erase_if(record.values, [](const MjcfRecord::Value& v) { return mjcf_is_orientation(v.name); });
    auto it = std::find_if(record.values.begin(), record.values.end(),
                           [&](const MjcfRecord::Value& v) { return v.name == name; });
    if (it == record.values.end()) {
      record.values.push_back({name, a.value(), node});
      continue;
    }
    const std::string_view old = it->text;
    it->text = a.value();
    it->node = node;
    if (!is_partial(name)) continue;
    std::string whole = joined(a.value(), old);
    if (whole == a.value()) continue;
    it->text = joined_.emplace_back(std::move(whole)).c_str();
    if (!values_.document().spend(node, static_cast<long>(joined_.back().size() / 64))) return;
  }
}

void MjcfDefaults::read(pugi::xml_node top) {
  const pugi::xml_attribute name = top.attribute("class");
  if (name && std::string_view(name.value()) != "main" && *name.value()) {
    values_.refuse(top, "E_MJCF_CLASS", "class " + detail::quoted(name.value()), "main",
                   "the top class cannot have another name; put a <default class=\"...\"> into it");
    return;
  }
  read(top, 0);
}

/// A class starts as a copy of its parent, once everything else of the parent has been read.
void MjcfDefaults::read(pugi::xml_node node, int c) {
  values_.document().each(node, [&](pugi::xml_node child) {
    const MjcfKind kind = default_kind_of(child.name());
    if (kind != MjcfKind::none)
      merge(classes_[static_cast<std::size_t>(c)].records[static_cast<std::size_t>(kind)], child);
  });
  values_.document().each(node, [&](pugi::xml_node child) {
    if (std::string_view(child.name()) != "default") return;
    const std::string name = child.attribute("class").value();
    if (name.empty() || index_.count(name)) {
      values_.refuse(child, "E_MJCF_CLASS",
                     name.empty() ? "a class without a name" : "class " + detail::quoted(name) + " again",
                     name.empty() ? "<default class=\"...\">" : "a new name");
      return;
    }
    constexpr std::size_t k_most = 2000;  // each is a copy of its parent
    if (classes_.size() >= k_most) {
      values_.refuse(child, "E_LIMIT_ELEMENTS", "more than " + std::to_string(k_most) + " default classes", "fewer");
      return;
    }
    const int own = static_cast<int>(classes_.size());
    MjcfClass copy = classes_[static_cast<std::size_t>(c)];
    copy.name = name;
    classes_.push_back(std::move(copy));
    index_.emplace(name, own);
    read(child, own);
  });
}

}  // namespace zwang::io
