// SPDX-License-Identifier: BSD-3-Clause
// Numbers in and out of Python: the vectors that a function takes, and the arrays that it returns or fills.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "zwang/core/status.hpp"
#include "zwang/model/model.hpp"

namespace zwang::python {

namespace nb = nanobind;

/// Memory that a Python object lends as long as this lives. Made, moved and destroyed under the GIL.
class Exported {
 public:
  Exported() = default;
  Exported(Exported&& other) noexcept;
  Exported& operator=(Exported&& other) noexcept;
  ~Exported();
  /// False, without a Python error, if the object has no buffer with these PyBUF_ flags.
  bool open(nb::handle object, int flags);
  const Py_buffer* operator->() const { return &view_; }
  const Py_buffer& operator*() const { return view_; }
  bool held() const { return held_; }
  /// A number of one's own, which nobody lends.
  void point_to(double& x) {
    view_ = Py_buffer();
    view_.buf = &x, view_.itemsize = sizeof(double);
  }
  /// The bytes from the first to one past the last, for any strides.
  void range(const char*& begin, const char*& end) const;
  /// Whether two of its numbers share memory.
  bool overlaps_itself() const;
  /// Throws std::invalid_argument where it shares memory with another argument.
  void refuse_overlap(const char* function, const char* own_name, const Exported& other, const char* name) const;

 private:
  static constexpr int k_extents = 4;
  void repoint(const Exported& from);

  Py_buffer view_;
  bool held_ = false;
  bool array_ = false;                 ///< read from the array itself, not lent by the buffer protocol
  Py_ssize_t extents_[2 * k_extents];  ///< then: its shape and strides, which the array may change
};

/// Meaning of the entries of a vector, for vectors given by joint name: an absent joint is neutral, or zero.
enum class VectorKind { numbers, configuration, tangent };

/// Types of floating-point numbers that an argument may have. converted:
/// float32 is read as the same numbers in float64.
enum class Precision { twice, any, converted };

/// A vector argument: one of `size` numbers, or N of them. Contiguous float64 (and float32) is read in place, other
/// input is copied.
///
/// Accepted: arrays of float64 and of integers with any strides, lists and tuples of numbers, objects with __array__,
/// and dictionaries from joint names to numbers; with Precision::any and converted also arrays of float32. Other input
/// is refused with std::invalid_argument naming the argument, got and expected.
class Input {
 public:
  Input(const char* function, const char* name, nb::handle given, Index size, VectorKind kind = VectorKind::numbers,
        const Model* model = nullptr, Precision precision = Precision::twice);
  /// A view of numbers owned by someone else.
  Input(const char* name, const double* data, Index size) : function_(""), name_(name), size_(size), data_(data) {}
  Index states() const { return states_; }  ///< -1 for one vector
  Index size() const { return size_; }
  /// The numbers of a state; float32 as double, until the next call.
  const double* at(Index state) const {
    return single_ == nullptr ? data_ + (states_ < 0 ? 0 : state * stride_) : converted(state);
  }
  bool single() const { return single_ != nullptr; }  ///< float32
  static bool is_single(nb::handle given);            ///< likewise, of an array
  [[noreturn]] void refuse_single() const { wrong("dtype float32"); }
  /// For a batch: the first number, and the distance to the next state (>= 0).
  template <class T> const T* numbers() const {
    if constexpr (sizeof(T) == sizeof(float))
      return single_;
    else
      return data_;
  }
  std::ptrdiff_t stride() const { return states_ < 0 ? 0 : stride_; }
  const char* name() const { return name_; }
  VectorKind kind() const { return kind_; }
  const Exported& memory() const { return memory_; }

 private:
  void ask_for_degrees(const Model& model) const;
  void read(nb::handle given);
  bool read_buffer(nb::handle given);
  void read_sequence(nb::handle given);
  void read_names(nb::handle given, VectorKind kind, const Model* model);
  void check_shape(const Py_ssize_t* shape, int dimensions);
  const double* converted(Index state) const;
  template <class T> const T* in_place_or_copied(std::vector<T>& copy);
  [[noreturn]] void wrong(const std::string& got, const char* code = "E_DTYPE") const;

