// SPDX-License-Identifier: BSD-3-Clause
// THE list of joint types. A new joint is one file in joints/ and one line here.
#pragma once
#include <cstddef>
#include <utility>

#include "zwang/model/joint_info.hpp"
#include "zwang/model/joints/cylindrical.hpp"
#include "zwang/model/joints/ellipsoid.hpp"
#include "zwang/model/joints/fixed.hpp"
#include "zwang/model/joints/free.hpp"
#include "zwang/model/joints/helical.hpp"
#include "zwang/model/joints/planar.hpp"
#include "zwang/model/joints/prismatic.hpp"
#include "zwang/model/joints/revolute.hpp"
#include "zwang/model/joints/revolute_unbounded.hpp"
#include "zwang/model/joints/spherical.hpp"
#include "zwang/model/joints/spherical_zyx.hpp"
#include "zwang/model/joints/translation.hpp"
#include "zwang/model/joints/universal.hpp"
#include "zwang/model/joints/user.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class... J> struct JointList { static constexpr Index size = sizeof...(J); };

/// The order is that of the cases of the switch in visit(); Body::kind is a position in it.
using JointTypes = JointList<  //
    Revolute,                  //
    Prismatic,                 //
    Free,                      //
    Spherical,                 //
    Planar,                    //
    Translation,               //
    RevoluteUnbounded,         //
    Helical,                   //
    Cylindrical,               //
    Universal,                 //
    SphericalZYX,              //
    Ellipsoid,                 //
    Fixed,                     //
    User>;

namespace impl {
template <class F, class... J, std::size_t... I>
ZWANG_INLINE void visit(Index kind, F&& f, JointList<J...>, std::index_sequence<I...>) {
  const bool found = ((kind == static_cast<Index>(I) ? (f(J{}), true) : false) || ...);
  if (!found) __builtin_unreachable();  // the builder takes kinds from this list alone
}
template <class J, class... Js, std::size_t... I>
constexpr Index position(JointList<Js...>, std::index_sequence<I...>) {
  return ((std::is_same_v<J, Js> ? static_cast<Index>(I) : 0) + ...);
}
}  // namespace impl

/// Calls f(J{}) for the joint type J at a position of the list: the only place
/// where code branches on the kind of a joint.
template <class F> ZWANG_INLINE void visit(Index kind, F&& f) {
  impl::visit(kind, f, JointTypes{}, std::make_index_sequence<JointTypes::size>{});
}
/// The position of a joint type in the list.
template <class J>
inline constexpr Index kind_of = impl::position<J>(JointTypes{}, std::make_index_sequence<JointTypes::size>{});

}  // namespace ZWANG_ISA
}  // namespace zwang
