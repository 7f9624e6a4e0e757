// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <nanobind/stl/pair.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "numpy_memory.hpp"
#include "zwang/core/copy_matrix.hpp"
#include "zwang/core/scalar.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/path/position_limits.hpp"

namespace zwang::python {
namespace {

/// The letter of a plain native number, or 0.
char number_format(const char* format) {
  if (format == nullptr) return 'B';
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  return *format != 0 && format[1] == 0 ? *format : '\0';
}

template <class T> double read_as(const char* at) {
  T x;
  std::memcpy(&x, at, sizeof(T));
  return static_cast<double>(x);
}
using Reader = double (*)(const char*);
Reader reader_of(char format, Py_ssize_t bytes) {
  if (format == 'd') return read_as<double>;
  if (format == 'f') return read_as<float>;
  const bool is_signed = std::strchr("bhilqn", format) != nullptr;
  if (format == 0 || (!is_signed && std::strchr("BHILQN", format) == nullptr)) return nullptr;
  switch (bytes) {
    case 1: return is_signed ? read_as<std::int8_t> : read_as<std::uint8_t>;
    case 2: return is_signed ? read_as<std::int16_t> : read_as<std::uint16_t>;
    case 4: return is_signed ? read_as<std::int32_t> : read_as<std::uint32_t>;
    case 8: return is_signed ? read_as<std::int64_t> : read_as<std::uint64_t>;
    default: return nullptr;
  }
}

std::string dtype_text(nb::handle object) {
  nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return dtype.is_none() ? type_text(object) : "dtype " + std::string(nb::str(dtype).c_str());
}

/// A joint by its name, or number k of it by `joint[k]`; else k is -1.
std::pair<const Joint&, Index> joint_or_entry(const Model& model, const std::string& name) {
  const std::size_t open = name.rfind('[');
  if (model.find_joint(name).value >= 0 || open == std::string::npos || name.back() != ']')
    return {model.joint(name), -1};
  const std::string joint = name.substr(0, open);
  Index k = -1;
  const char* const end = name.data() + name.size() - 1;
  const auto [rest, error] = std::from_chars(name.data() + open + 1, end, k);
  if (error != std::errc() || rest != end || k < 0 || model.find_joint(joint).value < 0) return {model.joint(name), -1};
  return {model.joint(joint), k};
}

bool is_text(nb::handle x) { return PyBytes_Check(x.ptr()) || PyByteArray_Check(x.ptr()) || PyUnicode_Check(x.ptr()); }

}  // namespace

nb::handle kept(PyObject*& slot, const char* module, const char* name) {
  if (slot == nullptr) slot = nb::object(nb::module_::import_(module).attr(name)).release().ptr();
  return slot;
}

std::string type_text(nb::handle object) {
  const std::string name = nb::type_name(object.type()).c_str(), own = "zwang._zwang.";
  return name.rfind(own, 0) == 0 ? name.substr(own.size()) : name;
}

nb::str text_of(const std::string& text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) nb::raise_python_error();
  return nb::steal<nb::str>(decoded);
}

std::pair<double, double> limits_argument(const char* function, const char* name, const std::string& of,
                                          nb::handle given) {
  double most = 0;
  if (nb::try_cast(given, most)) {
    if (most == 0)
      throw std::invalid_argument(
          std::string("E_LIMIT ") + function + ": argument '" + name + "' is 0 for '" + of +
          "', which files give where no limit is known: expected a number above 0, or (0, 0) for no "
          "force at all");
    return {-most, most};
  }
  std::pair<double, double> both;
  if (nb::try_cast(given, both)) return both;
  throw std::invalid_argument(std::string("E_DTYPE ") + function + ": argument '" + name + "' holds type " +
                              type_text(given) + " for '" + of + "', expected a number or (lower, upper)");
}

