// SPDX-License-Identifier: BSD-3-Clause
// Forward kinematics of a chain: interfaces.
//
// segmentNr: how many segments count; below 0: all of them. With a vector as result, entry i is the tip of segment i,
// and the vector has as many entries as segments count.
#pragma once
#include <vector>

#include "chain.hpp"
#include "frameacc.hpp"
#include "frames.hpp"
#include "framevel.hpp"
#include "jntarray.hpp"
#include "jntarrayacc.hpp"
#include "jntarrayvel.hpp"
#include "solveri.hpp"

namespace KDL {

class ChainFkSolverPos : public SolverI {
 public:
  virtual int JntToCart(const JntArray& q_in, Frame& p_out, int segmentNr = -1) = 0;
  virtual int JntToCart(const JntArray& q_in, std::vector<Frame>& p_out, int segmentNr = -1) = 0;
  virtual void updateInternalDataStructures() = 0;
  virtual ~ChainFkSolverPos() = default;
};

class ChainFkSolverVel : public SolverI {
 public:
  virtual int JntToCart(const JntArrayVel& q_in, FrameVel& out, int segmentNr = -1) = 0;
  virtual int JntToCart(const JntArrayVel& q_in, std::vector<FrameVel>& out, int segmentNr = -1) = 0;
  virtual void updateInternalDataStructures() = 0;
  virtual ~ChainFkSolverVel() = default;
};

class ChainFkSolverAcc : public SolverI {
 public:
  virtual int JntToCart(const JntArrayAcc& q_in, FrameAcc& out, int segmentNr = -1) = 0;
  virtual int JntToCart(const JntArrayAcc& q_in, std::vector<FrameAcc>& out, int segmentNr = -1) = 0;
  virtual void updateInternalDataStructures() = 0;
  virtual ~ChainFkSolverAcc() = 0;
};
inline ChainFkSolverAcc::~ChainFkSolverAcc() = default;

}  // namespace KDL
