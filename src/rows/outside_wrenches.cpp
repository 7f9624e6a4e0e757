// SPDX-License-Identifier: BSD-3-Clause
#include "rows/outside_wrenches.hpp"

namespace zwang {

void OutsideWrenches::take(const Data& data, const Externals* external) {
  const Force<double> none = Force<double>::zero();
  for (OnBody& x : wrench_) x = {none, none, none, Mat3<double>::zero()};
  for (Index i = 1; data.force.has_excess && i <= data.tree().n; ++i) {
    wrench_[i].aligned.f = data.gravity * data.excess[i].m;
    subtract_outer(wrench_[i].arm, -data.gravity, data.excess[i].h);
  }
  if (external == nullptr) return;
  for (const ExternalWrench& e : *external) {
    const Frame& frame = data.model().frames()[static_cast<std::size_t>(e.frame.value)];
    const Force<double> given{{e.wrench[0], e.wrench[1], e.wrench[2]}, {e.wrench[3], e.wrench[4], e.wrench[5]}};
    OnBody& x = wrench_[frame.body.value];
    if (e.in == Reference::local) {
      x.local += frame.in_body * given;
    } else if (e.in == Reference::world) {
      x.world += given;
    } else {
      x.aligned += given;
      subtract_outer(x.arm, -given.f, frame.in_body.p);
    }
  }
}

}  // namespace zwang
