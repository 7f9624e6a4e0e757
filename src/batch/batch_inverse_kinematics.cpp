// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/batch/batch_inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "batch/thread_pool.hpp"
#include "core/borrowed.hpp"
#include "zwang/core/all_finite.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang {

struct BatchInverseKinematics::Impl {
  Impl(const Model& m, const std::vector<PoseTarget>& targets, const ConstraintSet* set,
       const InverseKinematicsSettings& settings, int threads)
      : model(m),
        pool(threads),
        per_state(targets.size()) {
    for (int t = 0; t < pool.threads(); ++t) {
      solvers.emplace_back(m, targets, set, settings);
      wanted.emplace_back(per_state);
    }
  }

  void work(int thread) {
    const long parts = std::min<long>(pool.threads(), states);
    const auto t = static_cast<std::size_t>(thread);
    for (long k = states * thread / parts; k < states * (thread + 1) / parts; ++k)
      outcomes[static_cast<std::size_t>(k)] = one(solvers[t], wanted[t], k);
  }

  /// What is wrong with a state; ok: nothing.
  PoseStatus fault(const std::vector<Transform<double>>& target, const double* at) const {
    if (!all_finite(at, model.nq())) return PoseStatus::non_finite_input;
    if (!detail::normalized_within(model.tree<double>(), at, k_unit_tolerance)) return PoseStatus::invalid_input;
    for (const Transform<double>& X : target)
      for (int i = 0; i < 3; ++i)
        if (!std::isfinite(X.p[i] + X.R[i].x + X.R[i].y + X.R[i].z)) return PoseStatus::non_finite_input;
    return PoseStatus::ok;
  }

  PoseOutcomeOfMany one(InverseKinematics& solver, std::vector<Transform<double>>& target, long k) {
    const double* const at = q0 + k * q0_step;
    double* const out = q + k * q_step;
    std::copy_n(poses + static_cast<std::size_t>(k) * per_state, per_state, target.begin());
    PoseOutcomeOfMany r;
    r.status = fault(target, at);
    if (r.status == PoseStatus::ok) try {
        const InverseKinematicsSolution& s = solver.solve(target, vector_in(at, model.nq()));
        std::copy_n(s.q.data(), model.nq(), out);
        return {s.status, s.error, s.residual, s.gradient, s.iterations, s.out_of_reach, s.serial};
      } catch (const std::invalid_argument&) { r.status = PoseStatus::invalid_input; }  // a target that is no rotation
    std::fill_n(out, model.nq(), std::numeric_limits<double>::quiet_NaN());
    return r;
  }

  Model model;
  ThreadPool pool;
  std::size_t per_state;
  std::vector<InverseKinematics> solvers;
  std::vector<std::vector<Transform<double>>> wanted;
  std::vector<PoseOutcomeOfMany> outcomes;
  const Transform<double>* poses = nullptr;
  const double* q0 = nullptr;
  double* q = nullptr;
  long states = 0, q0_step = 0, q_step = 0;
};

BatchInverseKinematics::BatchInverseKinematics(const Model& model, const std::vector<PoseTarget>& targets,
                                               const ConstraintSet* constraints,
                                               const InverseKinematicsSettings& settings, const BatchOptions& options)
    : impl_(make_owned<Impl>(model, targets, constraints, settings, options.threads)) {}
BatchInverseKinematics::BatchInverseKinematics(BatchInverseKinematics&&) noexcept = default;
BatchInverseKinematics& BatchInverseKinematics::operator=(BatchInverseKinematics&&) noexcept = default;
BatchInverseKinematics::~BatchInverseKinematics() = default;

const std::vector<PoseOutcomeOfMany>& BatchInverseKinematics::solve(const std::vector<Transform<double>>& poses,
                                                                    MatrixIn q0, MatrixOut q) {
  Impl& x = *impl_;
  const auto n = static_cast<long>(q.cols());
  const char* const function = "BatchInverseKinematics::solve";
  if (static_cast<long>(poses.size()) != n * static_cast<long>(x.per_state))
    detail::throw_size(function, "poses", static_cast<long>(poses.size()), n * static_cast<long>(x.per_state));
  if (q.rows() != x.model.nq()) detail::throw_size(function, "q", static_cast<long>(q.rows()), x.model.nq());
  if (q0.rows() != x.model.nq()) detail::throw_size(function, "q0", static_cast<long>(q0.rows()), x.model.nq());
  if (q0.cols() != q.cols() && q0.cols() != 1) detail::throw_size(function, "q0", static_cast<long>(q0.cols()), n);
  x.poses = poses.data();
  x.q0 = q0.data();
  x.q0_step = q0.cols() == 1 ? 0 : static_cast<long>(q0.outerStride());
  x.q = q.data();
  x.q_step = static_cast<long>(q.outerStride());
  x.states = n;
  x.outcomes.resize(static_cast<std::size_t>(n));
  if (n > 0)
    x.pool.run(
        static_cast<int>(std::min<long>(x.pool.threads(), n)),
        [](void* self, int t) { static_cast<Impl*>(self)->work(t); }, [](void*) {}, &x);
  return x.outcomes;
}

int BatchInverseKinematics::threads() const { return impl_->pool.threads(); }

}  // namespace zwang
