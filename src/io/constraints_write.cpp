// SPDX-License-Identifier: BSD-3-Clause
// to_json of constraint sets. A constraint is written as the struct it was added as, with what has changed since; bound
// again, that struct has to give the constraint as it is: what would be lost is refused.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/constraint_keys.hpp"
#include "io/document.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/model.hpp"

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
bool same(const std::string& a, const std::string& b) { return a == b; }
bool same(const std::vector<std::string>& a, const std::vector<std::string>& b) { return a == b; }
bool same(const RowsOnBody& a, const RowsOnBody& b) {
  return a.body == b.body && same(a.point, b.point) && a.about_world_origin == b.about_world_origin &&
         a.axes == b.axes && a.axes_body == b.axes_body && same(a.axes_in_body, b.axes_in_body) &&
         same(a.matrix, b.matrix);
}

/// The keys of one constraint. What has its default is left out.
class Writer {
 public:
  Writer(const Constraint& c) : c_(c), out_({{"name", c.name.value()}, {"type", c.type.value()}}) {}

  template <class X> void needed(const char* name, const X& x) { put(name, x); }
  template <class X> void always(const char* name, const X& x) { put(name, x); }
  template <class X> void maybe(const char* name, const X& x) {
    if (!same(x, X{})) put(name, x);
  }
  void maybe(const char* name, const Vec3<double>& x) {
    if (!same(x, Vec3<double>::zero())) put(name, x);
  }
  template <class X> void given(const char* name, bool has, const X& x) {
    if (has) put(name, x);
  }
  template <class Type> void frames(const Type& f) { out_["frames"] = Json::array({f.frame, f.other}); }
  void rows(const RowSelection& s, io::RowsKey how = {});
  void axis(const char* name, const Vec3<double>& x) { maybe(name, x); }
  void words(const char* name, const std::string& x) { put(name, x); }
  void matrix(const char* name, const std::vector<double>& x, std::size_t width) {
    if (!x.empty()) out_[name] = table(name, x, width);
  }
  void acceleration() {
    has_acceleration_ = true;
    if (c_.acceleration == AccelerationKind::spatial) put("acceleration", "spatial");
  }
  void common(bool again_unilateral);
  bool has_acceleration() const { return has_acceleration_; }
  const Json& out() const { return out_; }

 private:
  template <class X> void put(const char* name, const X& x) { out_[name] = x; }
  void put(const char* name, double x) { out_[name] = number(name, x); }
  void put(const char* name, const std::vector<double>& x) { out_[name] = numbers(name, x); }
  void put(const char* name, const Vec3<double>& x) { out_[name] = numbers(name, {x.x, x.y, x.z}); }
  void put(const char* name, const Transform<double>& X);
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
    for (std::size_t k = 0; k + width <= x.size(); k += width) {
      Json row = Json::array();
      for (std::size_t i = 0; i < width; ++i) row.push_back(number(key, x[k + i]));
      list.push_back(std::move(row));
    }
    return list;
  }

  const Constraint& c_;
  Json out_;
  bool has_acceleration_ = false;
};

