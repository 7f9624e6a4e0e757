// SPDX-License-Identifier: BSD-3-Clause
// Random configurations and numbers of many states, and the list of algorithms for programs that read it.
#include "zwang/manifold/random_states.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "signature.hpp"
#include "zwang/algorithm/algorithm_list.hpp"

namespace zwang::python {
namespace {

/// An array (states, size) of what draw() writes.
nb::object drawn(const char* function, std::uint64_t states, std::uint64_t size, auto&& draw) {
  constexpr std::uint64_t k_most = std::numeric_limits<Index>::max();
  for (const auto& [name, value] : {std::pair("states", states), std::pair("size", size)})
    if (value > k_most)
      throw std::invalid_argument(std::string(function) + ": argument '" + name + "' is " + std::to_string(value) +
                                  ", expected at most " + std::to_string(k_most));
  nb::object array = new_array({static_cast<Index>(states), static_cast<Index>(size)});
  Exported memory;
  memory.open(array, PyBUF_WRITABLE | PyBUF_STRIDES);
  double* const numbers = static_cast<double*>(memory->buf);
  {
    const nb::gil_scoped_release others;
    draw(std::span<double>(numbers, states * size));
  }
  return array;
}

const char* unit_of(const Extent& e) {
  return e.per == &Sizes::nq       ? "nq"
         : e.per == &Sizes::nv     ? "nv"
         : e.per == &Sizes::joints ? "joints"
         : e.per == &Sizes::frames ? "frames"
         : e.per == &Sizes::links  ? "links"
                                   : "";
}

nb::list quantities() {
  nb::list all;
  for (const Algorithm& row : algorithms()) {
    nb::list results;
    for (const Result& r : row.gives) {
      nb::list shape;
      for (const Extent& e : r.shape) {
        const std::string per = unit_of(e);
        shape.append(per.empty()     ? std::to_string(e.factor)
                     : e.factor == 1 ? per
                                     : std::to_string(e.factor) + ' ' + per);
      }
      nb::dict result;
      result["name"] = r.name, result["shape"] = shape, result["units"] = r.units;
      results.append(result);
    }
    nb::dict one;
    one["name"] = row.name, one["alias"] = row.alias, one["results"] = results, one["batch"] = row.lanes;
    all.append(one);
  }
  return all;
}

}  // namespace

void bind_random_states(nb::module_& m) {
  def(
      m, ZWANG_SIGNATURE("def random_states(model: Model, states: int, seed: int = 0, first: int = 0) -> Array"),
      [](const Robot& robot, std::uint64_t states, std::uint64_t seed, std::uint64_t first) {
        return drawn("random_states", states, static_cast<std::uint64_t>(robot.model.nq()),
                     [&](std::span<double> out) { random_states(robot.model, seed, first, out); });
      },
      "Random configurations within limits, (states, nq), as model.random draws them: states first, first + 1, ... of "
      "a\n"
      "seed. State k is a function of the seed and k alone, wherever it is made; state 0 is model.random(seed).");
  def(
      m,
      ZWANG_SIGNATURE("def random_numbers(states: int, size: int, seed: int = 0, first: int = 0, distribution: str = "
                      "'uniform') -> Array"),
      [](std::uint64_t states, std::uint64_t size, std::uint64_t seed, std::uint64_t first,
         const std::string& distribution) {
        if (distribution != "uniform" && distribution != "normal")
          throw std::invalid_argument("random_numbers: argument 'distribution' is '" + distribution +
                                      "', expected uniform or normal");
        return drawn("random_numbers", states, size, [&](std::span<double> out) {
          random_numbers(seed, first, static_cast<Index>(size), out,
                         distribution == "normal" ? Distribution::normal : Distribution::uniform);
        });
      },
      "Random numbers without a unit, (states, size): uniform in [0, 1), or normal with mean 0 and variance 1.\n\n"
      "Row k - first is a function of the seed and k alone (Philox 4x32-10, stream k), wherever it is made.");
  m.def("quantities", &quantities, nb::sig("def quantities() -> list[dict[str, object]]"),
        "The list of algorithms: for each its name, its alias ('' if none), whether N states are computed in lanes\n"
        "('batch'), and its results with name, shape (numbers, nq, nv, ...) and units. `zwang quantities` shows the "
        "same.");
}

}  // namespace zwang::python