  const char* function_;
  const char* name_;
  Index size_;
  Index states_ = -1;
  std::ptrdiff_t stride_ = 0;  ///< in numbers
  VectorKind kind_ = VectorKind::numbers;
  Precision precision_ = Precision::twice;
  const double* data_ = nullptr;
  const float* single_ = nullptr;
  std::vector<double> copy_;
  std::vector<float> single_copy_;
  mutable std::vector<double> converted_;
  Exported memory_;
};

/// One configuration: several are refused.
Input one_configuration(const char* function, const char* name, nb::handle given, const Model& model);

/// A result: a fresh array, or the caller's `out`. Per state a number, a vector, a matrix, or several matrices, whose
/// rows are numbered through.
class Output {
 public:
  /// `out` None: a new array of the shape (states first where states >= 0). Otherwise it must be a writable float64
  /// (`single`: float32) array of that shape, with any strides.
  /// `lone`: one number of one state gets no array, it stays here (Call::result makes a float of it);
  /// such an Output must not move.
  Output(const char* function, const char* name, nb::handle out, Index states, std::span<const Index> shape,
         bool single = false, bool lone = false);
  Output(const char* function, const char* name, nb::handle out, Index states, std::initializer_list<Index> shape,
         bool single = false)
      : Output(function, name, out, states, std::span(shape.begin(), shape.size()), single) {}
  void set(Index state, Index row, Index column, double x) const;
  void put(Index state, double x) const { set(state, 0, 0, x); }
  void put(Index state, const double* x) const { write(state, x, 1, rows_); }
  /// From a matrix stored column by column.
  void put_matrix(Index state, const double* x) const { write(state, x, 1, rows_); }
  /// From a matrix stored row by row.
  template <class T> void put_rows(Index state, const T* x) const { write(state, x, columns_, 1); }
  /// Where the numbers of a state may be written row by row before the call is known to end well: in a fresh array,
  /// which nobody sees before. Else nullptr.
  double* in_place(Index state) const {
    if (!fresh_ || single_ || holds_back_) return nullptr;
    return reinterpret_cast<double*>(static_cast<char*>(memory_->buf) + state * stride_[0]);
  }
  void fill(Index state, double x) const;
  Index size() const { return rows_ * columns_; }  ///< numbers of one state
  /// Of float64.
  double* entry(Index state, Index row, Index column) const;
  /// For a batch: whether the numbers of a state have a constant distance;
  /// then this distance, and that to the next state.
  template <class T> bool evenly(std::ptrdiff_t& number, std::ptrdiff_t& state) const {
    constexpr std::ptrdiff_t bytes = sizeof(T);
    number = (columns_ > 1 ? stride_[2] : stride_[1]) / bytes, state = stride_[0] / bytes;
    if (rows_ * columns_ == 1) number = 1;
    if (of_one_ < rows_ && between_ != of_one_ * stride_[1]) return false;
    return columns_ == 1 || rows_ == 1 || stride_[1] == columns_ * stride_[2];
  }
  /// From now on results wait in memory of this object; deliver() writes them into the array.
  void hold_back();
  void deliver();
  /// Throws std::invalid_argument where the result would overwrite an argument.
  void refuse_overlap(const char* function, const Exported& other, const char* name) const;
  const Exported& memory() const { return memory_; }
  nb::object array;

 private:
  /// From numbers whose entry (row, column) stands at x[row * down + column * right].
  template <class T> void write(Index state, const T* x, std::ptrdiff_t down, std::ptrdiff_t right) const;

  const char* name_;
  Exported memory_;
  bool single_, fresh_;
  Index rows_ = 1, columns_ = 1;
  Index of_one_ = 1;                      ///< rows of one matrix
  std::ptrdiff_t between_ = 0;            ///< in bytes: from one matrix to the next
  std::ptrdiff_t stride_[3] = {0, 0, 0};  ///< in bytes: state, row, column
  Index states_ = 1;
  double number_ = 0;  ///< of a lone number
  mutable std::vector<double> held_back_;
  bool holds_back_ = false;
};

/// `status=`: an array of uint8 or int8 that receives how each state ended.
class StatusOutput {
 public:
  StatusOutput() = default;
  void refuse_overlap(const char* function, const Exported& other, const char* name) const;
  /// None: no array is written.
  StatusOutput(const char* function, nb::handle given, Index states);
  bool wanted() const { return memory_.held(); }
  void put(Index state, Status status) const {
    static_cast<char*>(memory_->buf)[state * stride_] = static_cast<char>(status);
  }
  const Exported& memory() const { return memory_; }

