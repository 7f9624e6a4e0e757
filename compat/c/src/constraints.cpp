// SPDX-License-Identifier: BSD-3-Clause
// Sets of constraints: documents, direct calls, options of rows by their words.
#include <algorithm>
#include <cmath>

#include "fields.hpp"
#include "solver_objects.hpp"
#include "zwang/io/json.hpp"

using namespace zwang;
using namespace zwang::c;

namespace {

void give(zwang_constraints** set, ConstraintSet constraints) {
  *set =
      static_cast<zwang_constraints*>(publish(Kind::constraints, std::make_unique<SetObject>(std::move(constraints))));
}

/// f(set), which may change it, alone.
template <class F> int change(const char* function, zwang_constraints* set, F&& f) {
  return call(function, [&] {
    const Pin<SetObject> own(set, "constraints");
    const Passage alone(*own->gate, true, "constraints");
    f(own->set);
    own->gate->rows = own->set.rows();
  });
}
template <class F> int look(const char* function, const zwang_constraints* set, F&& f) {
  return call(function, [&] {
    const Pin<SetObject> own(set, "constraints");
    const Passage beside(*own->gate, false, "constraints");
    f(std::as_const(own->set));
  });
}

Vec3<double> vec3_or(const double* numbers, const Vec3<double>& otherwise) {
  return numbers == nullptr ? otherwise : Vec3<double>{numbers[0], numbers[1], numbers[2]};
}

/// f(member) for the option of that word.
template <class F> void with_option(const char* word, F&& f) {
  needed_text(word, "option");
  bool found = false;
  std::vector<std::string> words;
  for_each_option(
      [&](const RowOption& o, auto member) {
        if (std::string_view(o.name) == word) {
          found = true;
          f(member);
        }
      },
      Type<Constraint>());
  if (found) return;
  for_each_option([&](const RowOption& o, auto) { words.emplace_back(o.name); }, Type<Constraint>());
  const std::string nearest = nearest_name(word, words);
  throw Refusal(ZWANG_INVALID_INPUT, "option",
                "is '" + printable(word) + "', which is no option of rows" +
                    (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

double one_of(const double* numbers, std::size_t size) {
  needed_size(numbers, size, 1, "numbers");
  return *numbers;
}

// An option as numbers, by its type.
void set_option(Tracked<std::vector<double>>& x, const double* n, std::size_t size) {
  x.change([&](std::vector<double>& v) { v.assign(n, n + size); });
}
void set_option(Tracked<bool>& x, const double* n, std::size_t size) {
  x = needed_index(whole<int>(one_of(n, size), "numbers"), 2, "numbers") == 1;
}
void set_option(Tracked<int>& x, const double* n, std::size_t size) { x = whole<int>(one_of(n, size), "numbers"); }
template <Worded E> void set_option(Tracked<E>& x, const double* n, std::size_t size) {
  x = value_of_number<E>(one_of(n, size), "numbers");
}
void set_option(Tracked<std::vector<Sense>>& x, const double* n, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) value_of_number<Sense>(n[k], "numbers");
  x.change([&](std::vector<Sense>& v) {
    v.resize(size);
    for (std::size_t k = 0; k < size; ++k) v[k] = value_of_number<Sense>(n[k], "numbers");
  });
}
void set_option(Tracked<Compensate>& x, const double* n, std::size_t size) {
  needed_size(n, size, std::size(k_causes), "numbers");
  Compensate all;
  for (const Cause& cause : k_causes) all.*cause.member = needed_index(whole<int>(*n++, "numbers"), 2, "numbers") == 1;
  x = all;
}
void set_option(Tracked<Stabilisation>& x, const double* n, std::size_t size) {
  needed_size(n, size, 2, "numbers");
  x = Stabilisation{n[0], n[1]};
}

std::vector<double> option_of(const std::vector<double>& x) { return x; }
template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) std::vector<double> option_of(const T& x) {
  return {static_cast<double>(x)};
}
std::vector<double> option_of(const std::vector<Sense>& x) {
  std::vector<double> all;
  for (const Sense s : x) all.push_back(static_cast<double>(s));
  return all;
}
std::vector<double> option_of(const Compensate& x) {
  std::vector<double> all;
  for (const Cause& cause : k_causes) all.push_back(x.*cause.member ? 1 : 0);
  return all;
}
std::vector<double> option_of(const Stabilisation& x) { return {x.time_constant, x.damping_ratio}; }
template <class T> std::vector<double> option_of_tracked(const Tracked<T>& x) { return option_of(static_cast<T>(x)); }

}  // namespace

int zwang_constraints_create(const zwang_model* model, zwang_constraints** set) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    needed(set, "constraints");
    give(set, ConstraintSet(own->robot.model));
  });
}
int zwang_constraints_of_model(const zwang_model* model, zwang_constraints** set) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    needed(set, "constraints");
    give(set, ConstraintSet(own->robot.constraints));
  });
}
int zwang_constraints_read(const zwang_model* model, const char* text, size_t size, zwang_constraints** set) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    needed(set, "constraints");
    give(set, constraints_from_json(own->robot.model, needed_text(text, size)));
  });
}
int zwang_constraints_free(zwang_constraints* set) {
  return call(__func__, [&] { end(set, Kind::constraints, "constraints"); });
}

