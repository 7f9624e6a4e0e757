// SPDX-License-Identifier: BSD-3-Clause
// THE list of relations. A new relation is one page in this folder and one line here: evaluation for one state, in
// lanes and for every other scalar uses the list.
#pragma once
#include <algorithm>
#include <new>
#include <utility>

#include "zwang/constraint/page/centre_of_mass.hpp"
#include "zwang/constraint/page/coupling.hpp"
#include "zwang/constraint/page/distance.hpp"
#include "zwang/constraint/page/joint.hpp"
#include "zwang/constraint/page/loop.hpp"
#include "zwang/constraint/page/point.hpp"
#include "zwang/constraint/page/point_pair.hpp"
#include "zwang/constraint/page/rolling.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// A value of one of several types. They hold plain numbers, so that the bytes are the same for every instruction set.
template <class... Types> class OneOf {
  static_assert((std::is_trivially_destructible_v<Types> && ...));
  template <class Type> static constexpr Index place_of() {
    Index place = 0;
    const bool found = ((std::is_same_v<Type, Types> ? true : (++place, false)) || ...);
    return found ? place : -1;
  }

 public:
  template <class Type>
  requires(place_of<Type>() >= 0) OneOf(const Type& x) : which_(place_of<Type>()) { ::new (bytes_) Type(x); }
  OneOf(const OneOf& x) : which_(x.which_) {
    x.visit([&](const auto& held) { ::new (bytes_) std::remove_cvref_t<decltype(held)>(held); });
  }
  OneOf& operator=(const OneOf&) = delete;

  /// Calls f(x) with the value, in its own type.
  template <class F> ZWANG_INLINE void visit(F&& f) const {
    const bool found = ((which_ == place_of<Types>() ? (f(as<Types>()), true) : false) || ...);
    if (!found) __builtin_unreachable();
  }
  template <class F> void visit(F&& f) {
    std::as_const(*this).visit([&](const auto& x) { f(const_cast<std::remove_cvref_t<decltype(x)>&>(x)); });
  }

 private:
  template <class Type> ZWANG_INLINE const Type& as() const {
    return *__builtin_launder(reinterpret_cast<const Type*>(bytes_));
  }
  alignas(Types...) unsigned char bytes_[std::max({sizeof(Types)...})];
  Index which_;
};

/// The page of a relation between bodies.
class RelationPage : public OneOf<                                //
                         page::PoseRows<page::LoopGeometry>,      //
                         page::PoseRows<page::PointGeometry>,     //
                         page::PoseRows<page::DistanceGeometry>,  //
                         page::PoseRows<page::RollingGeometry>,   //
                         page::PointPairRows,                     //
                         page::CouplingRows,                      //
                         page::JointRows,                         //
                         page::CentreOfMassRows> {
 public:
  using OneOf::OneOf;
};

namespace impl {
template <class Page, class S> [[gnu::noinline]] void evaluate_page(const Page& page, const BasicData<S>& data,
                                                                    const S* q, const S* v, const RelationShape& on,
                                                                    const BasicRowValues<S>& out) {
  page(data, q, v, on, out);
}
}  // namespace impl

/// phi, gamma and K of a relation at a state over any scalar; see relation.hpp. `data` holds positions, velocities and
/// the columns of joints of q and v (page::kinematics).
template <class S> void evaluate(const RelationPage& relation, const BasicData<S>& data, const S* q, const S* v,
                                 const RelationShape& on, const BasicRowValues<S>& out) {
  relation.visit([&](const auto& page) ZWANG_LAMBDA { impl::evaluate_page(page, data, q, v, on, out); });
}

}  // namespace ZWANG_ISA
}  // namespace zwang
