// SPDX-License-Identifier: BSD-3-Clause
// JntArrayVel: positions and velocities of the joints.
#pragma once
#include "framevel.hpp"
#include "jntarray.hpp"

namespace KDL {

class JntArrayVel {
 public:
  JntArray q;
  JntArray qdot;

  JntArrayVel() = default;
  explicit JntArrayVel(unsigned int size) : q(size), qdot(size) {}
  JntArrayVel(const JntArray& position, const JntArray& velocity);  ///< asserts that the sizes agree
  explicit JntArrayVel(const JntArray& position) : q(position), qdot(position.rows()) {}

  void resize(unsigned int newSize) {
    q.resize(newSize);
    qdot.resize(newSize);
  }
  JntArray value() const { return q; }
  JntArray deriv() const { return qdot; }
};

void Add(const JntArrayVel& src1, const JntArrayVel& src2, JntArrayVel& dest);
void Add(const JntArrayVel& src1, const JntArray& src2, JntArrayVel& dest);
void Subtract(const JntArrayVel& src1, const JntArrayVel& src2, JntArrayVel& dest);
void Subtract(const JntArrayVel& src1, const JntArray& src2, JntArrayVel& dest);
void Multiply(const JntArrayVel& src, const double& factor, JntArrayVel& dest);
void Multiply(const JntArrayVel& src, const doubleVel& factor, JntArrayVel& dest);
void Divide(const JntArrayVel& src, const double& factor, JntArrayVel& dest);
void Divide(const JntArrayVel& src, const doubleVel& factor, JntArrayVel& dest);
void SetToZero(JntArrayVel& array);
bool Equal(const JntArrayVel& src1, const JntArrayVel& src2, double eps = epsilon);

}  // namespace KDL
