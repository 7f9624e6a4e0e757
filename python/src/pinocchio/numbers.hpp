// SPDX-License-Identifier: BSD-3-Clause
// Numbers between Python and the faces of Pinocchio: vectors in every form that it takes, arrays that it gives.
#pragma once
#include <Eigen/Core>
#include <string>

#include "../arrays.hpp"

namespace zwang::python::pinocchio {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<Eigen::MatrixXd>;

/// A new array, and where its numbers lie.
struct Fresh {
  nb::object array;
  double* numbers;
  Vector vector(Index size) const { return {numbers, size}; }
  Matrix matrix(Index rows, Index columns) const { return {numbers, rows, columns}; }  ///< of one made by columns
};
Fresh fresh(Index size);
/// Stored column by column.
Fresh fresh_matrix(Index rows, Index columns);
/// Stored row by row.
Fresh fresh_rows(Index rows, Index columns);
/// An array on numbers that `owner` keeps alive; strides in numbers.
nb::object view(double* numbers, Index size, nb::handle owner);
/// Numbers `step` apart.
nb::object column(double* numbers, Index size, Index step, nb::handle owner);
nb::object view(double* numbers, Index rows, Index columns, Index stride, nb::handle owner);

/// x, of shape (size,), (size, 1) or (1, size), into `out`. Throws ValueError naming the argument.
void read(nb::handle x, Index size, const char* what, double* out);
/// x of shape (rows, columns) into `out`, whose rows are `stride` apart. Throws ValueError naming the argument.
void read(nb::handle x, Index rows, Index columns, const char* what, double* out, Index stride);
/// Copies x into `out` where it is an array of float64 of shape (size,); returns whether it is. Without conversions.
bool read_at_once(nb::handle x, Index size, double* out);
/// Whether x is an array of float64 of this shape.
bool is_array(nb::handle x, Index rows, Index columns);
/// Whether memory that was opened with PyBUF_FORMAT is of native float64.
bool is_float64(const Exported& memory);
/// How many numbers x has.
Index count(nb::handle x);

}  // namespace zwang::python::pinocchio
