// SPDX-License-Identifier: BSD-3-Clause
// to_json of constraint sets. A constraint is written as the struct it was added as, with what has changed since; bound
// again, that struct has to give the constraint as it is: what would be lost is refused.
#include <cmath>
#include <cstring>

#include "io/json_value.hpp"
#include "zwang/io/constraints.hpp"

namespace zwang {
namespace {

using io::Json;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw std::invalid_argument("to_json: constraint '" + name + "' " + what);
}

/// Bit by bit: signs of zeros count.
bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}
bool same(const Vec3<double>& a, const Vec3<double>& b) { return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z); }
bool same(const Mat3<double>& a, const Mat3<double>& b) {
  return same(a[0], b[0]) && same(a[1], b[1]) && same(a[2], b[2]);
}
bool same(const RowsOnBody& a, const RowsOnBody& b) {
  return a.body == b.body && same(a.point, b.point) && a.about_world_origin == b.about_world_origin &&
         a.axes == b.axes && a.axes_body == b.axes_body && same(a.axes_in_body, b.axes_in_body) &&
         same(a.matrix, b.matrix);
}

/// The keys of one constraint. What has its default is left out.
class Writer {
 public:
  Writer(const Constraint& c) : c_(c), out_({{"name", c.name.value()}, {"type", c.type.value()}}) {}

  template <class T> void key(const char* name, const T& value) { out_[name] = value; }
  void key(const char* name, double x) { out_[name] = number(name, x); }
  void key(const char* name, const std::vector<double>& x) { out_[name] = numbers(name, x); }
  void key(const char* name, const Vec3<double>& x) { out_[name] = numbers(name, {x.x, x.y, x.z}); }
  void rows(const RowSelection& s);
  void matrix(const char* name, const std::vector<double>& x, std::size_t width) { out_[name] = table(name, x, width); }
  void pose(const char* name, const Transform<double>& X);
  void common();
  const Json& out() const { return out_; }

 private:
  Json number(const std::string& key, double x) const {
    if (!std::isfinite(x)) refuse(c_.name, "has " + key + " = " + std::to_string(x) + ", which is no number of JSON");
    return x;
  }
  Json numbers(const std::string& key, const std::vector<double>& x) const {
    Json list = Json::array();
    for (const double a : x) list.push_back(number(key, a));
    return list;
  }
  Json table(const std::string& key, const std::vector<double>& x, std::size_t width) const {
    Json list = Json::array();
    for (std::size_t k = 0; k + width <= x.size(); k += width)
      list.push_back(numbers(key, {x.begin() + static_cast<long>(k), x.begin() + static_cast<long>(k + width)}));
    return list;
  }

  const Constraint& c_;
  Json out_;
};

/// Words where these say it, else a matrix; names and free axes where these are not what a matrix has.
void Writer::rows(const RowSelection& s) {
  std::string words;
  for (const std::string& name : s.names) words += name + ' ';
  try {
    const RowSelection by_words = zwang::rows(words);
    if (s.free_axes.empty() && same(by_words.matrix, s.matrix) && by_words.names == s.names) {
      out_["rows"] = s.names;
      return;
    }
  } catch (const std::invalid_argument&) {  // they have names of their own
  }
  const Json all = table("rows", s.matrix, 6);
  if (s.free_axes.empty() && zwang::rows(s.matrix).names == s.names) {
    out_["rows"] = all;
    return;
  }
  Json object = {{"names", s.names}, {"matrix", all}};
  if (!s.free_axes.empty()) object["free_axes"] = table("rows.free_axes", s.free_axes, 3);
  out_["rows"] = object;
}

void Writer::pose(const char* name, const Transform<double>& X) {
  Json R = Json::array();
  for (int i = 0; i < 3; ++i) R.push_back(numbers(name, {X.R[i][0], X.R[i][1], X.R[i][2]}));
  out_[name] = {{"position", numbers(name, {X.p.x, X.p.y, X.p.z})}, {"rotation", R}};
}

