// SPDX-License-Identifier: BSD-3-Clause
// Arguments of try_...: checked without exceptions.
#pragma once
#include "algorithm/support.hpp"
#include "zwang/core/all_finite.hpp"

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

}  // namespace zwang::detail
