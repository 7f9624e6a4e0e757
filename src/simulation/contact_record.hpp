// SPDX-License-Identifier: BSD-3-Clause
// What a step of Integrator::contact has done, for its derivatives: the rows, their impulses, what was taken apart.
#pragma once
#include <vector>

#include "simulation/contact_rows.hpp"

namespace zwang {

struct ContactRecord {
  /// A displacement of the configuration by which overlaps were taken apart.
  struct Apart {
    std::vector<double> from, moved;  ///< [nq], [nv]
    std::vector<ContactRow> rows;
    std::vector<double> lengths;  ///< multipliers of the rows
  };
  void clear() {
    rows.clear(), impulses.clear(), sigma.clear(), apart.clear();
    is_free = true, impacts = halved = 0;
  }
  bool is_free = true;                  ///< a step of rk4
  int impacts = 0;                      ///< with restitution, or parts into which one has divided the step
  int halved = 0;                       ///< parts of the step whose impulses were not found
  std::vector<ContactRow> rows;         ///< that could act, with their gaps at the start
  std::vector<double> approach;         ///< sigma_n of each at the free velocity
  std::vector<double> impulses, sigma;  ///< [rows of J]; empty in a free flight
  std::vector<double> v;                ///< after the impulses, in the axes of the start [nv]
  std::vector<Apart> apart;             ///< each pass
  ContactRow struck;                    ///< of an impact
  const ContactRows* names = nullptr;
};

}  // namespace zwang