std::string text_argument(const char* function, const char* name, nb::handle given) {
  if (PyBytes_Check(given.ptr()))
    return {PyBytes_AsString(given.ptr()), static_cast<std::size_t>(PyBytes_Size(given.ptr()))};
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(given.ptr()) ? PyUnicode_AsUTF8AndSize(given.ptr(), &size) : nullptr;
  if (text != nullptr) return {text, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw_type(function, name, given, "text");
}

std::vector<std::string> names_argument(const char* function, const char* name, nb::handle given,
                                        const std::vector<std::string>& known) {
  const auto refuse = [&](const std::string& got) {
    std::string text = "E_NAME " + std::string(function) + ": argument '" + name + "' " + got + ", expected some of ";
    for (const std::string& x : known) text += (&x == &known.front() ? "" : ", ") + x;
    throw std::invalid_argument(text);
  };
  PyObject* const of = given.ptr();
  if (PyUnicode_Check(of)) return names_argument(function, name, nb::make_tuple(given), known);
  if (!PyList_Check(of) && !PyTuple_Check(of) && !PyAnySet_Check(of)) refuse("has type " + type_text(given));
  std::vector<std::string> names;
  for (nb::handle x : given) names.push_back(text_argument(function, name, x));
  if (names.empty()) refuse("names nothing");
  for (const std::string& x : names)
    if (std::find(known.begin(), known.end(), x) == known.end()) {
      const std::string near = nearest_name(x, known);
      refuse("names '" + x + "'" + (near.empty() ? "" : " (did you mean '" + near + "'?)"));
    }
  return names;
}

std::string shape_text(const Py_ssize_t* shape, int dimensions) {
  std::string text = "(";
  for (int k = 0; k < dimensions; ++k) text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return text + (dimensions == 1 ? ",)" : ")");
}

Input::Input(const char* function, const char* name, nb::handle given, Index size, VectorKind kind, const Model* model,
             Precision precision)
    : function_(function),
      name_(name),
      size_(size),
      kind_(kind),
      precision_(precision) {
  if (model != nullptr && kind != VectorKind::numbers && PyDict_Check(given.ptr()))
    read_names(given, kind, model);
  else
    read(given);
  if (model != nullptr && kind == VectorKind::configuration && size == model->nq()) ask_for_degrees(*model);
}

/// A warning where joints of the first states or the last one are whole turns beyond their limits.
void Input::ask_for_degrees(const Model& model) const {
  constexpr double k_large = 25;  // below four turns nothing is asked
  constexpr Index k_looked_at = 256;
  const auto ask = [&](Index state) {
    const double* const q = at(state);
    if (!std::any_of(q, q + size_, [](double x) { return std::fabs(x) > k_large; })) return false;
    const std::string question = question_of_degrees(model, Eigen::Map<const Eigen::VectorXd>(q, size_));
    if (question.empty()) return false;
    const std::string text = std::string(function_) + ": argument '" + name_ + "': " + question;
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) nb::raise_python_error();
    return true;
  };
  const Index states = std::max<Index>(states_, states_ < 0 ? 1 : 0);
  for (Index k = 0; k < std::min(states, k_looked_at); ++k)
    if (ask(k)) return;
  if (states > k_looked_at) ask(states - 1);
}

void Input::wrong(const std::string& got, const char* code) const {
  const std::string n = std::to_string(size_);
  throw std::invalid_argument(code + (" " + std::string(function_)) + ": argument '" + name_ + "' has " + got +
                              ", expected float64 of shape (" + n + ",) or (N, " + n + ")" +
                              (got == "dtype float32" ? "; .astype(float) makes it float64" : ""));
}

bool Input::is_single(nb::handle given) {
  Exported memory;
  return memory.open(given, PyBUF_FORMAT | PyBUF_STRIDES) && number_format(memory->format) == 'f';
}

void Input::check_shape(const Py_ssize_t* shape, int dimensions) {
  if (dimensions < 1 || dimensions > 2 || shape[dimensions - 1] != size_ || shape[0] > 0x7fffffff)
    wrong("shape " + shape_text(shape, dimensions), "E_SIZE");
  states_ = dimensions == 2 ? static_cast<Index>(shape[0]) : -1;
}

