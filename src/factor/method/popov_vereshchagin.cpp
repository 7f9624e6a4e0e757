// SPDX-License-Identifier: BSD-3-Clause
#include "factor/method.hpp"

namespace zwang::method {

extern const Method popov_vereshchagin;
const Method popov_vereshchagin{.name = "popov_vereshchagin",
                                .text = "hard and early rows to the root of the tree",
                                .place = Place::root,
                                .can = k_sweep};

}  // namespace zwang::method
