// SPDX-License-Identifier: BSD-3-Clause
// Lengths with their rates, and random numbers.
#include <kdl/frameacc.hpp>
#include <kdl/framevel.hpp>

namespace KDL {

doubleVel VectorVel::Norm(double eps) const {
  const double length = p.Norm(eps);
  return doubleVel(length, length == 0 ? 0 : dot(p, v) / length);
}

/// From l l' = p.v: l'' = (v.v + p.dv - l'^2) / l.
doubleAcc VectorAcc::Norm(double eps) const {
  const double length = p.Norm(eps);
  if (length == 0) return doubleAcc(0);
  const double rate = dot(p, v) / length;
  return doubleAcc(length, rate, (dot(v, v) + dot(p, dv) - rate * rate) / length);
}

void random(VectorVel& v) { random(v.p), random(v.v); }
void random(TwistVel& t) { random(t.vel), random(t.rot); }
void random(RotationVel& R) { random(R.R), random(R.w); }
void random(FrameVel& F) { random(F.M), random(F.p); }
void posrandom(VectorVel& v) { posrandom(v.p), posrandom(v.v); }
void posrandom(TwistVel& t) { posrandom(t.vel), posrandom(t.rot); }
void posrandom(RotationVel& R) { posrandom(R.R), posrandom(R.w); }
void posrandom(FrameVel& F) { posrandom(F.M), posrandom(F.p); }

}  // namespace KDL
