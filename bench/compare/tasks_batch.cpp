// SPDX-License-Identifier: BSD-3-Clause
// The tasks of zwang::Batch: all states in one call, in tiles, which is the order that its kernels work in.
#include "tasks.hpp"
#include "zwang/batch/batch_solver.hpp"

namespace zwang::bench {
namespace {

template <class T> StateTiles<T> tiles(const Eigen::MatrixXd& x) {
  StateTiles<T> out(x.cols(), static_cast<Index>(x.rows()));
  for (Eigen::Index s = 0; s < x.cols(); ++s)
    for (Eigen::Index k = 0; k < x.rows(); ++k) out(s, static_cast<Index>(k)) = static_cast<T>(x(k, s));
  return out;
}

template <class T> struct Work {
  Work(const Problem& problem, int threads, Index size)
      : p(problem),
        batch(problem.model, BatchOptions{.threads = threads}),
        q(tiles<T>(problem.q)),
        v(tiles<T>(problem.v)),
        a(tiles<T>(problem.a)),
        tau(tiles<T>(problem.tau)),
        out(problem.q.cols(), size),
        frame(problem.contacts.empty() ? FrameId{} : problem.model.find_frame(problem.contacts[0].frame)) {
    batch.reserve(problem.q.cols());
  }
  const Problem& p;
  BasicBatch<T> batch;
  StateTiles<T> q, v, a, tau, out;
  FrameId frame;
};

template <class T> void rnea(Work<T>& w) { w.batch.inverse_dynamics(w.q, w.v, w.a, w.out, k_effects); }
template <class T> void aba(Work<T>& w) { w.batch.forward_dynamics(w.q, w.v, w.tau, w.out, k_effects); }
template <class T> void crba(Work<T>& w) { w.batch.mass_matrix(w.q, w.out, k_effects); }
template <class T> void minverse(Work<T>& w) { w.batch.mass_matrix_inverse(w.q, w.out, k_effects); }
template <class T> void solve(Work<T>& w) { w.batch.mass_matrix_solve(w.q, w.tau, w.out, k_effects); }
template <class T> void frame_jacobian(Work<T>& w) {
  w.batch.jacobian(w.q, w.frame, Reference::local_world_aligned, w.out);
}

template <class T, ZwangPeerTask task, void (*call)(Work<T>&)> class BatchTask : public Runner {
 public:
  BatchTask(const Problem& problem, int threads) : work_(problem, threads, result_size(problem, task)) {}
  void run(int) override { call(work_); }
  int states_per_call() const override { return static_cast<int>(work_.q.states()); }
  void result(int state, double* out) override {
    const Index size = work_.out.size(), columns = work_.p.model.nv(), rows = size / columns;
    for (Index k = 0; k < size; ++k)  // a batch writes matrices row after row
      out[rows > 1 ? k / columns + rows * (k % columns) : k] = static_cast<double>(work_.out(state, k));
  }

 private:
  Work<T> work_;
};

/// Constrained forward dynamics: accelerations and multipliers.
template <class T> class Constrained : public Runner {
 public:
  Constrained(const Problem& problem, int threads)
      : solver_(problem.model, problem.set, settings(), BatchOptions{.threads = threads}),
        q_(tiles<T>(problem.q)),
        v_(tiles<T>(problem.v)),
        tau_(tiles<T>(problem.tau)),
        a_(problem.q.cols(), problem.model.nv()),
        lambda_(problem.q.cols(), problem.set.rows()) {
    solver_.reserve(problem.q.cols());
  }
  void run(int) override {
    solver_.solve({.q = q_, .v = v_, .tau = tau_}, {.acceleration = a_, .multipliers = lambda_});
  }
  int states_per_call() const override { return static_cast<int>(q_.states()); }
  void result(int state, double* out) override {
    for (Index k = 0; k < a_.size(); ++k) out[k] = static_cast<double>(a_(state, k));
  }

 private:
  static SolverSettings settings() {
    SolverSettings s;
    s.joint_effects = k_effects;
    return s;
  }
  BasicBatchSolver<T> solver_;
  StateTiles<T> q_, v_, tau_, a_, lambda_;
};
template <class T> std::unique_ptr<Runner> make_constrained(const Problem& problem, int threads) {
  return std::make_unique<Constrained<T>>(problem, threads);
}

template <class T, ZwangPeerTask task, void (*call)(Work<T>&)>
std::unique_ptr<Runner> make(const Problem& problem, int threads) {
  return std::make_unique<BatchTask<T, task, call>>(problem, threads);
}

/// `loose`: of results that a linear solve with M comes before.
template <class T>
void add(std::vector<Task>& out, const char* scalar, int threads, double tight, double loose, double constrained) {
  const auto row = [&](const char* name, ZwangPeerTask task, double tolerance, auto maker) {
    out.push_back({name, task, "batch", scalar, threads, tolerance, maker});
  };
  row("rnea", ZWANG_PEER_RNEA, tight, make<T, ZWANG_PEER_RNEA, rnea<T>>);
  row("aba", ZWANG_PEER_ABA, loose, make<T, ZWANG_PEER_ABA, aba<T>>);
  row("crba", ZWANG_PEER_CRBA, tight, make<T, ZWANG_PEER_CRBA, crba<T>>);
  row("minverse", ZWANG_PEER_MINVERSE, loose, make<T, ZWANG_PEER_MINVERSE, minverse<T>>);
  row("cholesky_solve", ZWANG_PEER_CHOLESKY_SOLVE, loose, make<T, ZWANG_PEER_CHOLESKY_SOLVE, solve<T>>);
  row("constrained", ZWANG_PEER_CONSTRAINED, constrained, make_constrained<T>);
  row("frame_jacobian", ZWANG_PEER_FRAME_JACOBIAN, tight, make<T, ZWANG_PEER_FRAME_JACOBIAN, frame_jacobian<T>>);
}

}  // namespace

std::vector<Task> batch_tasks() {
  std::vector<Task> out;
  for (const int threads : {1, 2}) {
    add<double>(out, "double", threads, 1e-9, 1e-9, 1e-6);
    add<float>(out, "float", threads, 1e-4, 2e-2, 5e-2);
  }
  return out;
}

}  // namespace zwang::bench
