// SPDX-License-Identifier: BSD-3-Clause
// Results of a solver, of one state or of N, as arrays: what Solution and Impulse have in common.
//
// Such a result lists its arrays once, in list_arrays(): name, member, shape for one state, where the numbers come
// from, and what they are. From this list follow the arrays of a new result, how one state is put into them, copies,
// pickle by name, attributes, and the attributes of a constraint's part. What is no template is in solution.cpp.
#pragma once
#include <limits>
#include <variant>

#include "arrays.hpp"
#include "fields.hpp"
#include "record.hpp"
#include "slots.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::python {

using ReportObject = WithNames<SolveReport>;

void check_record(const SolveReport& r, const Pickled& read);

/// Indices of the rows of each constraint, and how they are held; valid while is_of() says so.
struct RowLayout {
  RowLayout() = default;
  explicit RowLayout(const ConstraintSet& set);
  /// How a constraint was held. It may change from one solve to the next.
  struct Held {
    Held() = default;
    explicit Held(const Constraint& c) : role(c.role), policy(c.policy), priority(c.priority), active(c.active) {}
    bool operator==(const Held&) const = default;
    Role role = Role::physical;
    Policy policy = Policy::hard;
    int priority = 0;
    bool active = true;
  };
  struct Part {
    std::string name, frame, in, type, other;
    Held held;
    std::vector<std::string> row_names;
    Index first = 0;
  };
  struct Group {
    std::string name;
    std::vector<std::string> members;
  };
  bool is_of(const ConstraintSet& set) const;
  /// Of what was read from a pickle; counts the rows.
  void check(const Pickled& read);
  std::vector<Part> parts;
  std::vector<Group> groups;
  std::vector<std::string> joints;  ///< those that transmit a wrench: not merged into a body
  Index rows = 0;
  unsigned version = 0;
};
template <class V> void fields(V& v, Type<RowLayout::Held>) {
  using T = RowLayout::Held;
  v("role", &T::role, ""), v("policy", &T::policy, ""), v("priority", &T::priority, ""), v("active", &T::active, "");
}
template <class V> void fields(V& v, Type<RowLayout::Part>) {
  using T = RowLayout::Part;
  v("name", &T::name, ""), v("frame", &T::frame, ""), v("in", &T::in, ""), v("type", &T::type, "");
  v("other", &T::other, ""), v("held", &T::held, ""), v("row_names", &T::row_names, "");
}
template <class V> void fields(V& v, Type<RowLayout::Group>) {
  using T = RowLayout::Group;
  v("name", &T::name, ""), v("members", &T::members, "");
}
template <class V> void fields(V& v, Type<RowLayout>) {
  using T = RowLayout;
  v("parts", &T::parts, ""), v("groups", &T::groups, ""), v("joints", &T::joints, "");
}

/// The shape of an array for one state: a number, a vector, or a row of `columns` numbers for each.
struct ArrayShape {
  enum Of { one, nv, rows, constraints, groups, joints };
  ArrayShape(Of what, Index size = 0) : of(what), columns(size) {}  // NOLINT: a word is a shape
  Of of;
  Index columns;
  /// The extents for a layout, at most two.
  std::pair<std::array<Index, 2>, std::size_t> extents(const RowLayout& layout, Index coordinates) const;
};

struct RowsResult {
  std::shared_ptr<const RowLayout> layout;
  Index states = -1;                  ///< -1: one state
  nb::object status;                  ///< of N states: uint8 (N,)
  std::vector<ReportObject> reports;  ///< of one state, or of each
  nb::object status_shown() const { return states < 0 ? nb::cast(reports.front().record.status) : as_statuses(status); }
};

/// An array of a result R.
template <class R> struct RowArray {
  using X = typename R::Source;
  using C = typename R::SourceOfConstraint;
  /// Where its numbers come from: a member of the library's result, or of what that says of a constraint or of a group.
  /// Nothing: they are put by hand.
  using From = std::variant<std::monostate, VectorView X::*, double X::*, VectorView C::*, double C::*,
                            Force<double> GroupSolution::*, double GroupSolution::*>;
  const char* name;
  nb::object R::*array;
  ArrayShape shape;
  From from;
  const char *says, *says_part;  ///< as an attribute, as one of a constraint's part; null: none
  bool late = false;             ///< of N states: computed when it is read
};
template <class R> struct RowArrayList {
  void operator()(const char* name, nb::object R::*array, ArrayShape shape, typename RowArray<R>::From from,
                  const char* says = nullptr, const char* says_part = nullptr) {
    all.push_back({name, array, shape, from, says, says_part});
  }
  void late(const char* name, nb::object R::*array, ArrayShape shape, typename RowArray<R>::From from,
            const char* says = nullptr, const char* says_part = nullptr) {
    all.push_back({name, array, shape, from, says, says_part, true});
  }
  std::vector<RowArray<R>> all = {};
};
template <class R> const std::vector<RowArray<R>>& arrays_of() {
  static const std::vector<RowArray<R>> k_all = [] {
    RowArrayList<R> v;
    list_arrays(v);
    return v.all;
  }();
  return k_all;
}

