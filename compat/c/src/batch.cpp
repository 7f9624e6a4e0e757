// SPDX-License-Identifier: BSD-3-Clause
// Algorithms by number on N states.
#include <algorithm>
#include <limits>

#include "lists.hpp"
#include "objects.hpp"

using namespace zwang;
using namespace zwang::c;

namespace {

void fill_nan(std::span<double* const> results, const Algorithm& row, const Sizes& sizes) {
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k] != nullptr)
      std::fill_n(results[k], numbers_of(row.gives[static_cast<int>(k)].shape, sizes),
                  std::numeric_limits<double>::quiet_NaN());
}

/// One after the other: rows without lanes, and what lanes do not know. Returns the first status that is not ok.
int run_alone(BatchObject& own, const Algorithm& row, const Arrays& arrays, std::size_t states, int* status) {
  const Sizes sizes = sizes_of(own.alone.model(), own.options.options);
  int first = ZWANG_OK;
  for (std::size_t s = 0; s < states; ++s) {
    int result =
        call("zwang_batch_run", [&] { own.alone.run(row, arrays.vectors(s), arrays.results(s), own.options, s); });
    if (result == ZWANG_OUT_OF_MEMORY) throw std::bad_alloc();
    if (result == ZWANG_INVALID_INPUT && !arrays.finite(s)) result = ZWANG_NON_FINITE_INPUT;
    if (result != ZWANG_OK) fill_nan(arrays.results(s), row, sizes);
    if (first == ZWANG_OK) first = result;
    if (status != nullptr) status[s] = result;
  }
  return first;
}

int run_lanes(BatchObject& own, const Algorithm& row, const Arrays& arrays, std::size_t states, int* status) {
  own.external.clear();
  for (const zwang_wrench& w : own.options.wrenches) {
    const bool all = w.wrench.size == 6;
    own.external.push_back({FrameId(w.frame),
                            StatesIn<double>(StateLayout<const double>{w.wrench.data, static_cast<long>(states), 6,
                                                                       all ? 0 : 192, all ? 0 : 6, 1}),
                            static_cast<Reference>(w.reference)});
  }
  const Sizes sizes = sizes_of(own.alone.model(), own.options.options);
  const BatchReport& report =
      own.lanes.run(row, arrays.lanes_in(), arrays.lanes_out(sizes), own.options.options, own.external);
  if (status != nullptr) std::copy_n(report.status_data, states, status);
  if (report.good()) return ZWANG_OK;
  const auto bad = std::find_if(report.status_data, report.status_data + states,
                                [](unsigned char s) { return static_cast<Status>(s) != Status::ok; });
  return failed(*bad, "zwang_batch_run", "",
                "state " + std::to_string(bad - report.status_data) + " has the status " + word_of("status", *bad));
}

}  // namespace

int zwang_batch_create(const zwang_model* model, int threads, zwang_batch** batch) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    needed(batch, "batch");
    needed_threads(threads);
    *batch = static_cast<zwang_batch*>(publish(Kind::batch, std::make_unique<BatchObject>(own->robot.model, threads)));
  });
}
int zwang_batch_free(zwang_batch* batch) {
  return call(__func__, [&] { end(batch, Kind::batch, "batch"); });
}

int zwang_batch_run(zwang_batch* batch, int algorithm, size_t states, const zwang_input* in, size_t in_count,
                    const zwang_output* out, size_t out_count, const zwang_options* options, int* status) {
  return call(__func__, [&]() -> int {
    const Pin<BatchObject> own(batch, "batch");
    const Passage alone(own->gate, true, "batch");
    const Algorithm& row = algorithm_of(algorithm);
    const Model& model = own->alone.model();
    needed_count_of_states(states);
    const Arrays arrays(model, row, states, in, in_count, out, out_count);
    own->options.read(model, row, options, states);
    arrays.check_results(model, own->options, status);
    const bool lanes = row.lanes && row.vectors() > 0 && own->options.gravity == nullptr && !own->options.options.axes;
    return (lanes ? run_lanes : run_alone)(*own, row, arrays, states, status);
  });
}
