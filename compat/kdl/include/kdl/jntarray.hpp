// SPDX-License-Identifier: BSD-3-Clause
// JntArray: one number for each joint that moves.
#pragma once
#include <cassert>

#include "frames.hpp"
#include "jacobian.hpp"
#include "storage.hpp"

namespace KDL {

class Jacobian;

class JntArray {
 public:
  VectorStorage data;

  JntArray() = default;
  explicit JntArray(unsigned int size) : data(VectorStorage::Zero(size)) {}

  /// Keeps the numbers that fit; new ones are 0. Allocates.
  void resize(unsigned int newSize);
  double operator()(unsigned int i, unsigned int j = 0) const {
    assert(j == 0);
    (void)j;
    return data(i);
  }
  double& operator()(unsigned int i, unsigned int j = 0) {
    assert(j == 0);
    (void)j;
    return data(i);
  }
  unsigned int rows() const { return static_cast<unsigned int>(data.rows()); }
  unsigned int columns() const { return static_cast<unsigned int>(data.cols()); }
};

/// dest = src1 + src2, and so on. An argument may be the result, too. Arguments of unequal sizes throw
/// std::invalid_argument, here and for arrays with rates and matrices.
void Add(const JntArray& src1, const JntArray& src2, JntArray& dest);
void Subtract(const JntArray& src1, const JntArray& src2, JntArray& dest);
void Multiply(const JntArray& src, const double& factor, JntArray& dest);
void Divide(const JntArray& src, const double& factor, JntArray& dest);
/// dest = jac * src
void MultiplyJacobian(const Jacobian& jac, const JntArray& src, Twist& dest);
void SetToZero(JntArray& array);
/// False where the sizes differ.
bool Equal(const JntArray& src1, const JntArray& src2, double eps = epsilon);
inline bool operator==(const JntArray& src1, const JntArray& src2) { return Equal(src1, src2); }
inline bool operator!=(const JntArray& src1, const JntArray& src2) { return !Equal(src1, src2); }

}  // namespace KDL
