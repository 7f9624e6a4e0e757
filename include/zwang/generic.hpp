// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the pages, for scalars that the library does not hold compiled (Dual, std::complex,
// long double, Pack, yours).
#pragma once
#include "zwang/algorithm/page/all_terms.hpp"
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/algorithm/page/centroidal.hpp"
#include "zwang/algorithm/page/coriolis.hpp"
#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/algorithm/page/generalised_momentum.hpp"
#include "zwang/algorithm/page/inverse_dynamics.hpp"
#include "zwang/algorithm/page/jacobian.hpp"
#include "zwang/algorithm/page/kinematic_hessian.hpp"
#include "zwang/algorithm/page/mass_matrix_inverse.hpp"
#include "zwang/algorithm/page/regressor.hpp"
#include "zwang/constraint/page/relations.hpp"
#include "zwang/factor/page/hybrid.hpp"
#include "zwang/manifold/page/manifold.hpp"
#include "zwang/model/data_members.hpp"
