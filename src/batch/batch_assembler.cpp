// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/batch/batch_assembler.hpp"

#include <algorithm>
#include <limits>

#include "batch/thread_pool.hpp"
#include "core/all_finite.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang {
namespace {

/// Columns of numbers; one column holds for all.
struct StateColumns {
  const double* data = nullptr;
  long step = 0;
  explicit StateColumns(MatrixIn x, Eigen::Index states)
      : data(x.data()),
        step(x.cols() == states ? static_cast<long>(x.outerStride()) : 0) {}
  StateColumns() = default;
  const double* at(long k) const { return data + k * step; }
};

AssemblyOutcome outcome_of(const AssemblyReport& r) {
  return {r.status, r.residual,   r.velocity_residual, r.distance, r.stationarity, r.gradient,
          r.rank,   r.iterations, r.attempt,           r.branch,   r.nearest};
}

void check(const char* argument, Eigen::Index rows, Index expected, Eigen::Index columns, Eigen::Index states,
           bool or_one) {
  if (rows != expected) detail::throw_size("BatchAssembler", argument, static_cast<long>(rows), expected);
  if (columns != states && !(or_one && columns == 1))
    detail::throw_size("BatchAssembler", argument, static_cast<long>(columns), static_cast<long>(states));
}

}  // namespace

struct BatchAssembler::Impl {
  Impl(const Model& of, const ConstraintSet& set, const AssemblySettings& settings, int threads)
      : model(of),
        pool(threads) {
    for (int t = 0; t < pool.threads(); ++t) assemblers.emplace_back(of, set, settings);
  }

  /// What is wrong with a state; ok: nothing.
  Status fault(long k) const {
    const double* const at = q0.at(k);
    if (!all_finite(at, model.nq())) return Status::non_finite_input;
    if (v0.data != nullptr && !all_finite(v0.at(k), model.nv())) return Status::non_finite_input;
    return detail::normalized_within(model.tree<double>(), at, k_unit_tolerance) ? Status::ok : Status::invalid_input;
  }

  void work(int thread) {
    const long threads = std::min<long>(pool.threads(), states);
    const long begin = states * thread / threads, end = states * (thread + 1) / threads;
    Assembler& assembler = assemblers[static_cast<std::size_t>(thread)];
    for (long k = begin; k < end; ++k) one(assembler, k);
  }

  void one(Assembler& assembler, long k) {
    AssemblyOutcome& outcome = outcomes[static_cast<std::size_t>(k)];
    outcome = {};
    outcome.status = fault(k);
    if (outcome.status == Status::ok) {
      const double* const at = q0.at(k);
      const Assembly& x = v0.data == nullptr ? assembler.assemble(at)
                          : q_out == nullptr ? assembler.assemble_velocity(at, v0.at(k))
                                             : assembler.project(at, v0.at(k));
      outcome = outcome_of(x.report);
      if (q_out != nullptr) std::copy_n(x.q.data(), model.nq(), q_out + k * q_step);
      if (v_out != nullptr) std::copy_n(x.v.data(), model.nv(), v_out + k * v_step);
    }
    if (has_result(outcome.status)) return;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    if (q_out != nullptr) std::fill_n(q_out + k * q_step, model.nq(), nothing);
    if (v_out != nullptr) std::fill_n(v_out + k * v_step, model.nv(), nothing);
  }

  const std::vector<AssemblyOutcome>& run(Eigen::Index count) {
    states = static_cast<long>(count);
    outcomes.resize(static_cast<std::size_t>(count));
    if (states > 0)
      pool.run(
          static_cast<int>(std::min<long>(pool.threads(), states)),
          [](void* self, int t) { static_cast<Impl*>(self)->work(t); }, [](void*) {}, this);
    return outcomes;
  }

  Model model;
  ThreadPool pool;
  std::vector<Assembler> assemblers;
  std::vector<AssemblyOutcome> outcomes;
  StateColumns q0, v0;
  double *q_out = nullptr, *v_out = nullptr;
  long q_step = 0, v_step = 0, states = 0;
};

BatchAssembler::BatchAssembler(const Model& model, const ConstraintSet& constraints, const AssemblySettings& settings,
                               const BatchOptions& options)
    : impl_(make_owned<Impl>(model, constraints, settings, options.threads)) {}
BatchAssembler::BatchAssembler(BatchAssembler&&) noexcept = default;
BatchAssembler& BatchAssembler::operator=(BatchAssembler&&) noexcept = default;
BatchAssembler::~BatchAssembler() = default;

const std::vector<AssemblyOutcome>& BatchAssembler::assemble(MatrixIn q0, MatrixOut q) {
  Impl& x = *impl_;
  check("q0", q0.rows(), x.model.nq(), q0.cols(), q.cols(), true);
  check("q", q.rows(), x.model.nq(), q.cols(), q.cols(), false);
  x.q0 = StateColumns(q0, q.cols());
  x.v0 = StateColumns();
  x.q_out = q.data();
  x.q_step = static_cast<long>(q.outerStride());
  x.v_out = nullptr;
  return x.run(q.cols());
}

const std::vector<AssemblyOutcome>& BatchAssembler::assemble_velocity(MatrixIn q, MatrixIn v0, MatrixOut v) {
  Impl& x = *impl_;
  check("q", q.rows(), x.model.nq(), q.cols(), v.cols(), true);
  check("v0", v0.rows(), x.model.nv(), v0.cols(), v.cols(), true);
  check("v", v.rows(), x.model.nv(), v.cols(), v.cols(), false);
  x.q0 = StateColumns(q, v.cols());
  x.v0 = StateColumns(v0, v.cols());
  x.q_out = nullptr;
  x.v_out = v.data();
  x.v_step = static_cast<long>(v.outerStride());
  return x.run(v.cols());
}

const std::vector<AssemblyOutcome>& BatchAssembler::project(MatrixIn q0, MatrixIn v0, MatrixOut q, MatrixOut v) {
  Impl& x = *impl_;
  check("q0", q0.rows(), x.model.nq(), q0.cols(), q.cols(), true);
  check("v0", v0.rows(), x.model.nv(), v0.cols(), q.cols(), true);
  check("q", q.rows(), x.model.nq(), q.cols(), q.cols(), false);
  check("v", v.rows(), x.model.nv(), v.cols(), q.cols(), false);
  x.q0 = StateColumns(q0, q.cols());
  x.v0 = StateColumns(v0, q.cols());
  x.q_out = q.data();
  x.q_step = static_cast<long>(q.outerStride());
  x.v_out = v.data();
  x.v_step = static_cast<long>(v.outerStride());
  return x.run(q.cols());
}

int BatchAssembler::threads() const { return impl_->pool.threads(); }

}  // namespace zwang
