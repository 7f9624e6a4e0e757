// SPDX-License-Identifier: BSD-3-Clause
// Arrays of random states for the tests of batches, and how results of states are compared.
#pragma once
#include <cstring>
#include <string>

#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/batch/batch_solver.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {

template <class T> inline constexpr double k_epsilon = std::numeric_limits<T>::epsilon();

/// Random states, one per row.
template <class T> struct States {
  StateRows<T> q, v, a, tau;
  Eigen::VectorXd q_of(long s) const { return q.row(s).template cast<double>(); }
  Eigen::VectorXd v_of(long s) const { return v.row(s).template cast<double>(); }
  Eigen::VectorXd a_of(long s) const { return a.row(s).template cast<double>(); }
  Eigen::VectorXd tau_of(long s) const { return tau.row(s).template cast<double>(); }
};
template <class T = double> States<T> random_states(const Model& model, long n, std::uint64_t seed, double scale = 1) {
  States<T> x{{n, model.nq()}, {n, model.nv()}, {n, model.nv()}, {n, model.nv()}};
  for (long s = 0; s < n; ++s) {
    const RandomState one = random_state(model, seed + 7919u * static_cast<std::uint64_t>(s), scale);
    x.q.row(s) = one.q.cast<T>();
    x.v.row(s) = one.v.cast<T>();
    x.a.row(s) = one.a.cast<T>();
    x.tau.row(s) = one.tau.cast<T>();
  }
  return x;
}
template <class T> StateRows<T> rows_of(const StateTiles<T>& x) {
  StateRows<T> m(x.states(), x.size());
  for (long s = 0; s < x.states(); ++s)
    for (Index k = 0; k < x.size(); ++k) m(s, k) = x(s, k);
  return m;
}
template <class T> StateTiles<T> tiles_of(const StateRows<T>& m) {
  StateTiles<T> x(m.rows(), static_cast<Index>(m.cols()));
  for (long s = 0; s < x.states(); ++s)
    for (Index k = 0; k < x.size(); ++k) x(s, k) = m(s, k);
  return x;
}
/// The same bytes: NaN equals NaN, 0 does not equal -0.
template <class A, class B> bool same_bits(const A& a, const B& b) {
  const StateRows<typename A::Scalar> x = a, y = b;
  return x.rows() == y.rows() && x.cols() == y.cols() &&
         (x.size() == 0 ||
          std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * sizeof(typename A::Scalar)) == 0);
}

/// The worst errors seen, by name: printed at the end of a test as properties of its result.
class Worst {
 public:
  void see(const std::string& name, double error) {
    for (auto& [n, e] : list_)
      if (n == name) {
        e = std::max(e, error);
        return;
      }
    list_.emplace_back(name, error);
  }
  void record(const std::string& unit) const {
    for (const auto& [n, e] : list_) testing::Test::RecordProperty(n + " [" + unit + "]", std::to_string(e));
  }
  const std::vector<std::pair<std::string, double>>& list() const { return list_; }

 private:
  std::vector<std::pair<std::string, double>> list_;
};

}  // namespace zwang::test
