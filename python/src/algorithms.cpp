// SPDX-License-Identifier: BSD-3-Clause
// Makes every row of the list of algorithms a function of the module: its signature, its help, its call.
#include <array>
#include <tuple>
#include <utility>

#include "bind.hpp"
#include "frames.hpp"
#include "row_call.hpp"

namespace zwang::python {
namespace {

/// The arguments as the caller gave them.
struct Given {
  std::array<nb::handle, RowCall::k_vectors> vector;
  std::size_t vectors = 0;
  nb::handle frame, seen_from, frames, subtree;
  const char *kind = "", *reference = "";
  nb::handle point;
  Words words;
  double number = 0;
  bool with_gravity = false;
};

/// The row that does for the subtree of a frame what `row` does for the whole robot,
/// its name with `subtree_`; or nullptr.
constexpr const Algorithm* of_subtree(const Algorithm& row) {
  constexpr std::string_view k_before = "subtree_";
  for (const Algorithm& other : algorithm_list::k_rows)
    if (const std::string_view name = other.name;
        name.starts_with(k_before) && name.substr(k_before.size()) == row.name)
      return &other;
  return nullptr;
}

nb::object run(const Algorithm& whole, const Robot& robot, const Given& given) {
  const bool part = given.subtree.is_valid() && !given.subtree.is_none();
  const Algorithm& row = part ? *of_subtree(whole) : whole;
  RowCall call(row, robot);
  AlgorithmOptions& options = call.options;
  const Frames frames = given.frames.is_valid() ? Frames(robot.model, row.name, "frames", given.frames) : Frames();
  if (row.reads(Takes::frame))
    options.frame = part ? frame_of(robot.model, row.name, "subtree", given.subtree)
                         : frame_of(robot.model, row.name, "frame", given.frame);
  if (row.reads(Takes::seen_from)) options.seen_from = frame_of(robot.model, row.name, "seen_from", given.seen_from);
  options.frames = frames.ids();
  if (row.reads(Takes::reference)) {
    const Seen seen = Seen::from(robot.model, given.reference, "reference");
    options.reference = seen.reference, options.axes = seen.axes;
  }
  if (row.reads(Takes::kind)) options.kind = acceleration_of(row.name, "kind", given.kind);
  if (row.reads(Takes::point)) options.point = vec3(row.name, "point", given.point);
  options.number = given.number;
  options.with_gravity = given.with_gravity;

  for (std::size_t i = 0; i < given.vectors; ++i) call.next(given.vector[i]);
  call.read(given.words);

  call.run([&](Workspace& w, Index state) { call.evaluate(w, state); });
  const auto results = static_cast<std::size_t>(row.gives.count);
  if (results == 1) return call.result(call.result(0), given.words.out);
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(results)));
  for (std::size_t i = 0; i < results; ++i)
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i),
                    call.result(call.result(i), call.wanted(i)).release().ptr());
  return tuple;
}

// --- the arguments of a row as arguments of a function --------------------------------------------------------------

/// `external` also adds `in_`; `subtree`, where there is a row for it, `out`, `status` and `progress` come last.
enum class Word { given, in, subtree, out, status, progress };
struct Parameter {
  Word word = Word::given;
  Argument argument;
};
constexpr bool by_keyword(const Parameter& p) {
  const Takes what = p.argument.what;
  return p.word != Word::given || what == Takes::external || what == Takes::effects || what == Takes::with_gravity ||
         what == Takes::gravity;
}
consteval Few<Parameter, 16> parameters(const Algorithm& row) {
  Few<Parameter, 16> all;
  const auto add = [&](Word word, Argument argument) { all.item[all.count++] = {word, argument}; };
  for (const Argument& a : row.takes) {
    add(Word::given, a);
    if (a.what == Takes::external) add(Word::in, {Takes::reference, "in_"});
  }
  if (of_subtree(row) != nullptr) add(Word::subtree, {Takes::frame, "subtree"});
  add(Word::out, {Takes::external, "out"});
  if (!row.lanes) return all;
  add(Word::status, {Takes::external, "status"});
  add(Word::progress, {Takes::external, "progress"});
  return all;
}