/// Reads an array as it is, or as a float where it is one number of one state.
nb::object number_or_array(Index states, nb::object array);

/// Arrays of a result that are written.
template <class R> class RowArrays {
 public:
  /// Gives `to`, whose layout is known, fresh arrays, or keeps its own with `reuse`.
  RowArrays(const char* function, R& to, bool reuse, Index nv, Index states) : layout_(*to.layout) {
    for (const RowArray<R>& one : arrays_of<R>()) {
      nb::object& array = to.*one.array;
      const auto [extent, dimensions] = one.shape.extents(layout_, nv);
      array = arrays_
                  .emplace(function, "out", reuse && array.is_valid() ? nb::handle(array) : nb::handle(nb::none()),
                           states, std::span(extent.data(), dimensions))
                  .array;
    }
  }
  const Output& operator[](nb::object R::*array) const {
    std::size_t k = 0;
    while (arrays_of<R>()[k].array != array) ++k;
    return arrays_.begin()[k];
  }
  /// Also allowed without the GIL.
  void put(Index state, const typename R::Source& x) const {
    using X = typename RowArray<R>::X;
    using C = typename RowArray<R>::C;
    for_each([&](const RowArray<R>& one, const Output& out) {
      if (const auto* vector = std::get_if<VectorView X::*>(&one.from)) out.put(state, (x.**vector).data());
      if (const auto* number = std::get_if<double X::*>(&one.from)) out.put(state, x.**number);
    });
    Index at = 0;
    for (const RowLayout::Part& part : layout_.parts) {
      const auto of = x[part.name];
      for_each([&](const RowArray<R>& one, const Output& out) {
        if (const auto* vector = std::get_if<VectorView C::*>(&one.from))
          for (Index i = 0; i < 6; ++i) *out.entry(state, at, i) = (of.**vector)[i];
        if (const auto* number = std::get_if<double C::*>(&one.from)) *out.entry(state, at, 0) = of.**number;
      });
      ++at;
    }
    if constexpr (requires { x.group(std::string()); }) {
      at = 0;
      for (const RowLayout::Group& group : layout_.groups) {
        const GroupSolution of = x.group(group.name);
        for_each([&](const RowArray<R>& one, const Output& out) {
          if (const auto* wrench = std::get_if<Force<double> GroupSolution::*>(&one.from))
            for (int i = 0; i < 6; ++i) *out.entry(state, at, i) = (of.**wrench)[i];
          if (const auto* number = std::get_if<double GroupSolution::*>(&one.from))
            *out.entry(state, at, 0) = of.**number;
        });
        ++at;
      }
    }
  }
  void fill(Index state, double x) const {
    for (const Output& out : arrays_) out.fill(state, x);
  }
  void refuse_overlap(const char* function, const Input& input) const {
    for (const Output& out : arrays_) out.refuse_overlap(function, input.memory(), input.name());
  }

 private:
  template <class F> void for_each(F&& f) const {
    const RowArray<R>* one = arrays_of<R>().data();
    for (const Output& out : arrays_) f(*one++, out);
  }
  const RowLayout& layout_;
  Slots<Output, 14> arrays_;  // no result has more; emplace() throws where one does
};

/// An array of a result, which may have to be computed first.
template <class R> const nb::object& array_in(R& s, const RowArray<R>& one) {
  if constexpr (requires { s.complete(); })
    if (one.late) s.complete();
  return s.*one.array;
}

/// Attributes of the class of a result; before(name) may define others at their place.
template <class R, class Before> void array_attributes(ClassOf<R>& c, Before&& before) {
  for (const RowArray<R>& one : arrays_of<R>()) {
    if (one.says == nullptr) continue;
    before(std::string_view(one.name));
    const bool number = one.shape.of == ArrayShape::one;
    c.def_prop_ro(
        one.name,
        [&one, number](R& s) { return number ? number_or_array(s.states, array_in(s, one)) : array_in(s, one); },
        nb::sig(kept_text(std::string("def ") + one.name + "(self) -> " + (number ? "float" : "Array"))), one.says);
  }
}

/// The part of a result that belongs to one constraint.
template <class R> struct PartOf {
  nb::object whole;  ///< keeps the arrays alive
  std::size_t index = 0;
  R& result() const { return *nb::inst_ptr<R>(whole); }
  const RowLayout::Part& layout() const { return result().layout->parts[index]; }
  void check(const Pickled& read) const {
    if (index >= object_in<R>(read, whole).layout->parts.size()) read.refuse("its result has no such part");
  }
  nb::object of(const RowArray<R>& one) const;
};
template <class V, class R> void fields(V& v, Type<PartOf<R>>) {
  v("whole", &PartOf<R>::whole, ""), v("index", &PartOf<R>::index, "");
}
/// The rows of a part, its entry of numbers or vectors: a view, not a copy.
nb::object part_of(const nb::object& array, Index states, ArrayShape shape, const RowLayout::Part& rows,
                   std::size_t index);
