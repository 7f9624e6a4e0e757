// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/geometry/shape_solid.hpp"

#include <stdexcept>

namespace zwang {

Solid solid_of(const Shape& shape, const std::string& where, std::string&) {
  const double* const s = shape.size;
  switch (shape.kind) {
    case Shape::Kind::box: return Solid::box({s[0], s[1], s[2]});
    case Shape::Kind::sphere: return Solid::sphere(s[0]);
    case Shape::Kind::capsule: return Solid::capsule(s[0], s[1]);
    case Shape::Kind::cylinder: return Solid::cylinder(s[0], s[1]);
    case Shape::Kind::ellipsoid: return Solid::ellipsoid({s[0], s[1], s[2]});
    case Shape::Kind::plane: return Solid::half_space();
    case Shape::Kind::mesh: break;
  }
  throw std::invalid_argument("solid_of: " + where + ": meshes are not taken");
}

}  // namespace zwang
