// SPDX-License-Identifier: BSD-3-Clause
// to_json of constraint sets. A constraint is written as the struct it was added as, with what has changed since; bound
// again, that struct has to give the constraint as it is: what would be lost is refused.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/constraint_keys.hpp"
#include "io/document.hpp"
#include "io/document_trees.hpp"
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
bool same(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
bool same(const Stabilisation& a, const Stabilisation& b) {
  return same(a.time_constant, b.time_constant) && same(a.damping_ratio, b.damping_ratio);
}
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}
bool same(const Vec3<double>& a, const Vec3<double>& b) { return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z); }
bool same(const Mat3<double>& a, const Mat3<double>& b) {
  return same(a[0], b[0]) && same(a[1], b[1]) && same(a[2], b[2]);
}
template <class X> bool same(const X& a, const X& b) { return a == b; }
bool same(const RowsOnBody& a, const RowsOnBody& b) {
  return a.body == b.body && same(a.point, b.point) && a.about_world_origin == b.about_world_origin &&
         a.axes == b.axes && a.axes_body == b.axes_body && same(a.axes_in_body, b.axes_in_body) &&
         same(a.matrix, b.matrix);
}

/// What documents say for a member, by its type.
class Values {
 public:
  explicit Values(const std::string& constraint) : constraint_(constraint) {}
  Json json(const std::string&, bool x, KeyForm) const { return x; }
  Json json(const std::string&, int x, KeyForm) const { return x; }
  Json json(const std::string& key, double x, KeyForm = {}) const {
    if (!std::isfinite(x))
      refuse(constraint_, "has " + key + " = " + std::to_string(x) + ", which is no number of JSON");
    return x;
  }
  Json json(const std::string& key, const std::optional<double>& x, KeyForm) const { return json(key, x.value_or(0)); }
  Json json(const std::string&, const std::string& x, KeyForm) const { return x; }
  Json json(const std::string&, const std::vector<std::string>& x, KeyForm) const { return x; }
  Json json(const std::string& key, const std::vector<double>& x, KeyForm form) const {
    return form == KeyForm::three_wide ? table(key, x, 3) : numbers(key, x.data(), x.size());
  }
  Json json(const std::string& key, const Vec3<double>& x, KeyForm) const { return numbers(key, &x.x, 3); }
  Json json(const std::string& key, const Transform<double>& X, KeyForm) const {
    Json R = Json::array();
    for (int i = 0; i < 3; ++i) R.push_back(numbers(key, &X.R[i][0], 3));
    return {{"position", numbers(key, &X.p.x, 3)}, {"rotation", std::move(R)}};
  }
  Json json(const std::string& key, const RowSelection& x, KeyForm) const;
  template <Worded E> Json json(const std::string&, E x, KeyForm) const { return name_of(x); }
  template <Worded E> Json json(const std::string&, const std::vector<E>& x, KeyForm) const {
    Json words = Json::array();
    for (const E word : x) words.push_back(name_of(word));
    return words;
  }
  Json json(const std::string&, const Compensate& x, KeyForm) const {
    Json words = Json::array();
    for (const auto& [word, member] : k_causes)
      if (x.*member) words.push_back(word);
    return words;
  }
  struct StabilisationWriter {
    const Values& values;
    const Stabilisation& x;
    Json keys = Json::object();
    void record(const char*, const char*) {}
    void operator()(const char* name, double Stabilisation::*member, const char*) {
      keys.add(name, values.json(name, x.*member));
    }
  };
  Json json(const std::string&, const Stabilisation& x, KeyForm) const {
    StabilisationWriter all{*this, x};
    fields(all, Type<Stabilisation>());
    return std::move(all.keys);
  }

 private:
  Json numbers(const std::string& key, const double* x, std::size_t count) const {
    Json list = Json::array();
    for (std::size_t k = 0; k < count; ++k) list.push_back(json(key, x[k]));
    return list;
  }
  Json table(const std::string& key, const std::vector<double>& x, std::size_t width) const {
    Json list = Json::array();
    for (std::size_t k = 0; k + width <= x.size(); k += width) list.push_back(numbers(key, &x[k], width));
    return list;
  }
  const std::string& constraint_;
};

/// Words where these say it, else a matrix; names and free axes where these are not what a matrix has.
Json Values::json(const std::string& key, const RowSelection& s, KeyForm) const {
  std::string words;
  for (const std::string& name : s.names) words += name + ' ';
  try {
    const RowSelection by_words = zwang::rows(words);
    if (s.free_axes.empty() && same(by_words.matrix, s.matrix) && by_words.names == s.names) return s.names;
  } catch (const std::invalid_argument&) {  // they have names of their own
  }
  Json all = table(key, s.matrix, 6);
  if (s.free_axes.empty() && zwang::rows(s.matrix).names == s.names) return all;
  Json object = {{"names", s.names}, {"matrix", std::move(all)}};
  if (!s.free_axes.empty()) object["free_axes"] = table(key + ".free_axes", s.free_axes, 3);
  return object;
}