template <class R> nb::object PartOf<R>::of(const RowArray<R>& one) const {
  return part_of(array_in(result(), one), result().states, one.shape, layout(), index);
}

/// What the parts of solutions and of impulses say of their constraint.
template <class P> void bind_constraint_of_part(ClassOf<P>& c) {
  c.def_prop_ro("name", [](const P& p) { return p.layout().name; })
      .def_prop_ro("frame", [](const P& p) { return p.layout().frame; })
      .def_prop_ro(
          "in_", [](const P& p) { return p.layout().in; }, "the axes of the wrench")
      .get("rows", "list[str]", "names of its rows", [](const P& p) { return python_value(p.layout().row_names); });
}
template <class R> void bind_parts(nb::module_& m, const char* name, const char* says) {
  using P = PartOf<R>;
  ClassOf<P> c(m, name, says);
  bind_constraint_of_part(c);
  for (const RowArray<R>& one : arrays_of<R>()) {
    if (one.says_part == nullptr) continue;
    const char* const type = one.shape.of == ArrayShape::constraints && one.shape.columns == 0 ? "float" : "Array";
    c.def_prop_ro(
        one.name, [&one](const P& p) { return p.of(one); },
        nb::sig(kept_text(std::string("def ") + one.name + "(self) -> " + type)), one.says_part);
  }
  c.def("__repr__", [name](const P& p) { return "<" + std::string(name) + " '" + p.layout().name + "'>"; });
  kept_by_fields<P>();
}
/// result[constraint].
template <class R> nb::object part_named(nb::handle self, const std::string& name) {
  const R& s = *nb::cast<R*>(self, false);
  std::vector<std::string> known;
  for (std::size_t k = 0; k < s.layout->parts.size(); ++k) {
    if (s.layout->parts[k].name == name) return nb::cast(PartOf<R>{nb::borrow(self), k});
    known.push_back(s.layout->parts[k].name);
  }
  detail::throw_unknown("constraint", name, known);
}

// --- copies and pickle ----------------------------------------------------------------------------------------------

/// The same numbers in arrays of its own, without a solver.
template <class R> R snapshot_of(R& s) {
  if constexpr (requires { s.complete(); }) s.complete();
  R copy;
  static_cast<RowsResult&>(copy) = s;
  for (const RowArray<R>& one : arrays_of<R>()) copy.*one.array = (s.*one.array).attr("copy")();
  if (s.status.is_valid()) copy.status = s.status.attr("copy")();
  return copy;
}
template <class R> nb::tuple state_of_result(R& s) {
  if constexpr (requires { s.complete(); }) s.complete();
  FieldWriter out;
  out.named("layout", *s.layout), out.named("states", s.states);
  for (const RowArray<R>& one : arrays_of<R>()) out.named(one.name, s.*one.array);
  out.named("status", s.states >= 0 ? s.status : nb::object());
  out.named("reports", s.reports);
  return out.take();
}
/// Numbers of a pickle in an array of this shape, whose first one says how many coordinates there are.
nb::object array_from(const Pickled& read, const char* type, nb::handle given, Index states, ArrayShape shape,
                      const RowLayout& layout, Index& nv);
/// The status and the number of reports of what was read.
void check_result(const Pickled& read, const char* type, RowsResult& made, bool report_of_each);

template <class R> R result_from(const char* type, nb::handle given) {
  const Pickled read(type);
  FieldReader in(given, read);
  R made;
  auto layout = std::make_shared<RowLayout>();
  in.named("layout", *layout);
  layout->check(read);
  in.named("states", made.states);
  if (made.states < -1) read.refuse("its number of states is " + std::to_string(made.states));
  Index nv = -1;
  for (const RowArray<R>& one : arrays_of<R>()) {
    nb::object numbers;
    in.named(one.name, numbers);
    made.*one.array = array_from(read, type, numbers, made.states, one.shape, *layout, nv);
  }
  in.named("status", made.status), in.named("reports", made.reports);
  if (in.more()) in.refuse();
  check_result(read, type, made, R::k_report_of_each);
  made.layout = std::move(layout);
  return made;
}
/// Pickle of the class of a result.
template <class R> void kept_as_result(ClassOf<R>& c, const char* name) {
  c.def(
       "__getstate__", [](R& s) { return state_of_result(s); }, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(ZWANG_SIGNATURE("def __setstate__(self, state: tuple[object, ...], /) -> None"),
           [name](R& s, nb::handle state) { new (&s) R(result_from<R>(name, state)); });
}

}  // namespace zwang::python