int zwang_constraints_add(zwang_constraints* set, const char* text, size_t size) {
  return change(__func__, set, [&](ConstraintSet& own) {
    const JsonDocument document = JsonDocument::parse(needed_text(text, size), "text");
    const JsonNode root = document.root();
    root.object({"format", "version", "constraints", "groups"});
    ConstraintSet all(own);  // all of the document or nothing of it
    read_constraints(root, all);
    own = all;
  });
}
int zwang_constraints_add_frame(zwang_constraints* set, const char* name, const char* frame, const char* rows,
                                const char* in) {
  return change(__func__, set, [&](ConstraintSet& own) {
    FrameConstraint c;
    c.name = needed_text(name, "name");
    c.frame = needed_text(frame, "frame");
    if (rows != nullptr) c.rows = zwang::rows(rows);
    if (in != nullptr) c.in = in;
    own.add(c);
  });
}
int zwang_constraints_add_loop(zwang_constraints* set, const char* name, const char* frame, const char* other,
                               const char* rows) {
  return change(__func__, set, [&](ConstraintSet& own) {
    LoopConstraint c;
    c.name = needed_text(name, "name");
    c.frame = needed_text(frame, "frame");
    c.other = needed_text(other, "other");
    if (rows != nullptr) c.rows = zwang::rows(rows);
    own.add(c);
  });
}
int zwang_constraints_add_contact(zwang_constraints* set, const char* name, const char* frame, const double* point,
                                  const double* normal, int rows) {
  return change(__func__, set, [&](ConstraintSet& own) {
    ContactConstraint c;
    c.name = needed_text(name, "name");
    c.frame = needed_text(frame, "frame");
    c.point = vec3_or(point, c.point);
    c.normal = vec3_or(normal, c.normal);
    c.rows = rows;
    own.add(c);
  });
}
int zwang_constraints_add_loops(zwang_constraints* set, double time_constant, double damping_ratio, int* added) {
  return change(__func__, set, [&](ConstraintSet& own) {
    const Index n = own.add_loops({time_constant, damping_ratio});
    if (added != nullptr) *added = n;
  });
}
int zwang_constraints_add_joint_limits(zwang_constraints* set, double time_constant, double damping_ratio, int* added) {
  return change(__func__, set, [&](ConstraintSet& own) {
    const Index n = own.add_joint_limits({time_constant, damping_ratio});
    if (added != nullptr) *added = n;
  });
}
int zwang_constraints_add_group(zwang_constraints* set, const char* name, const char* const* members, size_t count) {
  return change(__func__, set, [&](ConstraintSet& own) {
    std::vector<std::string> list;
    for (std::size_t k = 0; k < count; ++k) list.emplace_back(needed_text((&needed(members, "members"))[k], "members"));
    own.add_group(needed_text(name, "name"), list);
  });
}

