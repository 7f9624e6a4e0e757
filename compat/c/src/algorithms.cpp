// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms, by number, and the sizes that a model gives their vectors and results.
#include <cstring>

#include "numbers.hpp"
#include "objects.hpp"

namespace zwang::c {
namespace {

/// The rows in the order of their numbers; nullptr for one that is gone.
constexpr auto k_rows = [] {
  std::array<const Algorithm*, std::size(k_algorithm_names)> rows{};
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (const Algorithm& row : algorithm_list::k_rows)
      if (std::string_view(row.name) == k_algorithm_names[k]) rows[k] = &row;
  return rows;
}();
static_assert([] {
  for (const Algorithm& row : algorithm_list::k_rows)
    if (row.vectors() > k_most_vectors || row.gives.count > k_most_results) return false;
  return true;
}());

std::size_t size_of(const Extents& shape, const Sizes& sizes, int (&extent)[3]) {
  std::size_t all = 1;
  for (int k = 0; k < 3; ++k) {
    extent[k] = k < shape.count ? shape[k].of(sizes) : 1;
    all *= static_cast<std::size_t>(extent[k]);
  }
  return all;
}

int per_of(const Extent& e) {
  if (e.per == nullptr) return ZWANG_PER_ONE;
  if (e.per == &Sizes::nq) return ZWANG_PER_NQ;
  if (e.per == &Sizes::nv) return ZWANG_PER_NV;
  if (e.per == &Sizes::joints) return ZWANG_PER_JOINT;
  return e.per == &Sizes::links ? ZWANG_PER_LINK : ZWANG_PER_FRAME;
}

}  // namespace

const Algorithm& algorithm_of(int number) {
  needed_index(number, static_cast<int>(k_rows.size()), "algorithm");
  if (k_rows[number] == nullptr)
    throw Refusal(ZWANG_UNSUPPORTED, "algorithm",
                  std::string("is ") + k_algorithm_names[number] + ", which this version of the library no longer has");
  return algorithms()[static_cast<std::size_t>(k_rows[number] - algorithm_list::k_rows.begin())];
}

std::size_t vector_size(const Model& model, const Argument& argument) {
  return static_cast<std::size_t>(argument.what == Takes::configuration ? model.nq() : model.nv());
}
const Argument& vector_of(const Algorithm& row, int k) {
  needed_index(k, row.vectors(), "k");
  for (const Argument& a : row.takes)
    if (is_vector(a) && k-- == 0) return a;
  throw std::logic_error(row.name);
}

}  // namespace zwang::c

using namespace zwang;
using namespace zwang::c;

int zwang_algorithm_describe(int number, zwang_algorithm_info* info) {
  return call(__func__, [&] {
    const Algorithm& row = algorithm_of(number);
    zwang_algorithm_info& to = needed(info, "info");
    to = {};
    to.name = row.name;
    to.alias = row.alias;
    to.doc = row.doc;
    to.arguments = row.takes.count;
    to.vectors = row.vectors();
    to.results = row.gives.count;
    to.lanes = row.lanes ? 1 : 0;
  });
}
int zwang_algorithm_find(const char* name, int* number) {
  return call(__func__, [&] {
    needed(number, "algorithm");
    const Algorithm& row = algorithm(needed_text(name, "name"));
    for (std::size_t k = 0; k < k_rows.size(); ++k)
      if (k_rows[k] != nullptr && std::strcmp(k_algorithm_names[k], row.name) == 0) {
        *number = static_cast<int>(k);
        return;
      }
    throw Refusal(ZWANG_UNSUPPORTED, "name", std::string("is ") + row.name + ", which has no number in C");
  });
}
int zwang_algorithm_argument(int number, int k, zwang_argument_info* info) {
  return call(__func__, [&] {
    const Algorithm& row = algorithm_of(number);
    const Argument& a = row.takes[needed_index(k, row.takes.count, "k")];
    needed(info, "info") = {a.name, static_cast<int>(a.what), a.optional ? 1 : 0};
  });
}
int zwang_algorithm_result(int number, int k, zwang_result_info* info) {
  return call(__func__, [&] {
    const Algorithm& row = algorithm_of(number);
    const Result& r = row.gives[needed_index(k, row.gives.count, "k")];
    zwang_result_info& to = needed(info, "info");
    to = {r.name, r.units, r.shape.count, {1, 1, 1}, {ZWANG_PER_ONE, ZWANG_PER_ONE, ZWANG_PER_ONE}};
    for (int i = 0; i < r.shape.count; ++i) {
      to.factor[i] = r.shape[i].factor;
      to.per[i] = per_of(r.shape[i]);
    }
  });
}

int zwang_model_vector_size(const zwang_model* model, int number, int k, size_t* size) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    needed(size, "size") = vector_size(own->robot.model, vector_of(algorithm_of(number), k));
  });
}
int zwang_model_result_size(const zwang_model* model, int number, int k, int frames, size_t* size, int shape[3]) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Algorithm& row = algorithm_of(number);
    if (frames < 0) throw Refusal(ZWANG_INVALID_INPUT, "frames", "is negative");
    Sizes sizes = sizes_of(own->robot.model, {});
    sizes.frames = frames;
    int extent[3];
    const std::size_t numbers = size_of(row.gives[needed_index(k, row.gives.count, "k")].shape, sizes, extent);
    if (size != nullptr) *size = numbers;
    if (shape != nullptr) std::copy_n(extent, 3, shape);
  });
}