void Input::read(nb::handle given) {
  if (float64_array(given) == nullptr && (is_text(given) || given.is_none())) wrong("type " + type_text(given));
  if (read_buffer(given)) return;
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) return read_sequence(given);
  if (nb::hasattr(given, "__array__")) {
    static PyObject* slot;
    const nb::handle asarray = kept(slot, "numpy", "asarray");
    nb::object array = asarray(given);
    if (read_buffer(array)) return;
  }
  wrong("type " + type_text(given));
}

/// Contiguous rows that are stored in reverse order are read in place.
template <class T> const T* Input::in_place_or_copied(std::vector<T>& copy) {
  const Py_buffer& view = *memory_;
  constexpr Py_ssize_t bytes = sizeof(T);
  const Py_ssize_t step = view.strides[view.ndim - 1], jump = states_ < 0 ? 0 : view.strides[0];
  const bool native = number_format(view.format) == (bytes == 8 ? 'd' : 'f');
  if (native && (step == bytes || size_ <= 1) && jump >= 0 && jump % bytes == 0 &&
      reinterpret_cast<std::uintptr_t>(view.buf) % bytes == 0) {
    stride_ = jump / bytes;
    return static_cast<const T*>(view.buf);
  }
  const Index count = states_ < 0 ? 1 : states_;
  const Reader reader = reader_of(number_format(view.format), view.itemsize);
  copy.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(size_));
  T* to = copy.data();
  for (Index s = 0; s < count; ++s)
    for (Index k = 0; k < size_; ++k)
      *to++ = static_cast<T>(reader(static_cast<const char*>(view.buf) + s * jump + k * step));
  stride_ = size_;
  memory_ = Exported();
  return copy.data();
}

bool Input::read_buffer(nb::handle given) {
  if (!memory_.open(given, PyBUF_FORMAT | PyBUF_STRIDES)) return false;
  const char format = number_format(memory_->format);
  const bool single = format == 'f' && precision_ == Precision::any;
  const bool refused = format == 'f' && precision_ == Precision::twice;
  if (!single && (refused || reader_of(format, memory_->itemsize) == nullptr)) wrong(dtype_text(given));
  check_shape(memory_->shape, memory_->ndim);
  if (single)
    single_ = in_place_or_copied(single_copy_);
  else
    data_ = in_place_or_copied(copy_);
  return true;
}

const double* Input::converted(Index state) const {
  const float* const x = single_ + (states_ < 0 ? 0 : state * stride_);
  converted_.assign(x, x + size_);
  return converted_.data();
}

void Input::read_sequence(nb::handle given) {
  const Py_ssize_t n = PySequence_Size(given.ptr());
  if (n > 0) {
    nb::object first = nb::steal(PySequence_GetItem(given.ptr(), 0));
    if (!first.is_valid()) nb::raise_python_error();
    const bool nested = PyList_Check(first.ptr()) || PyTuple_Check(first.ptr()) ||
                        (nb::hasattr(first, "ndim") && nb::cast<int>(first.attr("ndim"), false) > 0);
    if (nested) {
      static PyObject* slot;
      const nb::handle asarray = kept(slot, "numpy", "asarray");
      nb::object array;
      try {
        array = asarray(given);
      } catch (nb::python_error&) { wrong("rows of different lengths", "E_SIZE"); }
      if (!read_buffer(array)) wrong("type " + type_text(given));
      return;
    }
  }
  check_shape(&n, 1);
  copy_.resize(static_cast<std::size_t>(n));
  for (Py_ssize_t k = 0; k < n; ++k) {
    nb::object item = nb::steal(PySequence_GetItem(given.ptr(), k));
    const double x = item.is_valid() ? PyFloat_AsDouble(item.ptr()) : -1;
    if (x == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      wrong(item.is_valid() ? "type " + type_text(item) + " in entry " + std::to_string(k) : "a changing length");
    }
    copy_[static_cast<std::size_t>(k)] = x;
  }
  data_ = copy_.data();
}

