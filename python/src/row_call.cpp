// SPDX-License-Identifier: BSD-3-Clause
#include "row_call.hpp"

#include "bind.hpp"
#include "zwang/batch/evaluate.hpp"

namespace zwang::python {

const Input* RowCall::next_if_given(nb::handle given) {
  std::size_t place = 0;
  for (const Argument& a : row_.takes) {
    if (!is_vector(a) || place++ != vectors_) continue;
    const bool absent = a.optional && given.is_none();
    return vector_[vectors_++] = absent                           ? nullptr
                                 : a.what == Takes::configuration ? &configuration(given, a.name)
                                                                  : &tangent(a.name, given);
  }
  throw std::logic_error(std::string(row_.name) + " takes no more vectors");
}

void RowCall::read(const Words& words) {
  if (words.effects != nullptr) options.effects = *words.effects;
  if (row_.reads(Takes::external))
    environment(words.gravity, words.external, words.in);
  else if (row_.reads(Takes::gravity))
    gravity(words.gravity);
  const nb::handle given = words.out;
  static const char* const k_numbers[] = {"", "", "two", "three", "four"};
  static const char* const k_names[] = {"out[0]", "out[1]", "out[2]", "out[3]"};
  const auto count = static_cast<std::size_t>(row_.gives.count);
  const bool whole = count == 1 || given.is_none();
  if (!whole && (!PyTuple_Check(given.ptr()) || nb::len(given) != count))
    throw std::invalid_argument("E_OUT: argument 'out' has type " + type_text(given) + ", expected a tuple of " +
                                k_numbers[count] + " arrays");
  const Sizes sizes = sizes_of(robot_.model, options);
  for (std::size_t i = 0; i < count; ++i) {
    wanted_[i] = whole ? nb::borrow(given) : nb::object(given[i]);
    const Extents& shape = row_.gives[static_cast<int>(i)].shape;
    Index extent[3];
    for (int k = 0; k < shape.count; ++k) extent[k] = shape[k].of(sizes);
    output_[i] = &output(wanted_[i], std::span<const Index>(extent, static_cast<std::size_t>(shape.count)),
                         count == 1 ? "out" : k_names[i]);
  }
  if (row_.lanes) report_to(words.status, words.progress);
}

void RowCall::compute(Workspace& w, Index state, std::span<double*> out) const {
  const Sizes sizes = sizes_of(robot_.model, options);
  std::array<const double*, k_vectors> in;
  for (std::size_t i = 0; i < vectors_; ++i) in[i] = vector_[i] != nullptr ? vector_[i]->at(state) : nullptr;
  double* room = w.numbers(row_.room(sizes));
  for (std::size_t i = 0; i < out.size(); ++i) {
    double* const own = output_[i]->in_place(state);
    out[i] = own != nullptr ? own : room;
    room += numbers_of(row_.gives[static_cast<int>(i)].shape, sizes);
  }
  if (!w.evaluator) w.evaluator = std::make_shared<Evaluator>(robot_.model);
  w.evaluator->run(row_, w.data, std::span(in.data(), vectors_), out, options, w.external);
}

std::string help_of(const Algorithm& row) {
  return std::string(row.doc) + row.notes + (row.lanes ? ZWANG_BATCH_DOC : "");
}

std::string named_signature(const Algorithm& row, const char* result) {
  std::string text = std::string("def ") + row.name + "(model: Model";
  for (const Argument& a : row.takes)
    if (is_vector(a)) text += std::string(", ") + a.name + (a.optional ? ": Vector | None = None" : ": Vector");
  text += ", *";
  if (row.reads(Takes::external))
    text +=
        ", external: External | None = None, in_: str = \"local_world_aligned\", joint_effects: JointEffects | None "
        "= None";
  std::string out = "Array | FloatArray";
  for (int i = 1; i < row.gives.count; ++i) out += ", Array | FloatArray";
  if (row.gives.count > 1) out = "tuple[" + out + "]";
  return text + ", gravity: ArrayLike | None = None, out: " + out +
         " | None = None, status: StatusArray | None = None, progress: Progress = None) -> " + result;
}

}  // namespace zwang::python
