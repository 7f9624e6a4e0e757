// SPDX-License-Identifier: BSD-3-Clause
// Arguments of try_...: checked without exceptions.
#pragma once
#include "algorithm/support.hpp"
#include "core/all_finite.hpp"
#include "zwang/algorithm/algorithm_row.hpp"

namespace zwang::detail {

/// Checks the arguments of a call one after the other, without exceptions. `run` calls it if all are valid.
class Arguments {
 public:
  Arguments(const Model& model, const Data& data) noexcept : model_(model), data_(data) {
    require(data.made_for(model));
  }
  Arguments& configuration(VectorIn q) noexcept {
    vector(q, model_.nq());
    if (status_ == Status::ok) require(normalized_within(data_.tree(), q.data(), k_unit_tolerance));
    return *this;
  }
  Arguments& tangent(VectorIn v) noexcept {
    vector(v, model_.nv());
    return *this;
  }
  Arguments& frame(const FrameIn& frame) noexcept {
    const FrameId id = frame.named() ? model_.find_frame(frame.name()) : frame.id();
    require(id.value >= 0 && id.value < static_cast<Index>(model_.frames().size()));
    return *this;
  }
  Arguments& point(const Vec3<double>& p) noexcept {
    require_finite(is_finite(p.x) && is_finite(p.y) && is_finite(p.z));
    return *this;
  }
  Arguments& wrenches(ExternalsIn external) noexcept {
    const Status s = status_of(model_, external);
    if (status_ == Status::ok) status_ = s;
    return *this;
  }
  template <class Out> Arguments& result(const Out& out, Index rows, Index columns) noexcept {
    require(out.rows() == rows && out.cols() == columns);
    return *this;
  }
  template <class Call> Status run(const Call& call) const noexcept {
    if (status_ != Status::ok) return status_;
    try {
      call();
    } catch (const SingularMassError&) { return Status::singular_mass; } catch (const ArithmeticOverflowError&) {
      return Status::overflow;
    } catch (...) {  // unsupported cases
      return Status::invalid_input;
    }
    return Status::ok;
  }

 private:
  void vector(VectorIn x, Index size) noexcept {
    require(x.size() == size);
    if (status_ == Status::ok) require_finite(all_finite(x.data(), x.size()));
  }
  void require(bool holds) noexcept {
    if (status_ == Status::ok && !holds) status_ = Status::invalid_input;
  }
  void require_finite(bool holds) noexcept {
    if (status_ == Status::ok && !holds) status_ = Status::non_finite_input;
  }

  const Model& model_;
  const Data& data_;
  Status status_ = Status::ok;
};

/// Arguments of a call that has a row in the list of algorithms, in the order of the call. Vectors are what the row
/// takes, matrices and vectors written to have the shapes that it gives.
template <RowName name, class... A>
Arguments checked(const Model& model, const Data& data, const A&... arguments) noexcept {
  constexpr const Algorithm& row = Row<name>::row();
  constexpr int results = ((std::is_same_v<A, VectorOut> || std::is_same_v<A, MatrixOut>)+... + 0);
  constexpr int vectors = (std::is_same_v<const A&, VectorIn> + ... + 0);
  static_assert(vectors == row.vectors(), "every vector that the row takes is given");
  static_assert(results == 0 || results == row.gives.count, "every result of the row is given, or the call returns it");
  const Sizes sizes = sizes_of(model, {});
  Arguments all(model, data);
  int taken = 0, given = 0;
  const auto take = [&]<class X>(const X& x) {
    if constexpr (std::is_same_v<const X&, VectorIn>) {
      while (!is_vector(row.takes[taken])) ++taken;
      row.takes[taken++].what == Takes::configuration ? all.configuration(x) : all.tangent(x);
    } else if constexpr (std::is_same_v<X, VectorOut>) {
      all.result(x, numbers_of(row.gives[given++].shape, sizes), 1);
    } else if constexpr (std::is_same_v<X, MatrixOut>) {
      const Extents& shape = row.gives[given++].shape;
      all.result(x, shape[0].of(sizes), shape[1].of(sizes));
    } else if constexpr (std::is_same_v<X, FrameIn>) {
      all.frame(x);
    } else if constexpr (std::is_same_v<X, ExternalsIn>) {
      all.wrenches(x);
    } else {
      all.point(x);
    }
  };
  (take(arguments), ...);
  return all;
}

}  // namespace zwang::detail