void Input::read_names(nb::handle given, VectorKind kind, const Model* model) {
  copy_.assign(static_cast<std::size_t>(size_), 0.0);
  std::vector<bool> given_twice(copy_.size());
  if (kind == VectorKind::configuration) neutral(*model, Eigen::Map<Eigen::VectorXd>(copy_.data(), size_));
  for (auto [key, value] : copy_of_dictionary(given)) {
    if (!PyUnicode_Check(key.ptr())) wrong("a key of type " + type_text(key));
    const std::string name = text_argument(function_, name_, key);
    const auto [joint, entry] = joint_or_entry(*model, name);
    Range range = kind == VectorKind::configuration ? joint.q : joint.v;
    if (!joint.mimic.leader.empty())
      throw std::invalid_argument(std::string(function_) + ": argument '" + name_ + "' names joint '" + joint.name +
                                  "', which mimics '" + joint.mimic.leader + "' and has no coordinate of its own");
    if (entry >= range.size)
      throw std::invalid_argument(std::string(function_) + ": argument '" + name_ + "' names '" + name +
                                  "', but joint '" + joint.name + "' has " + std::to_string(range.size) +
                                  " numbers there");
    if (entry >= 0) range = {range.first + entry, 1};
    for (Index k = range.first; k < range.end(); ++k) {
      if (given_twice[static_cast<std::size_t>(k)])
        throw std::invalid_argument(std::string(function_) + ": argument '" + name_ + "' gives a number of joint '" +
                                    joint.name + "' twice");
      given_twice[static_cast<std::size_t>(k)] = true;
    }
    if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
      if (range.size != 1)
        throw std::invalid_argument(std::string(function_) + ": argument '" + name_ + "' has one number for joint '" +
                                    joint.name + "', expected " + std::to_string(range.size));
      const double x = PyFloat_AsDouble(value.ptr());
      if (x == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
      copy_[static_cast<std::size_t>(range.first)] = x;
      continue;
    }
    const Input part(function_, name_, value, range.size);
    if (part.states() >= 0)
      throw std::invalid_argument(std::string(function_) + ": argument '" + name_ + "' has several states for joint '" +
                                  joint.name + "'; give an array for a batch");
    for (Index k = 0; k < range.size; ++k) copy_[static_cast<std::size_t>(range.first + k)] = part.at(0)[k];
  }
  data_ = copy_.data();
}

