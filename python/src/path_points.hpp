// SPDX-License-Identifier: BSD-3-Clause
// Points of paths, motions and profiles at one parameter or at many.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "call.hpp"

namespace zwang::python {

void bind_profile(nb::module_& m);

/// A number or a vector of them: f(x, k) for each; the arrays of `sizes` numbers (0: a number) have a
/// leading dimension where a vector is given.
template <class F> nb::object at_each(const char* function, const char* name, nb::handle given, nb::handle result,
                                      std::vector<Index> sizes, F&& f) {
  const std::vector<double> x = numbers(function, name, given);
  if (x.empty())
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name + "' has no entries");
  const bool one = nb::isinstance<nb::float_>(given) || nb::isinstance<nb::int_>(given) ||
                   (nb::hasattr(given, "ndim") && nb::cast<int>(given.attr("ndim")) == 0);
  const auto n = static_cast<Index>(x.size());
  nb::list arrays;
  std::vector<Exported> memory(sizes.size());
  std::vector<double*> to;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    const Index size = sizes[a];
    arrays.append(size == 0 ? (one ? new_array({}) : new_array({n})) : one ? new_array({size}) : new_array({n, size}));
    memory[a].open(arrays[a], PyBUF_WRITABLE | PyBUF_STRIDES);
    to.push_back(static_cast<double*>(memory[a]->buf));
  }
  for (Index k = 0; k < n; ++k) {
    f(x[static_cast<std::size_t>(k)], to);
    for (std::size_t a = 0; a < sizes.size(); ++a) to[a] += std::max<Index>(sizes[a], 1);
  }
  memory.clear();
  for (std::size_t a = 0; a < sizes.size(); ++a)
    if (one && sizes[a] == 0) arrays[a] = arrays[a].attr("item")();
  return result(*arrays);
}
inline void put(const Eigen::VectorXd& x, double* to) { std::copy_n(x.data(), x.size(), to); }

inline nb::handle point_type(const char* name) {
  static PyObject* path;
  static PyObject* state;
  static PyObject* profile;
  const std::string which = name;
  return kept(which == "PathPoint" ? path : which == "MotionState" ? state : profile, "zwang._zwang", name);
}

}  // namespace zwang::python
