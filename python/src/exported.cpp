// SPDX-License-Identifier: BSD-3-Clause
// Exported: memory of Python objects, by the array itself or by the buffer protocol.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "numpy_memory.hpp"

namespace zwang::python {

/// A view may point into itself: of a plain buffer the shape is its own length, the stride its own item size.
void Exported::repoint(const Exported& from) {
  if (array_) {
    std::copy_n(from.extents_, 2 * k_extents, extents_);
    view_.shape = extents_, view_.strides = extents_ + k_extents;
    return;
  }
  if (view_.shape == &from.view_.len) view_.shape = &view_.len;
  if (view_.strides == &from.view_.itemsize) view_.strides = &view_.itemsize;
}

Exported::Exported(Exported&& other) noexcept : held_(std::exchange(other.held_, false)) {
  if (!held_) return;
  view_ = other.view_, array_ = other.array_;
  repoint(other);
}
Exported& Exported::operator=(Exported&& other) noexcept {
  if (this == &other) return *this;
  this->~Exported();
  return *new (this) Exported(std::move(other));
}
Exported::~Exported() {
  if (!held_) return;
  if (array_)
    Py_DECREF(view_.obj);
  else
    PyBuffer_Release(&view_);
}
bool Exported::open(nb::handle object, int flags) {
  static char float64[] = "d";
  const ArrayFields* const x = float64_array(object);
  if (x != nullptr && x->dimensions <= k_extents && (x->writable() || (flags & PyBUF_WRITABLE) == 0)) {
    view_ = Py_buffer();
    view_.buf = x->data, view_.obj = object.inc_ref().ptr(), view_.itemsize = sizeof(double);
    view_.readonly = !x->writable(), view_.ndim = x->dimensions, view_.format = float64;
    view_.shape = extents_, view_.strides = extents_ + k_extents;
    std::copy_n(x->shape, x->dimensions, view_.shape);
    std::copy_n(x->strides, x->dimensions, view_.strides);
    view_.len = view_.itemsize;
    for (int k = 0; k < view_.ndim; ++k) view_.len *= view_.shape[k];
    return array_ = held_ = true;
  }
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  held_ = PyObject_GetBuffer(object.ptr(), &view_, flags) == 0;
  if (!held_) PyErr_Clear();
  return held_;
}
void Exported::range(const char*& begin, const char*& end) const {
  begin = static_cast<const char*>(view_.buf);
  end = begin + view_.itemsize;
  for (int k = 0; k < view_.ndim; ++k) {
    if (view_.shape[k] == 0) {
      end = begin;
      return;
    }
    const Py_ssize_t span = view_.strides[k] * (view_.shape[k] - 1);
    (span < 0 ? begin : end) += span;
  }
}

bool Exported::overlaps_itself() const {
  struct Extent {
    Py_ssize_t step, size;
  };
  std::vector<Extent> extents;
  std::size_t count = 1;
  for (int k = 0; k < view_.ndim; ++k) {
    if (view_.shape[k] == 0) return false;
    if (view_.shape[k] > 1) extents.push_back({std::abs(view_.strides[k]), view_.shape[k]});
    count *= static_cast<std::size_t>(view_.shape[k]);
  }
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.step < b.step; });
  Py_ssize_t inner = view_.itemsize;  // bytes that the extents so far span
  bool nested = true;
  for (const Extent& x : extents) {
    nested = nested && x.step >= inner;
    inner += x.step * (x.size - 1);
  }
  if (nested) return false;
  if (count > static_cast<std::size_t>(inner) / static_cast<std::size_t>(view_.itemsize)) return true;
  std::vector<Py_ssize_t> places{0};  // extents that interleave: every place is looked at
  places.reserve(count);
  for (const Extent& x : extents)
    for (std::size_t k = 0, n = places.size(); k < n; ++k)
      for (Py_ssize_t i = 1; i < x.size; ++i) places.push_back(places[k] + i * x.step);
  std::sort(places.begin(), places.end());
  for (std::size_t k = 1; k < places.size(); ++k)
    if (places[k] - places[k - 1] < view_.itemsize) return true;
  return false;
}
void Exported::refuse_overlap(const char* function, const char* own_name, const Exported& other,
                              const char* name) const {
  if (!held_ || !other.held_) return;
  const char *a0, *a1, *b0, *b1;
  range(a0, a1);
  other.range(b0, b1);
  if (a0 >= b1 || b0 >= a1) return;
  static PyObject* slot;
  const nb::handle shares = kept(slot, "numpy", "shares_memory");  // memory with strides may interleave without sharing
  if (!nb::cast<bool>(shares(nb::handle(view_.obj), nb::handle(other->obj)))) return;
  throw std::invalid_argument("E_OUT " + std::string(function) + ": argument '" + own_name + "' shares memory with '" +
                              name + "'; give memory of its own");
}

}  // namespace zwang::python