 private:
  Exported memory_;
  std::ptrdiff_t stride_ = 0;
};

/// An attribute of a module, looked up once and kept for the life of the process. `slot` is a
/// static of the caller, not made by a function: importing may pass the GIL to a thread that would
/// wait for the guard of a static's initialisation.
nb::handle kept(PyObject*& slot, const char* module, const char* name);
/// numpy.empty(shape): float64, in C order.
nb::object new_array(std::initializer_list<Index> shape);
nb::object new_array(const std::vector<double>& x);
nb::object new_array(const double* x, Index size);
/// Of f(x) for all x of a list, as numbers of `type`.
template <class List, class F> nb::object array_of(const List& all, const char* type, F&& f) {
  std::vector<double> numbers;
  for (const auto& x : all) numbers.push_back(static_cast<double>(f(x)));
  const nb::object array = new_array(numbers);
  return std::string(type) == "float64" ? array : nb::object(array.attr("astype")(type));
}
/// Row by row from f(i, j).
template <class F> nb::object new_matrix(Index rows, Index columns, F&& f) {
  nb::object array = new_array({rows, columns});
  Exported memory;
  memory.open(array, PyBUF_WRITABLE | PyBUF_STRIDES);
  double* x = static_cast<double*>(memory->buf);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) x[i * columns + j] = f(i, j);
  return array;
}
/// `(7,)` as Python writes it.
std::string shape_text(const Py_ssize_t* shape, int dimensions);
std::string type_text(nb::handle object);
/// UTF-8 text of the library for Python: invalid bytes (in file names) become U+FFFD.
nb::str text_of(const std::string& text);
/// Refuses an argument for its type; `expected`: what would do.
[[noreturn]] void throw_type(const char* function, const char* name, nb::handle given, const char* expected,
                             const char* code = "E_DTYPE");
/// A str (or bytes) argument.
std::string text_argument(const char* function, const char* name, nb::handle given);
/// Names that an argument lists, a string or several in a list, tuple or set, each of them `known`.
std::vector<std::string> names_argument(const char* function, const char* name, nb::handle given,
                                        const std::vector<std::string>& known);
/// Its own entries: what converts one may be a function of the user, and change the dictionary.
nb::dict copy_of_dictionary(nb::handle given);
/// f(name, value) for the entries of a dictionary; `expected`: what the argument should be.
template <class F>
void for_each_entry(const char* function, const char* name, nb::handle given, const char* expected, F&& f) {
  if (!PyDict_Check(given.ptr())) throw_type(function, name, given, expected);
  for (auto [key, value] : copy_of_dictionary(given)) f(text_argument(function, name, key), nb::handle(value));
}
/// A number for both sides, or (lower, upper); `of`: whose limits they are.
std::pair<double, double> limits_argument(const char* function, const char* name, const std::string& of,
                                          nb::handle given);
/// Any number of finite numbers; a single number becomes a vector of one. None: an empty vector.
std::vector<double> numbers(const char* function, const char* name, nb::handle given);
/// Three finite numbers.
Vec3<double> vec3(const char* function, const char* name, nb::handle given);
/// A pose from a 4 x 4 matrix, or from the three numbers of a position. float32 is read like float64.
Transform<double> pose(const char* function, const char* name, nb::handle given);
/// One pose, or N of them.
struct Poses {
  std::vector<Transform<double>> list;
  bool many;
};
/// (4, 4) or (3,), or N of them: (N, 4, 4) or, where `positions` is true, (N, 3).
Poses poses(const char* function, const char* name, nb::handle given, bool positions);
inline nb::object new_array(const Vec3<double>& x) {
  const double numbers[3] = {x.x, x.y, x.z};
  return new_array(numbers, 3);
}
nb::object new_array(const Transform<double>& X);

}  // namespace zwang::python