/// Words where these say it, else a matrix; names and free axes where these are not what a matrix has.
void Writer::rows(const RowSelection& s, io::RowsKey how) {
  if (!how.written) return;
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

void Writer::put(const char* name, const Transform<double>& X) {
  Json R = Json::array();
  for (int i = 0; i < 3; ++i) R.push_back(numbers(name, {X.R[i][0], X.R[i][1], X.R[i][2]}));
  out_[name] = {{"position", numbers(name, {X.p.x, X.p.y, X.p.z})}, {"rotation", R}};
}

/// What every type has.
void Writer::common(bool again_unilateral) {
  if (c_.unilateral != again_unilateral) put("warn_of_pull", c_.unilateral.value());
  Holding x;
  for_each_option([](auto& to, const auto& from) { to = from; }, x, c_);
  if (std::any_of(x.beta.begin(), x.beta.end(), [](double b) { return !same(b, 0.0); })) put("beta", x.beta);
  if (x.role != Role::physical) put("role", name_of(x.role));
  if (!x.active) put("active", false);
  if (x.policy != Policy::hard) put("policy", name_of(x.policy));
  if (x.priority != 0) put("priority", x.priority);
  if (!x.compensate.all()) {
    Json list = Json::array();
    if (x.compensate.gravity) list.push_back("gravity");
    if (x.compensate.external) list.push_back("external");
    if (x.compensate.tau) list.push_back("tau");
    if (x.compensate.prescribed) list.push_back("prescribed");
    out_["compensate"] = list;
  }
  if (!x.compliance.empty()) put("compliance", x.compliance);
  if (!x.weight.empty()) put("weight", x.weight);
  if (!x.sense.empty()) {
    Json words = Json::array();
    for (const Sense word : x.sense) words.push_back(name_of(word));
    out_["sense"] = words;
  }
  if (!x.limit.empty()) put("limit", x.limit);
  if (!x.target.empty()) put("target", x.target);
  if (!x.target_velocity.empty()) put("target_velocity", x.target_velocity);
  const Stabilisation& s = x.stabilisation;
  if (!same(s.time_constant, 0) || !same(s.damping_ratio, 1))
    out_["baumgarte"] = {{"time_constant", number("time_constant", s.time_constant)},
                         {"damping_ratio", number("damping_ratio", s.damping_ratio)}};
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
void check_lost(const Constraint& c, const Constraint& again) {
  if (c.name != again.name || c.type != again.type || c.frame != again.frame || c.other != again.other ||
      c.in != again.in || c.row_names != again.row_names)
    refuse(c.name, "has other names, frames or axes than it was added with");
  if (c.relation == nullptr && !same(c.rows_on_body, again.rows_on_body))
    refuse(c.name, "holds other rows_on_body than it was added with");
}

/// Whether the constraint was added as this type; then its keys are in `out`.
template <class Type> bool write(const ConstraintSet& set, const Constraint& c, Json& out) {
  const Type* const added = set.added_as<Type>(c.name);
  if (added == nullptr) return false;
  Type now = as_it_is(c, *added);
  Constraint again;
  try {
    again = bind(set.model(), now);
  } catch (const std::invalid_argument& error) {
    refuse(c.name, std::string("cannot be added as it is now: ") + error.what());
  }
  check_lost(c, again);
  Writer w(c);
  io::keys(w, now);
  if (!w.has_acceleration() && c.acceleration != again.acceleration)
    refuse(c.name, "has an acceleration that is not classical, which its type has no key for");
  if (c.relation != set.added_relation(c.name)) refuse(c.name, "has another relation than it was added with");
  w.common(again.unilateral);
  out = w.out();
  return true;
}

Json document(const ConstraintSet& set, CustomAs custom) {
  Json list = Json::array();
  for (const Constraint& c : set.constraints()) {
    Json one;
    if (custom == CustomAs::error && set.added_as<CustomConstraint>(c.name) != nullptr)
      throw UnsupportedError("to_json: constraint '" + c.name +
                             "' is custom: no text holds its function (CustomAs::by_name leaves it out)");
    ConstraintTypes::find([&](auto type) { return write<typename decltype(type)::type>(set, c, one); });
    list.push_back(std::move(one));
  }
  Json out = {{"format", "zwang.constraints"}, {"version", k_constraints_version}, {"constraints", std::move(list)}};
  for (const ConstraintGroup& group : set.groups()) {
    Json members = Json::array();
    for (const Index k : group.members) members.push_back(set.constraints()[static_cast<std::size_t>(k)].name.value());
    out["groups"][group.name] = std::move(members);
  }
  return out;
}

}  // namespace

std::string to_json(const ConstraintSet& set, CustomAs custom) { return io::json_text(document(set, custom)); }
std::vector<std::uint8_t> to_cbor(const ConstraintSet& set, CustomAs custom) {
  return io::cbor_bytes(document(set, custom));
}
std::size_t to_json(const ConstraintSet& set, std::span<std::byte> out, CustomAs custom) {
  return io::json_into(document(set, custom), out);
}
std::size_t to_cbor(const ConstraintSet& set, std::span<std::byte> out, CustomAs custom) {
  return io::cbor_into(document(set, custom), out);
}

bool same_constraints(const ConstraintSet& a, const ConstraintSet& b) {
  if (!same_robot(a.model(), b.model()) || a.size() != b.size()) return false;
  for (const Constraint& c : a.constraints()) {
    const CustomConstraint* const own = a.added_as<CustomConstraint>(c.name);
    if (own == nullptr) continue;
    const auto there = [&](const Constraint& other) { return other.name == c.name; };
    if (std::none_of(b.constraints().begin(), b.constraints().end(), there)) return false;
    const CustomConstraint* const other = b.added_as<CustomConstraint>(c.name);
    if (other == nullptr || other->rows != own->rows) return false;
  }
  return to_cbor(a, CustomAs::by_name) == to_cbor(b, CustomAs::by_name);
}

std::uint64_t hash(const ConstraintSet& set) {
  std::uint64_t h = hash(set.model());
  for (const std::uint8_t byte : to_cbor(set, CustomAs::by_name)) h = (h ^ byte) * 0x100000001b3u;
  return h;
}

}  // namespace zwang
