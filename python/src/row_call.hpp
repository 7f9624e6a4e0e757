// SPDX-License-Identifier: BSD-3-Clause
// RowCall: one call of a row of the list of algorithms from Python. Vectors and results are those that the row names,
// in its order.
//
//   RowCall call(Row<"bias_forces_derivatives">::row(), robot);
//   const Input &q = call.next(q_), &v = call.next(v_);
//   call.read(words);  // external=, in_=, joint_effects=, gravity=, out=, status=, progress=
//   call.run([&](Workspace& w, Index state) { ...; call.result(0).put(state, ...); });   // of many states: in lanes
#pragma once
#include "call.hpp"
#include "zwang/algorithm/algorithm_row.hpp"

namespace zwang::python {

/// The keywords of a row's function, as the caller gave them.
struct Words {
  nb::handle external = nb::none(), gravity = nb::none(), out = nb::none(), status = nb::none(), progress = nb::none();
  const char* in = "local_world_aligned";
  const JointEffects* effects = nullptr;
};

class RowCall : public Call {
 public:
  static constexpr std::size_t k_vectors = 6, k_results = 4;  ///< of a row, at most

  RowCall(const Algorithm& row, const Robot& robot)
      : Call(row.name, robot, row.lanes ? Precision::any : Precision::twice),
        row_(row),
        robot_(robot) {}

  const Input& next(nb::handle given) { return *next_if_given(given); }
  /// nullptr where an optional vector is None: it is zero.
  const Input* next_if_given(nb::handle given);
  /// After the vectors: what of the words the row takes, and the outputs. `out` is None, an array, or for several
  /// results a tuple of arrays.
  void read(const Words& words);
  using Call::result;
  const Output& result(std::size_t i) const { return *output_[i]; }
  nb::handle wanted(std::size_t i) const { return wanted_[i]; }  ///< what was given for result i

  std::size_t vectors() const { return vectors_; }
  const Input& vector(std::size_t i) const { return *vector_[i]; }

  AlgorithmOptions options;

  /// Evaluates the row for one state, into the outputs. `adjust(results)` may change the numbers first,
  /// which stand row by row.
  void evaluate(Workspace& w, Index state) {
    evaluate(w, state, [](std::span<double* const>) {});
  }
  template <class Adjust> void evaluate(Workspace& w, Index state, Adjust&& adjust) {
    std::array<double*, k_results> out;
    const std::span results(out.data(), static_cast<std::size_t>(row_.gives.count));
    compute(w, state, results);
    adjust(results);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (output_[i]->in_place(state) == nullptr) output_[i]->put_rows(state, out[i]);
  }

  /// One state with `one`, many in lanes where the row and the options have them.
  template <class One> void run(One&& one) {
    const auto many = [&]<class T>(Lane<T>& x) {
      std::array<StatesIn<T>, k_vectors> in;
      std::array<StatesOut<T>, k_results> out;
      const auto count = static_cast<std::size_t>(row_.gives.count);
      for (std::size_t i = 0; i < vectors_; ++i)
        if (vector_[i] != nullptr) in[i] = x(*vector_[i]);
      for (std::size_t i = 0; i < count; ++i) out[i] = x(*output_[i]);
      x.batch.run(row_, std::span<const StatesIn<T>>(in.data(), vectors_),
                  std::span<const StatesOut<T>>(out.data(), count), options, x.external);
    };
    // what turns with the axes of a frame is differentiated with it, state by state
    Call::run(one, many, row_.lanes && !options.axes && !(row_.named && needs_axes()));
  }

 private:
  /// Into fresh arrays at once, otherwise into memory of the workspace: `out` gets the places.
  void compute(Workspace& w, Index state, std::span<double*> out) const;

  const Algorithm& row_;
  const Robot& robot_;
  std::array<const Input*, k_vectors> vector_ = {};
  std::array<const Output*, k_results> output_ = {};
  std::array<nb::object, k_results> wanted_;
  std::size_t vectors_ = 0;
};

/// The help of a row's function.
std::string help_of(const Algorithm& row);
/// The signature of the function of a row that is `named`, which returns `result`.
std::string named_signature(const Algorithm& row, const char* result);

template <std::size_t> using VectorGiven = nb::handle;
constexpr Argument vector_of(const Algorithm& row, std::size_t i) {
  for (const Argument& a : row.takes)
    if (is_vector(a) && i-- == 0) return a;
  return {};
}
template <class R, std::size_t i> auto annotation_of_vector() {
  constexpr Argument x = vector_of(R::row(), i);
  if constexpr (x.optional)
    return nb::arg(x.name) = nb::none();
  else
    return nb::arg(x.name).none();
}
template <class R, class F, std::size_t... i>
void bind_named(nb::module_& m, const char* result, F function, std::index_sequence<i...>) {
  constexpr const Algorithm& row = R::row();
  static const std::string text = named_signature(row, result), help = help_of(row);
  const auto bind = [&](auto call, auto... words) {
    m.def(row.name, call, nb::arg("model"), annotation_of_vector<R, i>()..., nb::kw_only(), words...,
          nb::arg("gravity") = nb::none(), nb::arg("out") = nb::none(), nb::arg("status") = nb::none(),
          nb::arg("progress") = nb::none(), nb::sig(text.c_str()), help.c_str());
  };
  if constexpr (row.reads(Takes::external))
    bind(
        [function](const Robot& robot, VectorGiven<i>... x, nb::handle external, const char* in,
                   const JointEffects* effects, nb::handle gravity, nb::handle out, nb::handle status,
                   nb::handle progress) {
          return function(robot, x..., Words{external, gravity, out, status, progress, in, effects});
        },
        nb::arg("external") = nb::none(), nb::arg("in_") = "local_world_aligned",
        nb::arg("joint_effects").none() = nb::none());
  else
    bind([function](const Robot& robot, VectorGiven<i>... x, nb::handle gravity, nb::handle out, nb::handle status,
                    nb::handle progress) {
      return function(robot, x..., Words{nb::none(), gravity, out, status, progress});
    });
}
/// Makes function(robot, vectors..., words) the function of a row that is `named`.
template <RowName name, class F> void bind_named(nb::module_& m, const char* result, F function) {
  constexpr std::size_t vectors = [] {
    std::size_t n = 0;
    for (const Argument& a : Row<name>::row().takes) n += is_vector(a);
    return n;
  }();
  bind_named<Row<name>>(m, result, function, std::make_index_sequence<vectors>());
}

}  // namespace zwang::python
