// SPDX-License-Identifier: BSD-3-Clause
// Matrices and vectors of any size as arguments.
#pragma once
#include <Eigen/Core>
#include <string>

#include "arrays.hpp"
#include "bind.hpp"

namespace zwang::python {

/// An argument of `order` dimensions (1: a vector, 2: a matrix), or N of them; float64, row by row.
class Matrices {
 public:
  Matrices(const char* function, const char* name, nb::handle given, int order)
      : function_(function),
        name_(name),
        order_(order) {
    static PyObject *asarray, *contiguous;
    const auto wrong = [&](const std::string& got, const char* code) {
      throw std::invalid_argument(std::string(code) + " " + function + ": argument '" + name + "' has " + got +
                                  ", expected " +
                                  (order == 1 ? "a vector, or (N, its size)" : "a matrix, or (N, its shape)"));
    };
    if (given.is_none()) wrong("type NoneType", "E_DTYPE");
    nb::object array;
    try {
      array = kept(asarray, "numpy", "asarray")(given);
    } catch (nb::python_error&) { wrong("rows of different lengths", "E_SIZE"); }
    const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    const bool empty = nb::cast<std::size_t>(array.attr("size")) == 0;
    const bool narrow = kind == "f" && nb::cast<int>(array.attr("dtype").attr("itemsize")) != 8;
    if ((kind != "f" && kind != "i" && kind != "u" && !empty) || narrow)
      wrong(std::string("dtype ") + nb::str(nb::object(array.attr("dtype"))).c_str() + ", which is not float64",
            "E_DTYPE");
    array_ = kept(contiguous, "numpy", "ascontiguousarray")(array, nb::arg("dtype") = "float64");
    memory_.open(array_, PyBUF_FORMAT | PyBUF_STRIDES);
    const int dimensions = nb::cast<int>(array.attr("ndim"));
    if (dimensions != order && dimensions != order + 1)
      wrong(std::string("shape ") + nb::str(nb::object(array.attr("shape"))).c_str(), "E_SIZE");
    for (int k = 0; k < dimensions; ++k)
      if (memory_->shape[k] > 0x7fffffff) wrong("more than 2^31 - 1 entries", "E_SIZE");
    states_ = dimensions > order ? static_cast<Index>(memory_->shape[0]) : -1;
    rows_ = static_cast<Index>(memory_->shape[dimensions - order]);
    columns_ = order == 2 ? static_cast<Index>(memory_->shape[dimensions - 1]) : 1;
  }
  Index states() const { return states_; }  ///< -1 for one
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Eigen::MatrixXd at(Index state) const {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(rows_) * columns_;
    return Eigen::Map<const RowMajor>(static_cast<const double*>(memory_->buf) + (states_ < 0 ? 0 : state * size),
                                      rows_, columns_);
  }
  Eigen::VectorXd vector(Index state) const { return at(state).reshaped(); }
  /// The number of states of all arguments so far.
  void join(Index& states) const {
    if (states_ < 0) return;
    if (states >= 0 && states != states_)
      throw std::invalid_argument(std::string("E_SIZE ") + function_ + ": argument '" + name_ + "' has " +
                                  std::to_string(states_) + " states, expected " + std::to_string(states));
    states = states_;
  }

 private:
  const char *function_, *name_;
  int order_;
  nb::object array_;
  Exported memory_;
  Index states_ = -1, rows_ = 0, columns_ = 1;
};

}  // namespace zwang::python