/// Parameter p of row k: its type, how it is stored, its form for nanobind.
template <int k, int p> struct ParameterOf {
  static constexpr Parameter k_self = parameters(algorithm_list::k_rows[k])[p];
  static constexpr Takes k_what = k_self.argument.what;
  static auto type() {
    if constexpr (k_self.word == Word::subtree)
      return std::type_identity<nb::handle>();
    else if constexpr (k_what == Takes::frames)
      return std::type_identity<FramesGiven>();
    else if constexpr (k_what == Takes::frame || k_what == Takes::seen_from)
      return std::type_identity<FrameGiven>();
    else if constexpr (k_what == Takes::kind || k_what == Takes::reference)
      return std::type_identity<const char*>();
    else if constexpr (k_what == Takes::effects)
      return std::type_identity<const JointEffects*>();
    else if constexpr (k_what == Takes::number)
      return std::type_identity<double>();
    else if constexpr (k_what == Takes::with_gravity)
      return std::type_identity<bool>();
    else
      return std::type_identity<nb::handle>();
  }
  using Type = typename decltype(type())::type;

  static void keep(Given& g, Type x) {
    if constexpr (k_self.word == Word::in)
      g.words.in = x;
    else if constexpr (k_self.word == Word::subtree)
      g.subtree = x;
    else if constexpr (k_self.word == Word::out)
      g.words.out = x;
    else if constexpr (k_self.word == Word::status)
      g.words.status = x;
    else if constexpr (k_self.word == Word::progress)
      g.words.progress = x;
    else if constexpr (is_vector(k_self.argument))
      g.vector[g.vectors++] = x;
    else if constexpr (k_what == Takes::frame)
      g.frame = x.object;
    else if constexpr (k_what == Takes::seen_from)
      g.seen_from = x.object;
    else if constexpr (k_what == Takes::frames)
      g.frames = x.object;
    else if constexpr (k_what == Takes::point)
      g.point = x;
    else if constexpr (k_what == Takes::number)
      g.number = x;
    else if constexpr (k_what == Takes::kind)
      g.kind = x;
    else if constexpr (k_what == Takes::reference)
      g.reference = x;
    else if constexpr (k_what == Takes::external)
      g.words.external = x;
    else if constexpr (k_what == Takes::effects)
      g.words.effects = x;
    else if constexpr (k_what == Takes::with_gravity)
      g.with_gravity = x;
    else
      g.words.gravity = x;
  }
  static auto annotation() {
    constexpr const char* name = k_self.argument.name;
    if constexpr (is_vector(k_self.argument) || k_what == Takes::point)
      return nb::arg(name).none();
    else if constexpr (k_what == Takes::kind)
      return nb::arg(name) = "classical";
    else if constexpr (k_what == Takes::reference)
      return nb::arg(name) = "local_world_aligned";
    else if constexpr (k_what == Takes::effects)
      return nb::arg(name).none() = nb::none();
    else if constexpr (k_what == Takes::with_gravity)
      return nb::arg(name) = false;
    else if constexpr (by_keyword(k_self))
      return nb::arg(name) = nb::none();
    else
      return nb::arg(name);
  }
  /// With the keyword-only mark before the first of them.
  static auto annotations() {
    if constexpr (!by_keyword(k_self))
      return std::make_tuple(annotation());
    else if constexpr (by_keyword(parameters(algorithm_list::k_rows[k])[p - 1]))
      return std::make_tuple(annotation());
    else
      return std::make_tuple(nb::kw_only(), annotation());
  }
};

// --- signature and help ---------------------------------------------------------------------------------------------

std::string tuple_of(const std::string& what, int count) {
  if (count == 1) return what;
  std::string text = "tuple[" + what;
  while (--count > 0) text += ", " + what;
  return text + "]";
}
std::string text_of(const Parameter& p, const Algorithm& row) {
  const std::string name = p.argument.name;
  switch (p.word) {
    case Word::out:
      return "out: " + tuple_of(row.lanes ? "Array | FloatArray" : "Array", row.gives.count) + " | None = None";
    case Word::subtree: return "subtree: str | int | None = None";
    case Word::status: return "status: StatusArray | None = None";
    case Word::progress: return "progress: Progress = None";
    default: break;
  }
  switch (p.argument.what) {
    case Takes::configuration:
    case Takes::tangent: return name + ": Vector";
    case Takes::frame:
    case Takes::seen_from: return name + ": str | int";
    case Takes::frames: return name + ": FrameList | Sequence[str | int]";
    case Takes::point: return name + ": ArrayLike";
    case Takes::number: return name + ": float";
    case Takes::kind: return name + ": str = \"classical\"";
    case Takes::reference: return name + ": str = \"local_world_aligned\"";
    case Takes::external: return name + ": External | None = None";
    case Takes::effects: return name + ": JointEffects | None = None";
    case Takes::with_gravity: return name + ": bool = False";
    case Takes::gravity: return name + ": ArrayLike | None = None";
  }
  return name;
}
std::string signature(const Algorithm& row, const Few<Parameter, 16>& all) {
  std::string text = std::string("def ") + row.name + "(model: Model";
  bool keywords = false;
  for (const Parameter& p : all) {
    if (by_keyword(p) && !keywords) text += ", *";
    keywords = by_keyword(p);
    text += ", " + text_of(p, row);
  }
  const bool one_number = row.gives.count == 1 && row.gives[0].shape.count == 0;
  return text + ") -> " + (one_number ? "float | Array" : tuple_of("Array", row.gives.count));
}

constexpr const char* k_subtree =
    "\n\nsubtree: a frame, for its body and everything that it carries instead of the whole robot.";

template <int k, int... p> void bind_row(nb::module_& m, std::integer_sequence<int, p...>) {
  static constexpr const Algorithm& row = algorithm_list::k_rows[k];
  static const std::string text = signature(row, parameters(row)),
                           help = help_of(row) + (of_subtree(row) != nullptr ? k_subtree : "");
  const auto function = [](const Robot& robot, typename ParameterOf<k, p>::Type... x) {
    Given given;
    (ParameterOf<k, p>::keep(given, x), ...);
    return run(row, robot, given);
  };
  std::apply(
      [&](auto&&... annotation) {
        m.def(row.name, function, nb::arg("model"), annotation..., nb::sig(text.c_str()), help.c_str());
      },
      std::tuple_cat(ParameterOf<k, p>::annotations()...));
  if (row.alias[0] != '\0') m.attr(row.alias) = m.attr(row.name);
}
template <int k> void bind_row(nb::module_& m) {
  constexpr const Algorithm& row = algorithm_list::k_rows[k];
  if constexpr (!row.named)  // else it has a function of its own (derivatives.cpp, derivative_products.cpp)
    bind_row<k>(m, std::make_integer_sequence<int, parameters(row).count>());
}
template <int... k> void bind_rows(nb::module_& m, std::integer_sequence<int, k...>) { (bind_row<k>(m), ...); }

}  // namespace

void bind_algorithms(nb::module_& m) { bind_rows(m, std::make_integer_sequence<int, k_algorithms>()); }

}  // namespace zwang::python
