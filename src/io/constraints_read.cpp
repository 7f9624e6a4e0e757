// SPDX-License-Identifier: BSD-3-Clause
// Constraints and groups as JSON says them: problem files, and what to_json wrote.
#include <algorithm>

#include "io/constraint_keys.hpp"
#include "io/document_head.hpp"
#include "io/document_trees.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"

namespace zwang {
namespace {

constexpr std::initializer_list<const char*> k_later_keys = {"unilateral"};
/// A number for all rows, or one per row.
std::vector<double> per_row(const JsonNode& node) {
  if (node.is_number()) return {node.number()};
  if (!node.is_array()) node.expected("a number, or an array with one number per row");
  return node.numbers();
}

/// k rows of some numbers each.
std::vector<double> matrix_of(const JsonNode& node, std::size_t width) {
  std::vector<double> matrix;
  for (std::size_t k = 0; k < node.array().size(); ++k) {
    const std::vector<double> row = node[k].numbers(width);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return matrix;
}
std::vector<std::string> texts(const JsonNode& node) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < node.array().size(); ++k) out.push_back(node[k].text());
  return out;
}

std::string words_in(const JsonNode& node) {
  if (node.is_text()) return node.text();
  std::string words;
  for (const std::string& word : texts(node)) words += word + ' ';
  return words;
}
Vec3<double> vector3(const JsonNode& node) {
  const std::vector<double> x = node.numbers(3);
  return {x[0], x[1], x[2]};
}

/// `x`, `y`, `z`, or three numbers.
Vec3<double> axis_of(const JsonNode& node) {
  if (node.is_text()) {
    const std::string word = node.word({"x", "y", "z"});
    return {word == "x" ? 1.0 : 0.0, word == "y" ? 1.0 : 0.0, word == "z" ? 1.0 : 0.0};
  }
  return vector3(node);
}

/// Words, a matrix k x 6, a matrix with names, or those of a joint that closes a loop.
RowSelection rows_of(const JsonNode& node, bool of_joint) {
  if (node.is_text()) return rows(node.text());
  if (node.is_object() && node.has("matrix")) {
    node.object({"names", "matrix", "free_axes"});
    RowSelection selection = rows(matrix_of(node["matrix"], 6));
    if (node.has("names")) selection.names = texts(node["names"]);
    if (node.has("free_axes")) selection.free_axes = matrix_of(node["free_axes"], 3);
    return selection;
  }
  if (node.is_object()) {
    if (!of_joint) node.fail("rows of a joint close a loop: of a constraint of type 'loop'");
    node.object({"joint", "axis", "second_axis"});
    const Vec3<double> axis = node.has("axis") ? axis_of(node["axis"]) : Vec3<double>{0, 0, 1};
    const Vec3<double> second = node.has("second_axis") ? axis_of(node["second_axis"]) : Vec3<double>{0, 0, 0};
    return joint_rows(node["joint"].text(), axis, second);
  }
  if (node.array().size() == 0) node.fail("no row is named");
  if (node[std::size_t{0}].is_text()) {
    std::string words;
    for (std::size_t k = 0; k < node.size(); ++k) words += node[k].text() + ' ';
    return rows(words);
  }
  return rows(matrix_of(node, 6));
}

/// {"position": three numbers, "rotation": three rows of three}, each of them the world's where it is not there.
Transform<double> pose_of(const JsonNode& node) {
  node.object({"position", "rotation"});
  Transform<double> X = Transform<double>::identity();
  if (node.has("position")) X.p = vector3(node["position"]);
  if (!node.has("rotation")) return X;
  const JsonNode R = node["rotation"];
  if (R.array().size() != 3) R.expected("three rows of three numbers");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> row = R[i].numbers(3);
    for (int j = 0; j < 3; ++j) X.R[static_cast<int>(i)][j] = row[static_cast<std::size_t>(j)];
  }
  return X;
}

