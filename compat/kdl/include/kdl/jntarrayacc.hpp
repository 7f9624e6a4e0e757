// SPDX-License-Identifier: BSD-3-Clause
// JntArrayAcc: positions, velocities and accelerations of the joints.
#pragma once
#include "frameacc.hpp"
#include "jntarrayvel.hpp"

namespace KDL {

class JntArrayAcc {
 public:
  JntArray q;
  JntArray qdot;
  JntArray qdotdot;

  JntArrayAcc() = default;
  explicit JntArrayAcc(unsigned int size) : q(size), qdot(size), qdotdot(size) {}
  JntArrayAcc(const JntArray& position, const JntArray& velocity, const JntArray& acceleration);
  JntArrayAcc(const JntArray& position, const JntArray& velocity);
  explicit JntArrayAcc(const JntArray& position) : q(position), qdot(position.rows()), qdotdot(position.rows()) {}

  void resize(unsigned int newSize) {
    q.resize(newSize);
    qdot.resize(newSize);
    qdotdot.resize(newSize);
  }
  JntArray value() const { return q; }
  JntArray deriv() const { return qdot; }
  JntArray dderiv() const { return qdotdot; }
};

void Add(const JntArrayAcc& src1, const JntArrayAcc& src2, JntArrayAcc& dest);
void Add(const JntArrayAcc& src1, const JntArrayVel& src2, JntArrayAcc& dest);
void Add(const JntArrayAcc& src1, const JntArray& src2, JntArrayAcc& dest);
void Subtract(const JntArrayAcc& src1, const JntArrayAcc& src2, JntArrayAcc& dest);
void Subtract(const JntArrayAcc& src1, const JntArrayVel& src2, JntArrayAcc& dest);
void Subtract(const JntArrayAcc& src1, const JntArray& src2, JntArrayAcc& dest);
void Multiply(const JntArrayAcc& src, const double& factor, JntArrayAcc& dest);
void Multiply(const JntArrayAcc& src, const doubleVel& factor, JntArrayAcc& dest);
void Multiply(const JntArrayAcc& src, const doubleAcc& factor, JntArrayAcc& dest);
void Divide(const JntArrayAcc& src, const double& factor, JntArrayAcc& dest);
void Divide(const JntArrayAcc& src, const doubleVel& factor, JntArrayAcc& dest);
void Divide(const JntArrayAcc& src, const doubleAcc& factor, JntArrayAcc& dest);
void SetToZero(JntArrayAcc& array);
bool Equal(const JntArrayAcc& src1, const JntArrayAcc& src2, double eps = epsilon);

}  // namespace KDL