/// The keys of a constraint whose present state is `x`. Own fields are left out where they are zero or empty, options
/// where they have their default.
template <class T> class Writer {
 public:
  explicit Writer(const T& x) : x_(x), values_(x.name), own_({{"name", x.name}, {"type", T::k_type}}) {}
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M T::*member, const char*, ConstraintKey key = {}) {
    if constexpr (io::k_is_key<M>) {
      const M& x = x_.*member;
      if (key.form == KeyForm::hidden || (!key.needed && is_left_out(x, member, key))) return;
      Json& to = (key.option ? options_ : own_)[name];
      if constexpr (requires { x_.other; })
        if (key.form == KeyForm::frames) return static_cast<void>(to = Json::array({x_.frame, x_.other}));
      to = values_.json(name, x, key.form);
    }
  }
  /// Own keys, those of the bound constraint alone, options.
  Json take(const Constraint& c, bool again_unilateral) {
    if (io::k_has_acceleration<T> && c.acceleration == AccelerationKind::spatial) own_.add("acceleration", "spatial");
    if (c.unilateral != again_unilateral) own_.add("warn_of_pull", c.unilateral.value());
    own_.append(std::move(options_));
    return std::move(own_);
  }

 private:
  template <class M> bool is_left_out(const M& x, M T::*member, const ConstraintKey& key) const {
    if constexpr (requires { x_.has_target; })
      if (key.form == KeyForm::target) return !x_.has_target;
    if constexpr (std::is_same_v<M, RowSelection>) {
      if constexpr (requires { x_.matrix; }) return !x_.matrix.empty();
      return false;
    } else if constexpr (std::is_same_v<M, Vec3<double>>) {
      return same(x, Vec3<double>::zero());
    } else if constexpr (std::is_same_v<M, Transform<double>>) {
      return false;
    } else {
      if constexpr (std::is_same_v<M, std::vector<double>>)
        if (key.form == KeyForm::or_zeros) return same(x, M(x.size()));
      return same(x, key.option ? T{}.*member : M{});
    }
  }

  const T& x_;
  Values values_;
  Json own_, options_ = Json::object();
};

/// The struct that says what the constraint is now.
template <class T> T as_it_is(const Constraint& c, T f) {
  copy_options(f, c);
  if constexpr (requires { f.friction; }) f.friction = c.friction;
  if constexpr (std::is_same_v<T, FrameConstraint>) {
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
  if (c.relation == nullptr && !same(c.rows_on_body.value(), again.rows_on_body.value()))
    refuse(c.name, "holds other rows_on_body than it was added with");
}

/// Whether the constraint was added as this type; then its keys are in `out`.
template <class T> bool write(const ConstraintSet& set, const Constraint& c, Json& out) {
  const T* const added = set.added_as<T>(c.name);
  if (added == nullptr) return false;
  const T now = as_it_is(c, *added);
  Constraint again;
  try {
    again = bind(set.model(), now);
  } catch (const std::invalid_argument& error) {
    refuse(c.name, std::string("cannot be added as it is now: ") + error.what());
  }
  check_lost(c, again);
  Writer<T> w(now);
  fields(w, Type<T>());
  if (!io::k_has_acceleration<T> && c.acceleration != again.acceleration)
    refuse(c.name, "has an acceleration that is not classical, which its type has no key for");
  if (c.relation != set.added_relation(c.name)) refuse(c.name, "has another relation than it was added with");
  out = w.take(c, again.unilateral);
  return true;
}

}  // namespace

io::Json io::tree_of(const ConstraintSet& set, CustomAs custom) {
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

std::string to_json(const ConstraintSet& set, CustomAs custom) { return io::json_text(io::tree_of(set, custom)); }
std::vector<std::uint8_t> to_cbor(const ConstraintSet& set, CustomAs custom) {
  return io::cbor_bytes(io::tree_of(set, custom));
}
std::size_t to_json(const ConstraintSet& set, std::span<std::byte> out, CustomAs custom) {
  return io::json_into(io::tree_of(set, custom), out);
}
std::size_t to_cbor(const ConstraintSet& set, std::span<std::byte> out, CustomAs custom) {
  return io::cbor_into(io::tree_of(set, custom), out);
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
