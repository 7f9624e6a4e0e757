// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/model/data_members.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template class BasicData<double>;
template class BasicData<float>;

}  // namespace ZWANG_ISA
}  // namespace zwang
