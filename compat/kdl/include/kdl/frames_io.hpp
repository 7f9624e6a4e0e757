// SPDX-License-Identifier: BSD-3-Clause
// Geometry as text: [x, y, z], [rows separated by ;], [rotation vector], and the words that readers know:
//   vectors ZERO; rotations IDENTITY, EULERZYX[..], EULERZYZ[..], RPY[..] (degrees), ROT[[axis], angle in degrees];
//   frames IDENTITY, DH[a, alpha, d, theta] (degrees).
// Readers throw the errors of utilities/error.h.
#pragma once
#include <iostream>

#include "frames.hpp"
#include "jntarray.hpp"
#include "utilities/utility_io.h"

namespace KDL {

std::ostream& operator<<(std::ostream& os, const Vector& v);
std::ostream& operator<<(std::ostream& os, const Twist& t);
std::ostream& operator<<(std::ostream& os, const Wrench& w);
std::ostream& operator<<(std::ostream& os, const Rotation& R);
std::ostream& operator<<(std::ostream& os, const Frame& F);
std::ostream& operator<<(std::ostream& os, const Vector2& v);
std::ostream& operator<<(std::ostream& os, const Rotation2& R);  ///< its angle in degrees
std::ostream& operator<<(std::ostream& os, const Frame2& F);

std::istream& operator>>(std::istream& is, Vector& v);
std::istream& operator>>(std::istream& is, Twist& t);
std::istream& operator>>(std::istream& is, Wrench& w);
std::istream& operator>>(std::istream& is, Rotation& R);
std::istream& operator>>(std::istream& is, Frame& F);
std::istream& operator>>(std::istream& is, Vector2& v);
std::istream& operator>>(std::istream& is, Rotation2& R);
std::istream& operator>>(std::istream& is, Frame2& F);

}  // namespace KDL
