// SPDX-License-Identifier: BSD-3-Clause
// Geometry with velocities and accelerations as text.
#pragma once
#include "frameacc.hpp"
#include "frames_io.hpp"
#include "utilities/rall2d_io.h"

namespace KDL {

inline std::ostream& operator<<(std::ostream& os, const VectorAcc& r) {
  return os << "{" << r.p << "," << r.v << "," << r.dv << "}\n";
}
inline std::ostream& operator<<(std::ostream& os, const RotationAcc& r) {
  return os << "{\n" << r.R << ",\n" << r.w << ",\n" << r.dw << "\n}\n";
}
inline std::ostream& operator<<(std::ostream& os, const FrameAcc& r) {
  return os << "{\n" << r.M << ",\n" << r.p << "}\n";
}
inline std::ostream& operator<<(std::ostream& os, const TwistAcc& r) {
  return os << "{\n" << r.vel << ",\n" << r.rot << "\n}\n";
}

}  // namespace KDL