// What documents say for a member, by its type.
void read(const JsonNode& node, KeyForm form, std::string& x) {
  x = form == KeyForm::words ? words_in(node) : node.text();
}
void read(const JsonNode& node, KeyForm, bool& x) { x = node.boolean(); }
void read(const JsonNode& node, KeyForm, double& x) { x = node.number(); }
void read(const JsonNode& node, KeyForm, std::optional<double>& x) { x = node.number(); }
void read(const JsonNode& node, KeyForm, int& x) { x = node.integer(); }
void read(const JsonNode& node, KeyForm, std::vector<std::string>& x) { x = texts(node); }
void read(const JsonNode& node, KeyForm, Transform<double>& x) { x = pose_of(node); }
void read(const JsonNode& node, KeyForm form, RowSelection& x) { x = rows_of(node, form == KeyForm::joint_rows); }
void read(const JsonNode& node, KeyForm form, Vec3<double>& x) {
  x = form == KeyForm::axis ? axis_of(node) : vector3(node);
}
void read(const JsonNode& node, KeyForm form, std::vector<double>& x) {
  const bool each = form == KeyForm::per_row || form == KeyForm::positive;
  x = form == KeyForm::three_wide ? matrix_of(node, 3) : each ? per_row(node) : node.numbers();
}
template <Worded E> void read(const JsonNode& node, KeyForm, E& x) {
  constexpr auto words = words_of(Type<E>());
  const std::string word = node.word({words.begin(), words.end()});
  x = static_cast<E>(std::find(words.begin(), words.end(), word) - words.begin());
}
/// A word for all rows, or one per row.
template <Worded E> void read(const JsonNode& node, KeyForm form, std::vector<E>& x) {
  x.resize(node.is_array() ? node.size() : 1);
  for (std::size_t k = 0; k < x.size(); ++k) read(node.is_array() ? node[k] : node, form, x[k]);
}
/// The causes that are listed are compensated, the others are not.
void read(const JsonNode& node, KeyForm, Compensate& x) {
  std::vector<std::string> words;
  for (const auto& [word, member] : k_causes) words.emplace_back(word), x.*member = false;
  for (std::size_t k = 0; k < node.array().size(); ++k) {
    const std::string given = node[k].word(words);
    for (const auto& [word, member] : k_causes) {
      if (given != word) continue;
      if (x.*member) node[k].fail("'" + given + "' is given twice");
      x.*member = true;
    }
  }
}
void read(const JsonNode& node, KeyForm, Stabilisation& x);

/// The keys of a type.
template <class T> struct KeyNames {
  std::vector<const char*> own = {}, options = {};
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M T::*, const char*, ConstraintKey key = {}) {
    if (io::k_is_key<M> && key.form != KeyForm::hidden) (key.option ? options : own).push_back(name);
  }
  /// `name`, which every list begins with, stands in messages with what all types have.
  std::vector<const char*> all() {
    if (io::k_has_acceleration<T>) own.push_back("acceleration");
    std::rotate(own.begin(), own.begin() + 1, own.end());
    own.push_back("type");
    own.insert(own.end(), options.begin(), options.end());
    own.push_back("warn_of_pull");
    return own;
  }
};

/// Reads them into the struct.
template <class T> struct KeyReader {
  const JsonNode& node;
  T& to;
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M T::*member, const char*, ConstraintKey key = {}) {
    if (!io::k_is_key<M> || key.form == KeyForm::hidden || (!key.needed && !node.has(name))) return;
    if constexpr (requires { to.has_target; }) to.has_target |= key.form == KeyForm::target;
    if constexpr (requires { to.other; })
      if (key.form == KeyForm::frames) return read_frames(node[name]);
    if constexpr (io::k_is_key<M>) read(node[name], key.form, to.*member);
  }

 private:
  void read_frames(const JsonNode& both) {
    if (both.array().size() != 2) both.expected("the names of two frames");
    to.frame = both[std::size_t{0}].text();
    to.other = both[std::size_t{1}].text();
  }
};

void read(const JsonNode& node, KeyForm, Stabilisation& x) {
  KeyNames<Stabilisation> names;
  fields(names, Type<Stabilisation>());
  node.object(names.own);
  static_cast<void>(node["time_constant"]);  // without it there is no feedback
  KeyReader<Stabilisation> reader{node, x};
  fields(reader, Type<Stabilisation>());
}