Output::Output(const char* function, const char* name, nb::handle out, Index states, std::span<const Index> shape,
               bool single, bool lone)
    : name_(name),
      single_(single),
      fresh_(out.is_none()),
      states_(states < 0 ? 1 : states) {
  if (lone && fresh_ && states < 0 && shape.empty()) {
    memory_.point_to(number_);
    return;
  }
  Py_ssize_t expected[4];
  int n = 0;
  if (states >= 0) expected[n++] = states;
  for (const Index k : shape) expected[n++] = k;
  if (out.is_none()) {
    if (!single) array = new_float64_array(expected, n);
    if (!array.is_valid()) {
      nb::object tuple = nb::steal(PyTuple_New(n));
      for (int k = 0; k < n; ++k) PyTuple_SetItem(tuple.ptr(), k, PyLong_FromSsize_t(expected[k]));
      static PyObject* slot;
      const nb::handle empty = kept(slot, "numpy", "empty");
      array = single ? empty(tuple, "float32") : empty(tuple);
    }
  } else {
    array = nb::borrow(out);
  }
  const auto refuse = [&](const std::string& got) {
    throw std::invalid_argument("E_OUT " + std::string(function) + ": argument '" + name + "' has " + got +
                                ", expected a writable " + (single ? "float32" : "float64") + " array of shape " +
                                shape_text(expected, n));
  };
  if ((!fresh_ && is_text(out)) || !memory_.open(array, PyBUF_FORMAT | PyBUF_STRIDES))
    refuse("type " + type_text(array));
  const Py_ssize_t bytes = single ? sizeof(float) : sizeof(double);
  if (number_format(memory_->format) != (single ? 'f' : 'd') || memory_->itemsize != bytes) refuse(dtype_text(array));
  if (memory_->readonly) refuse("read-only memory");
  if (memory_->ndim != n ||
      std::memcmp(memory_->shape, expected, static_cast<std::size_t>(n) * sizeof(Py_ssize_t)) != 0)
    refuse("shape " + shape_text(memory_->shape, memory_->ndim));
  const auto apart = static_cast<std::uintptr_t>(bytes);
  if (reinterpret_cast<std::uintptr_t>(memory_->buf) % apart != 0) refuse("memory that is not aligned");
  int k = 0;
  if (states >= 0) stride_[0] = memory_->strides[k++];
  const Index* size = shape.data();
  if (shape.size() > 2) between_ = memory_->strides[k++], rows_ = *size++;
  if (shape.size() > 0) stride_[1] = memory_->strides[k++], of_one_ = *size++, rows_ *= of_one_;
  if (shape.size() > 1) stride_[2] = memory_->strides[k++], columns_ = *size;
  for (int i = 0; i < n; ++i)
    if (memory_->strides[i] % bytes != 0) refuse("memory that is not aligned");
  if (!out.is_none() && memory_.overlaps_itself()) refuse("rows or entries that share memory");
}

double* Output::entry(Index state, Index row, Index column) const {
  return reinterpret_cast<double*>(static_cast<char*>(memory_->buf) + state * stride_[0] + row / of_one_ * between_ +
                                   row % of_one_ * stride_[1] + column * stride_[2]);
}
void Output::set(Index state, Index row, Index column, double x) const {
  if (holds_back_) {
    held_back_[static_cast<std::size_t>(state) * static_cast<std::size_t>(size()) +
               static_cast<std::size_t>(row * columns_ + column)] = x;
    return;
  }
  double* const at = entry(state, row, column);
  if (single_)
    *reinterpret_cast<float*>(at) = static_cast<float>(x);
  else
    *at = x;
}
template <class T> void Output::write(Index state, const T* x, std::ptrdiff_t down, std::ptrdiff_t right) const {
  if (columns_ == 1) right = 1;
  const auto matrices = [&](auto* to, std::ptrdiff_t between, std::ptrdiff_t row, std::ptrdiff_t column) {
    using To = std::remove_pointer_t<decltype(to)>;
    for (Index first = 0; first < rows_; first += of_one_, to += between, x += of_one_ * down)
      copy_matrix(Strided<const T>{x, down, right}, Strided<To>{to, row, column}, of_one_, columns_);
  };
  const auto in_array = [&]<class To>(std::type_identity<To>) {
    constexpr std::ptrdiff_t bytes = sizeof(To);
    To* const to = reinterpret_cast<To*>(static_cast<char*>(memory_->buf) + state * stride_[0]);
    matrices(to, between_ / bytes, stride_[1] / bytes, columns_ > 1 ? stride_[2] / bytes : 1);
  };
  if (holds_back_)
    matrices(held_back_.data() + static_cast<std::ptrdiff_t>(state) * size(), of_one_ * columns_, columns_, 1);
  else if (single_)
    in_array(std::type_identity<float>());
  else
    in_array(std::type_identity<double>());
}
template void Output::write(Index, const double*, std::ptrdiff_t, std::ptrdiff_t) const;
template void Output::write(Index, const float*, std::ptrdiff_t, std::ptrdiff_t) const;
void Output::fill(Index state, double x) const {
  for (Index j = 0; j < columns_; ++j)
    for (Index i = 0; i < rows_; ++i) set(state, i, j, x);
}

