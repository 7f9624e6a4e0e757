// SPDX-License-Identifier: BSD-3-Clause
// Jacobian: 6 x n, a twist for each joint, linear rows first.
#pragma once
#include "frames.hpp"
#include "storage.hpp"

namespace KDL {

class Jacobian {
 public:
  JacobianStorage data;

  Jacobian() = default;
  explicit Jacobian(unsigned int nr_of_columns) : data(JacobianStorage::Zero(6, nr_of_columns)) {}

  /// Keeps the columns that fit; new ones are 0. Allocates.
  void resize(unsigned int newNrOfColumns);
  bool operator==(const Jacobian& arg) const;
  bool operator!=(const Jacobian& arg) const { return !(*this == arg); }
  double operator()(unsigned int i, unsigned int j) const { return data(i, j); }
  double& operator()(unsigned int i, unsigned int j) { return data(i, j); }
  unsigned int rows() const { return static_cast<unsigned int>(data.rows()); }
  unsigned int columns() const { return static_cast<unsigned int>(data.cols()); }

  Twist getColumn(unsigned int i) const {
    return Twist(Vector(data(0, i), data(1, i), data(2, i)), Vector(data(3, i), data(4, i), data(5, i)));
  }
  void setColumn(unsigned int i, const Twist& t) {
    for (int row = 0; row < 6; ++row) data(row, i) = t(row);
  }

  /// Each column as Twist::RefPoint, Rotation * Twist, Frame * Twist.
  void changeRefPoint(const Vector& base_AB);
  void changeBase(const Rotation& rot);
  void changeRefFrame(const Frame& frame);
};

void SetToZero(Jacobian& jac);
/// dest = the changed src; false where the numbers of columns differ.
bool changeRefPoint(const Jacobian& src1, const Vector& base_AB, Jacobian& dest);
bool changeBase(const Jacobian& src1, const Rotation& rot, Jacobian& dest);
bool changeRefFrame(const Jacobian& src1, const Frame& frame, Jacobian& dest);
bool Equal(const Jacobian& a, const Jacobian& b, double eps = epsilon);

}  // namespace KDL