/// The function of a custom constraint is not in the text.
void find_function(const JsonNode& node, const NamedCustomRows& custom, CustomConstraint& c) {
  const std::string own = node.has("name") ? node["name"].text() : "";
  for (const auto& [name, rows] : custom)
    if (name == own) c.rows = rows;
  if (c.rows == nullptr)
    node["type"].fail(
        "'custom' is written in code: add it to a ConstraintSet in C++ or Python (no function is given for '" +
        printable(own) + "')");
}

template <class T> Constraint& add(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  T c;
  if constexpr (std::is_same_v<T, CustomConstraint>) find_function(node, custom, c);
  KeyNames<T> names;
  fields(names, Type<T>());
  node.object(names.all(), k_later_keys);
  KeyReader<T> reader{node, c};
  fields(reader, Type<T>());
  AccelerationKind acceleration = AccelerationKind::classical;
  if (io::k_has_acceleration<T> && node.has("acceleration")) read(node["acceleration"], {}, acceleration);
  if constexpr (requires { c.acceleration; }) c.acceleration = acceleration;
  Constraint& added = constraints.add(c);
  if (acceleration != AccelerationKind::classical) added.acceleration = acceleration;
  return added;
}

Constraint& add_any(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  const JsonNode type = node["type"];
  const std::string custom_word = CustomConstraint::k_type;  // of code, not of files
  std::string word = type.is_text() ? type.text() : "";
  if (word != custom_word) {
    std::vector<std::string> words;
    ConstraintTypes::find([&](auto t) {
      using Type = typename decltype(t)::type;
      if (Type::k_type != custom_word) words.push_back(Type::k_type);
      return false;
    });
    word = type.word(words);
  }
  Constraint* added = nullptr;
  ConstraintTypes::find([&](auto t) {
    using Type = typename decltype(t)::type;
    if (word == Type::k_type) added = &add<Type>(constraints, node, custom);
    return added != nullptr;
  });
  return *added;
}

void add_constraint(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  if (!node.is_object()) node.expected("an object");
  try {
    Constraint& c = add_any(constraints, node, custom);
    if (node.has("warn_of_pull")) c.unilateral = node["warn_of_pull"].boolean();
  } catch (const JsonError&) {
    throw;
  } catch (const std::invalid_argument& error) {  // what the library says of frames, rows, sizes and names
    node.fail(error.what());
  }
}

}  // namespace

void read_constraints(const JsonNode& document, ConstraintSet& set, const NamedCustomRows& custom) {
  if (document.has("constraints")) {
    const JsonNode list = document["constraints"];
    for (std::size_t k = 0; k < list.array().size(); ++k) add_constraint(set, list[k], custom);
  }
  if (!document.has("groups")) return;
  const JsonNode groups = document["groups"];
  if (!groups.is_object()) groups.expected("an object from names of groups to names of constraints");
  for (const std::string& name : groups.keys()) {
    const JsonNode group = groups[name.c_str()];
    const std::vector<std::string> members = texts(group);
    try {
      set.add_group(name, members);
    } catch (const std::invalid_argument& error) { group.fail(error.what()); }
  }
}

ConstraintSet io::constraints_of(const Model& model, const JsonNode& root, const NamedCustomRows& custom) {
  io::check_head(root, "zwang.constraints", k_constraints_version, false);
  root.object({"format", "version", "constraints", "groups"});
  ConstraintSet set(model);
  read_constraints(root, set, custom);
  return set;
}

ConstraintSet constraints_from_json(const Model& model, const std::string& text, const NamedCustomRows& custom) {
  return io::constraints_of(model, JsonDocument::parse(text, "JSON").root(), custom);
}
ConstraintSet constraints_from_cbor(const Model& model, std::span<const std::uint8_t> bytes,
                                    const NamedCustomRows& custom) {
  return io::constraints_of(model, JsonDocument::parse_cbor(bytes, "CBOR").root(), custom);
}

}  // namespace zwang
