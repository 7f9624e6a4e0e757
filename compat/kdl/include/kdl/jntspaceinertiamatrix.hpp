// SPDX-License-Identifier: BSD-3-Clause
// JntSpaceInertiaMatrix: M(q), n x n.
#pragma once
#include "jntarray.hpp"

namespace KDL {

class JntSpaceInertiaMatrix {
 public:
  MatrixStorage data;

  JntSpaceInertiaMatrix() = default;
  explicit JntSpaceInertiaMatrix(int size) : data(MatrixStorage::Zero(size, size)) {}

  /// Keeps the numbers that fit; new ones are 0. Allocates.
  void resize(unsigned int newSize);
  double operator()(unsigned int i, unsigned int j) const { return data(i, j); }
  double& operator()(unsigned int i, unsigned int j) { return data(i, j); }
  unsigned int rows() const { return static_cast<unsigned int>(data.rows()); }
  unsigned int columns() const { return static_cast<unsigned int>(data.cols()); }
};

void Add(const JntSpaceInertiaMatrix& src1, const JntSpaceInertiaMatrix& src2, JntSpaceInertiaMatrix& dest);
void Subtract(const JntSpaceInertiaMatrix& src1, const JntSpaceInertiaMatrix& src2, JntSpaceInertiaMatrix& dest);
void Multiply(const JntSpaceInertiaMatrix& src, const double& factor, JntSpaceInertiaMatrix& dest);
void Divide(const JntSpaceInertiaMatrix& src, const double& factor, JntSpaceInertiaMatrix& dest);
/// dest = src * vec
void Multiply(const JntSpaceInertiaMatrix& src, const JntArray& vec, JntArray& dest);
void SetToZero(JntSpaceInertiaMatrix& matrix);
bool Equal(const JntSpaceInertiaMatrix& src1, const JntSpaceInertiaMatrix& src2, double eps = epsilon);
inline bool operator==(const JntSpaceInertiaMatrix& a, const JntSpaceInertiaMatrix& b) { return Equal(a, b); }
inline bool operator!=(const JntSpaceInertiaMatrix& a, const JntSpaceInertiaMatrix& b) { return !Equal(a, b); }

}  // namespace KDL