/// What every type has.
void Writer::common() {
  Holding x;
  for_each_option([](auto& to, const auto& from) { to = from; }, x, c_);
  if (!same(x.beta, std::vector<double>(x.beta.size(), 0.0))) key("beta", x.beta);
  if (x.role != Role::physical) key("role", name_of(x.role));
  if (!x.active) key("active", false);
  if (x.policy != Policy::hard) key("policy", name_of(x.policy));
  if (x.priority != 0) key("priority", x.priority);
  if (!x.compensate.all()) {
    Json list = Json::array();
    if (x.compensate.gravity) list.push_back("gravity");
    if (x.compensate.external) list.push_back("external");
    if (x.compensate.tau) list.push_back("tau");
    if (x.compensate.prescribed) list.push_back("prescribed");
    out_["compensate"] = list;
  }
  if (!x.compliance.empty()) key("compliance", x.compliance);
  if (!x.weight.empty()) key("weight", x.weight);
  if (!x.target.empty()) key("target", x.target);
  if (!x.target_velocity.empty()) key("target_velocity", x.target_velocity);
  const Stabilisation& s = x.stabilisation;
  if (!same(s.time_constant, 0) || !same(s.damping_ratio, 1))
    out_["baumgarte"] = {{"time_constant", number("time_constant", s.time_constant)},
                         {"damping_ratio", number("damping_ratio", s.damping_ratio)}};
}

/// `text` where it is not empty.
void text_key(Writer& w, const char* name, const std::string& text) {
  if (!text.empty()) w.key(name, text);
}
void vector_key(Writer& w, const char* name, const Vec3<double>& x, const Vec3<double>& otherwise) {
  if (!same(x, otherwise)) w.key(name, x);
}
template <class Type> Json frames_of(const Type& f) { return Json::array({f.frame, f.other}); }

void keys(Writer& w, const FrameConstraint& f) {
  w.key("frame", f.frame);
  w.rows(f.rows);
  w.key("in", f.in);
  if (f.has_target) w.pose("target_pose", f.target_pose);
}
void keys(Writer& w, const ContactConstraint& f) {
  w.key("frame", f.frame);
  vector_key(w, "point", f.point, ContactConstraint{}.point);
  w.key("normal", f.normal);
  vector_key(w, "tangent", f.tangent, ContactConstraint{}.tangent);
  w.key("rows", f.rows);
  if (f.has_target) w.key("target_point", f.target_point);
}
void keys(Writer& w, const LoopConstraint& f) {
  w.key("frames", frames_of(f));
  w.rows(f.rows);
}
void keys(Writer& w, const DistanceConstraint& f) {
  w.key("frames", frames_of(f));
  vector_key(w, "point", f.point, DistanceConstraint{}.point);
  vector_key(w, "other_point", f.other_point, DistanceConstraint{}.other_point);
  w.key("length", f.length);
}
void keys(Writer& w, const CouplingConstraint& f) {
  w.key("coordinates", f.coordinates);
  if (!f.ratio.empty()) w.key("ratio", f.ratio);
  if (!same(f.offset, 0)) w.key("offset", f.offset);
  if (!f.polynomial.empty()) w.key("polynomial", f.polynomial);
}
void keys(Writer& w, const RollingConstraint& f) {
  w.key("frame", f.frame);
  w.key("radius", f.radius);
  vector_key(w, "axis", f.axis, RollingConstraint{}.axis);
  text_key(w, "other", f.other);
  w.key("normal", f.normal);
  vector_key(w, "plane_point", f.plane_point, RollingConstraint{}.plane_point);
  vector_key(w, "tangent", f.tangent, RollingConstraint{}.tangent);
  w.key("rows", f.rows);
}
void keys(Writer& w, const CentreOfMassConstraint& f) {
  if (f.matrix.empty())
    w.rows(f.rows);
  else
    w.matrix("matrix", f.matrix, 3);
}
void keys(Writer& w, const CustomConstraint& f) {
  if (!f.coordinates.empty()) w.key("coordinates", f.coordinates);
  if (!f.row_names.empty()) w.key("row_names", f.row_names);
}

