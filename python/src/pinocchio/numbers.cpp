// SPDX-License-Identifier: BSD-3-Clause
#include "numbers.hpp"

#include <nanobind/ndarray.h>

#include <cstring>
#include <stdexcept>

#include "../numpy_memory.hpp"

namespace zwang::python::pinocchio {
namespace {

Fresh fresh(const Py_ssize_t* shape, int dimensions, bool by_columns) {
  nb::object array = new_float64_array(shape, dimensions, by_columns);
  if (array.is_valid()) {
    double* const numbers = reinterpret_cast<double*>(float64_array(array)->data);
    return {std::move(array), numbers};
  }
  static PyObject* empty;
  nb::list sizes;
  for (int k = 0; k < dimensions; ++k) sizes.append(shape[k]);
  array = kept(empty, "numpy", "empty")(nb::tuple(sizes), "float64", by_columns ? "F" : "C");
  Exported memory;
  memory.open(array, PyBUF_STRIDES | PyBUF_WRITABLE);
  return {array, static_cast<double*>(memory->buf)};
}

nb::object view(double* numbers, const Py_ssize_t* shape, const Py_ssize_t* strides, int dimensions, nb::handle owner) {
  nb::object array = float64_view(numbers, shape, strides, dimensions, owner);
  if (array.is_valid()) return array;
  const std::size_t sizes[] = {static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[dimensions - 1])};
  const std::int64_t steps[] = {strides[0] / 8, strides[dimensions - 1] / 8};
  return nb::cast(nb::ndarray<nb::numpy, double>(numbers, static_cast<std::size_t>(dimensions), sizes, owner, steps));
}

/// The numbers of an argument as an array of float64, for the time of a call.
class Given {
 public:
  explicit Given(nb::handle x) {
    fields_ = float64_array(x);
    if (fields_ != nullptr) return;
    static PyObject* as_array;
    held_ = kept(as_array, "numpy", "asarray")(x, "float64");
    memory_.open(held_, PyBUF_STRIDES);
  }
  int dimensions() const { return fields_ != nullptr ? fields_->dimensions : memory_->ndim; }
  Index size(int k) const { return static_cast<Index>((fields_ != nullptr ? fields_->shape : memory_->shape)[k]); }
  Py_ssize_t stride(int k) const { return (fields_ != nullptr ? fields_->strides : memory_->strides)[k]; }
  const char* data() const { return fields_ != nullptr ? fields_->data : static_cast<const char*>(memory_->buf); }
  [[noreturn]] void refuse(const char* what, const std::string& expected) const {
    const Py_ssize_t* const shape = fields_ != nullptr ? fields_->shape : memory_->shape;
    throw std::invalid_argument(std::string(what) + " has shape " + shape_text(shape, dimensions()) + ", expected " +
                                expected);
  }

 private:
  const ArrayFields* fields_ = nullptr;
  nb::object held_;
  Exported memory_;
};

double number_at(const char* data) {
  double x;
  std::memcpy(&x, data, sizeof x);
  return x;
}

}  // namespace

Fresh fresh(Index size) {
  const Py_ssize_t shape[] = {size};
  return fresh(shape, 1, false);
}
Fresh fresh_matrix(Index rows, Index columns) {
  const Py_ssize_t shape[] = {rows, columns};
  return fresh(shape, 2, true);
}
Fresh fresh_rows(Index rows, Index columns) {
  const Py_ssize_t shape[] = {rows, columns};
  return fresh(shape, 2, false);
}

nb::object view(double* numbers, Index size, nb::handle owner) {
  const Py_ssize_t shape[] = {size}, strides[] = {8};
  return view(numbers, shape, strides, 1, owner);
}
nb::object column(double* numbers, Index size, Index step, nb::handle owner) {
  const Py_ssize_t shape[] = {size}, strides[] = {8 * static_cast<Py_ssize_t>(step)};
  return view(numbers, shape, strides, 1, owner);
}
nb::object view(double* numbers, Index rows, Index columns, Index stride, nb::handle owner) {
  const Py_ssize_t shape[] = {rows, columns}, strides[] = {8 * static_cast<Py_ssize_t>(stride), 8};
  return view(numbers, shape, strides, 2, owner);
}

bool read_at_once(nb::handle x, Index size, double* out) {
  const ArrayFields* const a = float64_array(x);
  if (a == nullptr || a->dimensions != 1 || a->shape[0] != size) return false;
  const Py_ssize_t step = a->strides[0];
  if (step == static_cast<Py_ssize_t>(sizeof(double)))
    std::memcpy(out, a->data, sizeof(double) * static_cast<std::size_t>(size));
  else
    for (Index k = 0; k < size; ++k) out[k] = number_at(a->data + k * step);
  return true;
}

bool is_array(nb::handle x, Index rows, Index columns) {
  const ArrayFields* const a = float64_array(x);
  return a != nullptr && a->dimensions == 2 && a->shape[0] == rows && a->shape[1] == columns;
}
bool is_float64(const Exported& memory) {
  const char* format = memory->format;
  if (format == nullptr || memory->itemsize != sizeof(double)) return false;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  return std::strcmp(format, "d") == 0;
}
Index count(nb::handle x) {
  const Given given(x);
  Index product = 1;
  for (int k = 0; k < given.dimensions(); ++k) product *= given.size(k);
  return product;
}

void read(nb::handle x, Index size, const char* what, double* out) {
  if (read_at_once(x, size, out)) return;
  const Given given(x);
  const int n = given.dimensions();
  const bool column = n == 2 && (given.size(1) == 1 || given.size(0) == 1);
  const int along = n == 2 && given.size(0) == 1 ? 1 : 0;
  if ((n != 1 && !column) || given.size(along) != size) given.refuse(what, "(" + std::to_string(size) + ",)");
  for (Index k = 0; k < size; ++k) out[k] = number_at(given.data() + k * given.stride(along));
}

void read(nb::handle x, Index rows, Index columns, const char* what, double* out, Index stride) {
  const Given given(x);
  if (given.dimensions() != 2 || given.size(0) != rows || given.size(1) != columns)
    given.refuse(what, "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")");
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < columns; ++k)
      out[i * stride + k] = number_at(given.data() + i * given.stride(0) + k * given.stride(1));
}

}  // namespace zwang::python::pinocchio
