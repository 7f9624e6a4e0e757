// SPDX-License-Identifier: BSD-3-Clause
// An argument of one shape or a few, whose refusals say what was given and what is expected.
// float32 is read like float64.
#pragma once
#include "arrays.hpp"
#include "zwang/core/scalar.hpp"

namespace zwang::python {

class GivenArray {
 public:
  /// `expected`: how a refusal ends.
  GivenArray(const char* function, const char* name, nb::handle given, const char* expected)
      : function_(function),
        name_(name),
        expected_(expected),
        array_(array_of(given)),
        dimensions_(nb::cast<int>(array_.attr("ndim"))) {}
  Index size(int back) const {  ///< of a dimension, counted from the last; -1: there is none
    return back < dimensions_ ? nb::cast<Index>(array_.attr("shape")[dimensions_ - 1 - back]) : -1;
  }
  int dimensions() const { return dimensions_; }
  /// Rows of `size` numbers.
  Input rows(Index size) const {
    return {function_,           name_, array_.attr("reshape")(-1, size), size, VectorKind::numbers, nullptr,
            Precision::converted};
  }
  /// The same, all finite.
  Input finite_rows(Index size) const {
    Input x = rows(size);
    for (Index s = 0; s < x.states(); ++s)
      for (Index k = 0; k < size; ++k)
        if (!is_finite(x.at(s)[k])) detail::throw_not_finite(function_, name_, s * size + k, x.at(s)[k]);
    return x;
  }
  [[noreturn]] void refuse(const std::string& got, const char* code = "E_SIZE") const {
    throw std::invalid_argument(code + (" " + std::string(function_)) + ": argument '" + name_ + "' has " + got +
                                ", expected " + expected_);
  }
  [[noreturn]] void refuse_shape() const {
    refuse("shape " + std::string(nb::str(nb::object(array_.attr("shape"))).c_str()));
  }

 private:
  nb::object array_of(nb::handle given) const {
    static PyObject *as_array, *numbers;
    const bool is_text = PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr()) || PyByteArray_Check(given.ptr());
    if (given.is_none() || is_text || PyDict_Check(given.ptr())) refuse("type " + type_text(given), "E_DTYPE");
    nb::object array;
    try {
      array = kept(as_array, "numpy", "asarray")(given);
    } catch (nb::python_error&) { refuse("rows of different lengths"); }
    const nb::object dtype = array.attr("dtype");
    const std::string kind = nb::cast<std::string>(dtype.attr("kind"));
    if (kind == "f" || kind == "i" || kind == "u") return kept(numbers, "numpy", "asarray")(array, "float64");
    refuse(kind == "O" ? "type " + type_text(given) : "dtype " + std::string(nb::str(dtype).c_str()), "E_DTYPE");
  }

  const char *function_, *name_, *expected_;
  nb::object array_;
  int dimensions_;
};

}  // namespace zwang::python
