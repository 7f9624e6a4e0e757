// SPDX-License-Identifier: BSD-3-Clause
// The pages of hybrid dynamics for double.
#include "factor/sweep_factor.hpp"

namespace zwang {

template class page::Resolve<double, double>;
template class page::Resolve<double, Columns>;

}  // namespace zwang