void Output::refuse_overlap(const char* function, const Exported& other, const char* name) const {
  if (!fresh_) memory_.refuse_overlap(function, name_, other, name);
}
void StatusOutput::refuse_overlap(const char* function, const Exported& other, const char* name) const {
  memory_.refuse_overlap(function, "status", other, name);
}

void Output::hold_back() {
  holds_back_ = true;
  held_back_.assign(static_cast<std::size_t>(states_) * static_cast<std::size_t>(size()), 0.0);
}
void Output::deliver() {
  holds_back_ = false;
  for (Index s = 0; s < states_; ++s) put_rows(s, held_back_.data() + static_cast<std::ptrdiff_t>(s) * size());
  held_back_.clear();
}

StatusOutput::StatusOutput(const char* function, nb::handle given, Index states) {
  if (given.is_none()) return;
  const Py_ssize_t n = states;
  const int dimensions = states < 0 ? 0 : 1;
  const auto refuse = [&](const std::string& got) {
    throw std::invalid_argument("E_OUT " + std::string(function) + ": argument 'status' has " + got +
                                ", expected a writable uint8 array of shape " + shape_text(&n, dimensions));
  };
  if (is_text(given) || !memory_.open(given, PyBUF_FORMAT | PyBUF_STRIDES)) refuse("type " + type_text(given));
  const char format = number_format(memory_->format);
  if ((format != 'B' && format != 'b') || memory_->itemsize != 1) refuse(dtype_text(given));
  if (memory_->readonly) refuse("read-only memory");
  if (memory_->ndim != dimensions || (dimensions == 1 && memory_->shape[0] != n))
    refuse("shape " + shape_text(memory_->shape, memory_->ndim));
  if (memory_.overlaps_itself()) refuse("entries that share memory");
  if (dimensions == 1) stride_ = memory_->strides[0];
}

nb::object new_array(std::initializer_list<Index> shape) {
  return Output("array", "shape", nb::none(), -1, shape).array;
}
nb::object new_array(const double* x, Index size) {
  const Output out("array", "shape", nb::none(), -1, {size});
  out.put(0, x);
  return out.array;
}
nb::object new_array(const std::vector<double>& x) { return new_array(x.data(), static_cast<Index>(x.size())); }
nb::object new_array(const Transform<double>& X) {
  return new_matrix(4, 4, [&](Index i, Index j) {
    if (i == 3) return j == 3 ? 1.0 : 0.0;
    return j == 3 ? X.p[i] : X.R(i, j);
  });
}

std::vector<double> numbers(const char* function, const char* name, nb::handle given) {
  if (given.is_none()) return {};
  if (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr())) {
    const nb::tuple one = nb::make_tuple(given);
    return numbers(function, name, one);
  }
  const Py_ssize_t size = is_text(given) ? -1 : PyObject_Size(given.ptr());
  if (size < 0) PyErr_Clear();
  const Input x(function, name, given, static_cast<Index>(std::min<Py_ssize_t>(std::max<Py_ssize_t>(size, 0), 1 << 20)),
                VectorKind::numbers, nullptr, Precision::converted);
  if (x.states() >= 0)
    throw std::invalid_argument("E_SIZE " + std::string(function) + ": argument '" + name +
                                "' has several rows, expected one dimension");
  const double* e = x.at(0);
  for (Index k = 0; k < x.size(); ++k)
    if (!is_finite(e[k])) detail::throw_not_finite(function, name, k, e[k]);
  return {e, e + x.size()};
}

Vec3<double> vec3(const char* function, const char* name, nb::handle given) {
  const Input x(function, name, given, 3, VectorKind::numbers, nullptr, Precision::converted);
  const double* e = x.at(0);
  if (x.states() >= 0)
    throw std::invalid_argument(std::string(function) + ": argument '" + name +
                                "' has several rows, expected shape (3,)");
  for (Index k = 0; k < 3; ++k)
    if (!is_finite(e[k])) detail::throw_not_finite(function, name, k, e[k]);
  return {e[0], e[1], e[2]};
}

}  // namespace zwang::python