/// The struct that says what the constraint is now.
template <class Type> Type as_it_is(const Constraint& c, Type f) {
  for_each_option([](auto& to, const auto& from) { to = from; }, f, c);
  if constexpr (std::is_same_v<Type, FrameConstraint>) {
    f.acceleration = c.acceleration;
    if (c.relation == nullptr) f.rows.matrix = c.rows_on_body->matrix;
  }
  return f;
}

/// What the struct says is all that the constraint holds; `unilateral` apart, which has a key of its own.
void check_lost(const Constraint& c, const Constraint& again, bool any_acceleration) {
  if (c.name != again.name || c.type != again.type || c.frame != again.frame || c.other != again.other ||
      c.in != again.in || c.row_names != again.row_names)
    refuse(c.name, "has other names, frames or axes than it was added with");
  if (!any_acceleration && c.acceleration != again.acceleration)
    refuse(c.name, "has an acceleration that is not classical, which its type has no key for");
  if (c.relation == nullptr && !same(c.rows_on_body, again.rows_on_body))
    refuse(c.name, "holds other rows_on_body than it was added with");
}

/// Whether the constraint was added as this type; then its keys are in `out`.
template <class Type> bool write(const ConstraintSet& set, const Constraint& c, Json& out) {
  const Type* const added = set.added_as<Type>(c.name);
  if (added == nullptr) return false;
  const Type now = as_it_is(c, *added);
  Constraint again;
  try {
    again = bind(set.model(), now);
  } catch (const std::invalid_argument& error) {
    refuse(c.name, std::string("cannot be added as it is now: ") + error.what());
  }
  constexpr bool has_acceleration = std::is_same_v<Type, FrameConstraint> || std::is_same_v<Type, ContactConstraint>;
  check_lost(c, again, has_acceleration);
  if (c.relation != set.added_relation(c.name)) refuse(c.name, "has another relation than it was added with");
  Writer w(c);
  keys(w, now);
  if (has_acceleration && c.acceleration == AccelerationKind::spatial) w.key("acceleration", "spatial");
  if (c.unilateral != again.unilateral) w.key("warn_of_pull", c.unilateral.value());
  w.common();
  out = w.out();
  return true;
}

}  // namespace

std::string to_json(const ConstraintSet& set, CustomAs custom) {
  Json list = Json::array();
  for (const Constraint& c : set.constraints()) {
    Json one;
    if (custom == CustomAs::error && set.added_as<CustomConstraint>(c.name) != nullptr)
      throw UnsupportedError("to_json: constraint '" + c.name +
                             "' is custom: no text holds its function (CustomAs::by_name leaves it out)");
    // One line per type of constraint_types.hpp.
    write<FrameConstraint>(set, c, one) || write<ContactConstraint>(set, c, one) ||
        write<LoopConstraint>(set, c, one) || write<DistanceConstraint>(set, c, one) ||
        write<CouplingConstraint>(set, c, one) || write<RollingConstraint>(set, c, one) ||
        write<CentreOfMassConstraint>(set, c, one) || write<CustomConstraint>(set, c, one);
    list.push_back(std::move(one));
  }
  Json document = {{"constraints", std::move(list)}};
  for (const ConstraintGroup& group : set.groups()) {
    Json members = Json::array();
    for (const Index k : group.members) members.push_back(set.constraints()[static_cast<std::size_t>(k)].name);
    document["groups"][group.name] = std::move(members);
  }
  try {
    return document.dump(2) + '\n';
  } catch (const Json::exception& error) {
    throw std::invalid_argument(std::string("to_json: a name is not UTF-8: ") + error.what());
  }
}

}  // namespace zwang
