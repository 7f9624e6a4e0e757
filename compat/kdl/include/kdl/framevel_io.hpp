// SPDX-License-Identifier: BSD-3-Clause
// Geometry with velocities as text.
#pragma once
#include "frames_io.hpp"
#include "framevel.hpp"
#include "utilities/rall1d_io.h"

namespace KDL {

inline std::ostream& operator<<(std::ostream& os, const VectorVel& r) {
  return os << "{" << r.p << "," << r.v << "}\n";
}
inline std::ostream& operator<<(std::ostream& os, const RotationVel& r) {
  return os << "{\n" << r.R << ",\n" << r.w << "\n}\n";
}
inline std::ostream& operator<<(std::ostream& os, const FrameVel& r) {
  return os << "{\n" << r.M << ",\n" << r.p << "\n}\n";
}
inline std::ostream& operator<<(std::ostream& os, const TwistVel& r) {
  return os << "{\n" << r.vel << ",\n" << r.rot << "\n}\n";
}

}  // namespace KDL