int zwang_constraints_count(const zwang_constraints* set, int* constraints, int* rows) {
  return look(__func__, set, [&](const ConstraintSet& own) {
    if (constraints != nullptr) *constraints = own.size();
    if (rows != nullptr) *rows = own.rows();
  });
}
int zwang_constraints_describe(const zwang_constraints* set, int k, zwang_constraint_info* info) {
  return look(__func__, set, [&](const ConstraintSet& own) {
    zwang_constraint_info& to = needed(info, "info");
    needed_index(k, own.size(), "k");
    Index first = 0;
    for (int i = 0; i < k; ++i) first += own.constraints()[static_cast<std::size_t>(i)].size();
    const Constraint& c = own.constraints()[static_cast<std::size_t>(k)];
    to = {c.name.c_str(), c.type.c_str(), first, c.size(), c.active ? 1 : 0};
  });
}
int zwang_constraints_find(const zwang_constraints* set, const char* name, int* k) {
  return look(__func__, set, [&](const ConstraintSet& own) {
    needed(k, "k");
    const Constraint& c = own[needed_text(name, "name")];
    *k = static_cast<int>(&c - own.constraints().data());
  });
}
int zwang_constraints_row_name(const zwang_constraints* set, int row, char* out, size_t capacity, size_t* length) {
  return look(__func__, set, [&](const ConstraintSet& own) {
    needed_index(row, own.rows(), "row");
    for (const Constraint& c : own.constraints()) {
      if (row < c.size()) return put_text(c.row_names.value()[static_cast<std::size_t>(row)], out, capacity, length);
      row -= c.size();
    }
  });
}

int zwang_constraints_set_active(zwang_constraints* set, const char* name, int active) {
  return change(__func__, set, [&](ConstraintSet& own) {
    own.set_active(needed_text(name, "name"), needed_index(active, 2, "active") == 1);
  });
}
int zwang_constraints_set_numbers(zwang_constraints* set, const char* name, const char* option, const double* numbers,
                                  size_t size) {
  return change(__func__, set, [&](ConstraintSet& own) {
    Constraint& c = own[needed_text(name, "name")];
    needed_size(numbers, size, size, "numbers");
    for (std::size_t k = 0; k < size; ++k)
      if (!std::isfinite(numbers[k]))
        throw Refusal(ZWANG_NON_FINITE_INPUT, "numbers", "is not finite in entry " + std::to_string(k));
    with_option(option, [&](auto member) { set_option(c.*member, numbers, size); });
  });
}
int zwang_constraints_get_numbers(const zwang_constraints* set, const char* name, const char* option, double* out,
                                  size_t capacity, size_t* size) {
  return look(__func__, set, [&](const ConstraintSet& own) {
    const Constraint& c = own[needed_text(name, "name")];
    with_option(option, [&](auto member) {
      const std::vector<double> all = option_of_tracked(c.*member);
      if (size != nullptr) *size = all.size();
      if (out == nullptr && capacity != 0) throw Refusal(ZWANG_INVALID_INPUT, "out", "is NULL");
      std::copy_n(all.begin(), std::min(all.size(), capacity), out);
    });
  });
}
int zwang_constraints_set_word(zwang_constraints* set, const char* name, const char* option, const char* word) {
  return change(__func__, set, [&](ConstraintSet& own) {
    Constraint& c = own[needed_text(name, "name")];
    needed_text(word, "word");
    with_option(option, [&]<class T>(Tracked<T> Constraint::*member) {
      if constexpr (Worded<T>)
        c.*member = value_of_word<T>(word, "word");
      else if constexpr (std::is_same_v<T, std::vector<Sense>>)
        (c.*member).change([&](std::vector<Sense>& v) { v.assign(1, value_of_word<Sense>(word, "word")); });
      else
        throw Refusal(ZWANG_INVALID_INPUT, "option", std::string("is '") + option + "', which has numbers");
    });
  });
}
int zwang_constraints_document(const zwang_constraints* set, char* out, size_t capacity, size_t* length) {
  return look(__func__, set, [&](const ConstraintSet& own) { put_text(to_json(own), out, capacity, length); });
}
