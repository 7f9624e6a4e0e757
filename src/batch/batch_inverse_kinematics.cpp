// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/batch/batch_inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "batch/thread_pool.hpp"
#include "core/all_finite.hpp"
#include "core/borrowed.hpp"
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

  void begin(const char* function, const std::vector<Transform<double>>& given, MatrixOut& out) {
    states = static_cast<long>(out.cols());
    const long expected = states * static_cast<long>(per_state);
    if (static_cast<long>(given.size()) != expected)
      detail::throw_size(function, "poses", static_cast<long>(given.size()), expected);
    if (out.rows() != model.nq()) detail::throw_size(function, "q", static_cast<long>(out.rows()), model.nq());
    poses = given.data();
    q = out.data();
    q_step = static_cast<long>(out.outerStride());
    outcomes.resize(static_cast<std::size_t>(states));
    errors.resize(6 * per_state * outcomes.size());
  }

  void work(int thread) {
    const long parts = std::min<long>(pool.threads(), states);
    const auto t = static_cast<std::size_t>(thread);
    for (long k = states * thread / parts; k < states * (thread + 1) / parts; ++k)
      outcomes[static_cast<std::size_t>(k)] = one(solvers[t], wanted[t], k, q0 + k * q0_step);
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

  /// All states by the first solver, each from the last solution.
  void walk() {
    const double* from = q0;
    for (long k = 0; k < states; ++k) {
      outcomes[static_cast<std::size_t>(k)] = one(solvers[0], wanted[0], k, from);
      if (outcomes[static_cast<std::size_t>(k)].status == PoseStatus::ok) from = q + k * q_step;
    }
  }

  PoseOutcomeOfMany one(InverseKinematics& solver, std::vector<Transform<double>>& target, long k, const double* at) {
    double* const out = q + k * q_step;
    double* const off = errors.data() + 6 * static_cast<std::size_t>(k) * per_state;
    std::copy_n(poses + static_cast<std::size_t>(k) * per_state, per_state, target.begin());
    PoseOutcomeOfMany r;
    r.status = fault(target, at);
    if (r.status == PoseStatus::ok) try {
        const InverseKinematicsSolution& s = solver.solve(target, vector_in(at, model.nq()));
        std::copy_n(s.q.data(), model.nq(), out);
        std::copy_n(s.errors.data(), s.errors.size(), off);
        return {s.status, s.error, s.residual, s.gradient, s.iterations, s.out_of_reach, s.serial};
      } catch (const std::invalid_argument&) { r.status = PoseStatus::invalid_input; }  // a target that is no rotation
    std::fill_n(out, model.nq(), std::numeric_limits<double>::quiet_NaN());
    std::fill_n(off, 6 * per_state, std::numeric_limits<double>::quiet_NaN());
    return r;
  }

  Model model;
  ThreadPool pool;
  std::size_t per_state;
  std::vector<InverseKinematics> solvers;
  std::vector<std::vector<Transform<double>>> wanted;
  std::vector<PoseOutcomeOfMany> outcomes;
  std::vector<double> errors;
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
  const char* const function = "BatchInverseKinematics::solve";
  x.begin(function, poses, q);
  if (q0.rows() != x.model.nq()) detail::throw_size(function, "q0", static_cast<long>(q0.rows()), x.model.nq());
  if (q0.cols() != q.cols() && q0.cols() != 1)
    detail::throw_size(function, "q0", static_cast<long>(q0.cols()), x.states);
  x.q0 = q0.data();
  x.q0_step = q0.cols() == 1 ? 0 : static_cast<long>(q0.outerStride());
  if (x.states > 0)
    x.pool.run(
        static_cast<int>(std::min<long>(x.pool.threads(), x.states)),
        [](void* self, int t) { static_cast<Impl*>(self)->work(t); }, [](void*) {}, &x);
  return x.outcomes;
}

const std::vector<PoseOutcomeOfMany>& BatchInverseKinematics::solve_along(const std::vector<Transform<double>>& poses,
                                                                          VectorIn q0, MatrixOut q) {
  Impl& x = *impl_;
  const char* const function = "BatchInverseKinematics::solve_along";
  x.begin(function, poses, q);
  if (q0.size() != x.model.nq()) detail::throw_size(function, "q0", static_cast<long>(q0.size()), x.model.nq());
  x.q0 = q0.data();
  x.walk();
  return x.outcomes;
}

const std::vector<double>& BatchInverseKinematics::errors() const { return impl_->errors; }
int BatchInverseKinematics::threads() const { return impl_->pool.threads(); }

}  // namespace zwang
