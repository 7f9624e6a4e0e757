// SPDX-License-Identifier: BSD-3-Clause
// What derivatives of the last solution and of the last impulse have in common.
#pragma once
#include <mutex>

#include "call.hpp"
#include "solver_object.hpp"
#include "turning_axes.hpp"

namespace zwang::python {

inline nb::object matrix_of(const Eigen::MatrixXd& x) {
  return new_matrix(static_cast<Index>(x.rows()), static_cast<Index>(x.cols()),
                    [&](Index i, Index j) { return x(i, j); });
}
inline nb::object vector_of(const Eigen::VectorXd& x) { return new_array(x.data(), static_cast<Index>(x.size())); }

/// One vector; None: none.
inline Eigen::VectorXd one_vector(const char* function, const char* name, nb::handle x, Index size) {
  if (x.is_none()) return {};
  const Input in(function, name, x, size);
  if (in.states() >= 0)
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name + "' has " +
                                std::to_string(in.states()) + " rows, expected one vector of " + std::to_string(size));
  return Eigen::Map<const Eigen::VectorXd>(in.at(0), size);
}

/// d of J^T w for wrenches that turn with the axes of a frame, by what moves these axes. Empty where there are no such
/// wrenches. `last`: the solver's last solve or impulse; `by`: a function of turning_axes.hpp.
template <class Last, class By> Eigen::MatrixXd turned(const Robot& robot, const Last& last, By&& by) {
  if (last.turning.empty()) return {};
  const Lease lease(robot);
  return by(robot.model, (*lease).data, last.turning, last.axes,
            Eigen::Map<const Eigen::VectorXd>(last.q.data(), robot.model.nq()));
}

/// compute() without the GIL, after which the lock is held: what it returns is the solver's.
template <class F> auto& unlocked(std::unique_lock<SetMutex>& lock, F&& compute) {
  const nb::gil_scoped_release release;
  lock.lock();
  return compute();
}

/// Of a result, under the lock.
template <class T> nb::object status_of(const T& x) { return nb::cast(x.status); }
template <class T> nb::object reason_of(const T& x) { return nb::cast(std::string(x.reason)); }

}  // namespace zwang::python
