// SPDX-License-Identifier: BSD-3-Clause
// Algorithms by number on one state.
#include <algorithm>
#include <cstdint>

#include "objects.hpp"

namespace zwang::c {

namespace {

/// Whether two pieces of memory, of so many bytes, share some. Numbers, since pointers of two arrays have no order.
bool meet(const void* a, std::size_t m, const void* b, std::size_t n) {
  if (a == nullptr || b == nullptr || m == 0 || n == 0) return false;
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x <= y ? y - x < m : x - y < n;
}
bool meet(const zwang_output& a, const void* b, std::size_t n) { return meet(a.data, a.size * sizeof(double), b, n); }

}  // namespace

Written::Written(std::span<const zwang_output> out, const int* status, std::size_t states)
    : out_(out),
      status_(status),
      states_(states) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    for (std::size_t i = 0; i < k; ++i)
      if (meet(out[i], out[k].data, out[k].size * sizeof(double)))
        throw Refusal(ZWANG_INVALID_INPUT, "out", "has two results in the same memory, expected memory for each");
    if (meet(out[k], status, states * sizeof(int)))
      throw Refusal(ZWANG_INVALID_INPUT, "status", "shares memory with a result, expected memory of its own");
  }
}
void Written::check_bytes(const void* data, std::size_t bytes) const {
  for (const zwang_output& x : out_)
    if (meet(x, data, bytes))
      throw Refusal(ZWANG_INVALID_INPUT, "out", "shares memory with an input, expected memory of its own");
  if (meet(status_, states_ * sizeof(int), data, bytes))
    throw Refusal(ZWANG_INVALID_INPUT, "status", "shares memory with an input, expected memory of its own");
}

Alone::Alone(const Model& model) : data_(model), evaluator_(model), zeros_(static_cast<std::size_t>(model.nv())) {
  external_.reserve(usual_wrenches(model));
  // Room for every row, but for results that few robots have: those get it when they are first asked for.
  const Sizes sizes = sizes_of(model, {});
  const auto numbers = [](const Extents& shape, const Sizes& s) {
    double n = 1;  // of a long chain more than an Index holds
    for (const Extent& e : shape) n *= e.of(s);
    return n;
  };
  double largest = 0, all = 0;
  for (const Algorithm& row : algorithms()) {
    double together = 0;
    for (const Result& r : row.gives) {
      const double n = numbers(r.shape, sizes);
      if (n > static_cast<double>(k_room)) continue;
      largest = std::max(largest, n);
      together += n;
    }
    all = std::max(all, together);
  }
  for (int which = 0; which < 3; ++which) evaluator_.matrix(static_cast<Index>(largest), 1, which);
  unwanted_.resize(static_cast<std::size_t>(all));
  if (static_cast<double>(model.nv()) * model.nv() <= static_cast<double>(k_room)) evaluator_.factor();
}

void Alone::run(const Algorithm& row, std::span<const double* const> in, std::span<double* const> out,
                const ReadOptions& given, std::size_t state) {
  std::array<const double*, k_most_vectors> vectors{};
  for (std::size_t k = 0; k < in.size(); ++k) vectors[k] = in[k] == nullptr ? zeros_.data() : in[k];
  std::array<double*, k_most_results> results{};
  const Sizes sizes = sizes_of(model(), given.options);
  std::size_t room = 0;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (out[k] == nullptr) room += static_cast<std::size_t>(numbers_of(row.gives[static_cast<int>(k)].shape, sizes));
  if (unwanted_.size() < room) unwanted_.resize(room);
  double* next = unwanted_.data();
  for (std::size_t k = 0; k < out.size(); ++k) {
    results[k] = out[k];
    if (out[k] != nullptr) continue;
    results[k] = next;
    next += numbers_of(row.gives[static_cast<int>(k)].shape, sizes);
  }
  wrenches_of(given.wrenches, state, external_);
  struct OwnGravity {  // of this call
    Data& data;
    explicit OwnGravity(Data& d, const double* g) : data(d) {
      if (g != nullptr) data.set_gravity({g[0], g[1], g[2]});
    }
    ~OwnGravity() { data.gravity = data.model().gravity(); }
  } own(data_, given.gravity);
  evaluator_.run(row, data_, std::span(vectors.data(), in.size()), std::span(results.data(), out.size()), given.options,
                 external_);
}

}  // namespace zwang::c

using namespace zwang;
using namespace zwang::c;

int zwang_data_create(const zwang_model* model, zwang_data** data) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    needed(data, "data");
    *data = static_cast<zwang_data*>(publish(Kind::data, std::make_unique<DataObject>(own->robot.model)));
  });
}
int zwang_data_free(zwang_data* data) {
  return call(__func__, [&] { end(data, Kind::data, "data"); });
}

int zwang_run(zwang_data* data, int algorithm, const zwang_input* in, size_t in_count, const zwang_output* out,
              size_t out_count, const zwang_options* options) {
  bool finite = true;
  const int status = call(__func__, [&] {
    const Pin<DataObject> own(data, "data");
    const Passage alone(own->gate, true, "data");
    const Algorithm& row = algorithm_of(algorithm);
    const Model& model = own->alone.model();
    const Arrays arrays(model, row, 1, in, in_count, out, out_count);
    own->options.read(model, row, options, 1);
    arrays.check_results(model, own->options);
    try {
      own->alone.run(row, arrays.vectors(0), arrays.results(0), own->options, 0);
    } catch (...) {
      finite = arrays.finite(0);
      throw;
    }
  });
  return status == ZWANG_INVALID_INPUT && !finite ? ZWANG_NON_FINITE_INPUT : status;
}
