// SPDX-License-Identifier: BSD-3-Clause
// The tasks of zwang::Batch: all states in one call, in tiles, which is the order that its kernels work in.
#include <optional>

#include "list_tasks.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/batch/batch_solver.hpp"

namespace zwang::bench {
namespace {

template <class T> StateTiles<T> tiles(const Eigen::MatrixXd& x) {
  StateTiles<T> out(x.cols(), static_cast<Index>(x.rows()));
  for (Eigen::Index s = 0; s < x.cols(); ++s)
    for (Eigen::Index k = 0; k < x.rows(); ++k) out(s, static_cast<Index>(k)) = static_cast<T>(x(k, s));
  return out;
}

/// A row of the list under the peers' word for it, whose matrices are stored column after column. Of derivatives the
/// peers tell the first two matrices, those by q and v.
template <class T> class ForPeers : public Runner {
 public:
  ForPeers(const Problem& problem, const Algorithm& row, int threads)
      : merged_(&row == &algorithm("inverse_dynamics_regressor") ? merged(problem) : std::nullopt),
        own_(make_batch<T>(merged_ ? *merged_ : problem, row, threads)),
        columns_(row.gives[0].shape.count == 2 ? problem.model.nv() : 1),
        matrices_(std::min<std::size_t>(static_cast<std::size_t>(row.gives.count), 2)),
        matrix_(static_cast<std::size_t>(numbers_of(row.gives[0].shape, sizes_of(problem.model, {})))),
        numbers_(static_cast<std::size_t>(row.room(sizes_of(problem.model, {})))) {
    if (!merged_) return;
    parameters_.resize(10 * static_cast<Eigen::Index>(merged_->model.links().size()));
    inertial_parameters(merged_->model, parameters_);
  }
  void run(int call) override { own_->run(call); }
  int states_per_call() const override { return own_->states_per_call(); }
  void result(int state, double* out) override {
    own_->result(state, numbers_.data());
    if (parameters_.size() > 0) {  // of a regressor the peers tell the product
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      Eigen::Map<Eigen::VectorXd>(out, columns_) =
          Eigen::Map<const Rows>(numbers_.data(), columns_, parameters_.size()) * parameters_;
      return;
    }
    const std::size_t columns = static_cast<std::size_t>(columns_), rows = matrix_ / columns;
    for (std::size_t m = 0; m < matrices_; ++m)
      for (std::size_t k = 0; k < matrix_; ++k)
        out[m * matrix_ + k / columns + rows * (k % columns)] = numbers_[m * matrix_ + k];
  }

 private:
  /// Links behind fixed joints are one, as in the peers' models.
  static std::optional<Problem> merged(const Problem& problem) {
    std::optional<Problem> out = problem;
    out->model = merge_fixed(problem.model);
    out->contacts.clear();
    return out;
  }
  std::optional<Problem> merged_;  ///< of a regressor
  std::unique_ptr<Runner> own_;
  Index columns_;
  std::size_t matrices_, matrix_;  ///< how many matrices of how many numbers
  std::vector<double> numbers_;
  Eigen::VectorXd parameters_;  ///< of a regressor
};

/// Poses of all bodies: of the first link's frame of each.
template <class T> class ForwardKinematics : public Runner {
 public:
  ForwardKinematics(const Problem& problem, int threads)
      : batch_(problem.model, BatchOptions{.threads = threads}),
        q_(tiles<T>(problem.q)),
        in_body_(static_cast<std::size_t>(problem.model.bodies()) + 1) {
    std::vector<FrameId> frame_of(in_body_.size());
    for (const Link& link : problem.model.links()) {
      const auto body = static_cast<std::size_t>(link.body.value);
      if (frame_of[body].value >= 0) continue;
      frame_of[body] = link.frame;
      in_body_[body] = link.in_body;
    }
    for (std::size_t i = 1; i < frame_of.size(); ++i) {
      has_frame_.push_back(frame_of[i].value >= 0);  // not a body within a composite joint
      if (has_frame_.back()) frames_.push_back(frame_of[i]);
    }
    poses_ = StateTiles<T>(problem.q.cols(), 16 * static_cast<Index>(frames_.size()));
    batch_.reserve(problem.q.cols());
  }
  void run(int) override { batch_.frame_poses(q_, frames_, poses_); }
  int states_per_call() const override { return static_cast<int>(q_.states()); }
  void result(int state, double* out) override {
    Index at = 0;
    for (std::size_t i = 0; i < has_frame_.size(); ++i, out += 12) {
      Transform<double> X = Transform<double>::identity();
      if (has_frame_[i]) {
        for (Index k = 0; k < 9; ++k) X.R[k / 3][k % 3] = static_cast<double>(poses_(state, at + 4 * (k / 3) + k % 3));
        for (Index k = 0; k < 3; ++k) X.p[k] = static_cast<double>(poses_(state, at + 4 * k + 3));
        X = X * inverse(in_body_[i + 1]);
        at += 16;
      }
      for (Index k = 0; k < 9; ++k) out[k] = X.R(k / 3, k % 3);
      for (Index k = 0; k < 3; ++k) out[9 + k] = X.p[k];
    }
  }

 private:
  BasicBatch<T> batch_;
  StateTiles<T> q_, poses_;
  std::vector<Transform<double>> in_body_;
  std::vector<FrameId> frames_;
  std::vector<bool> has_frame_;
};
template <class T> std::unique_ptr<Runner> make_kinematics(const Problem& problem, int threads) {
  return std::make_unique<ForwardKinematics<T>>(problem, threads);
}

/// Constrained forward dynamics: accelerations and multipliers.
template <class T> class Constrained : public Runner {
 public:
  Constrained(const Problem& problem, const ConstraintSet& set, int threads)
      : solver_(problem.model, set, settings(), BatchOptions{.threads = threads}),
        q_(tiles<T>(problem.q)),
        v_(tiles<T>(problem.v)),
        tau_(tiles<T>(problem.tau)),
        a_(problem.q.cols(), problem.model.nv()),
        lambda_(problem.q.cols(), set.rows()) {
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
template <class T, ConstraintSet Problem::*set>
std::unique_ptr<Runner> make_constrained(const Problem& problem, int threads) {
  return std::make_unique<Constrained<T>>(problem, problem.*set, threads);
}

/// `loose`: of results that a linear solve with M comes before.
template <class T>
void add(std::vector<Task>& out, const char* scalar, int threads, double tight, double loose, double constrained) {
  const auto task = [&](const char* name, ZwangPeerTask peer, double tolerance, auto maker) {
    out.push_back({name, peer, "batch", scalar, threads, tolerance, maker});
  };
  const auto row = [&](const char* name, ZwangPeerTask peer, double tolerance, const char* of_list) {
    const Algorithm& a = algorithm(of_list);
    task(name, peer, tolerance, [&a](const Problem& p, int n) { return std::make_unique<ForPeers<T>>(p, a, n); });
    out.back().row = &a;
  };
  task("fk", ZWANG_PEER_FK, tight, make_kinematics<T>);
  row("rnea", ZWANG_PEER_RNEA, tight, "inverse_dynamics");
  row("aba", ZWANG_PEER_ABA, loose, "forward_dynamics");
  row("crba", ZWANG_PEER_CRBA, tight, "mass_matrix");
  row("minverse", ZWANG_PEER_MINVERSE, loose, "mass_matrix_inverse");
  row("cholesky_solve", ZWANG_PEER_CHOLESKY_SOLVE, loose, "mass_matrix_solve");
  task("constrained", ZWANG_PEER_CONSTRAINED, constrained, make_constrained<T, &Problem::set>);
  task("constrained_loop", ZWANG_PEER_CONSTRAINED_LOOP, constrained, make_constrained<T, &Problem::loops>);
  row("frame_jacobian", ZWANG_PEER_FRAME_JACOBIAN, tight, "jacobian");
  row("coriolis", ZWANG_PEER_CORIOLIS, tight, "coriolis_matrix");
  row("centroidal", ZWANG_PEER_CENTROIDAL, tight, "centroidal_map");
  row("centroidal_dot", ZWANG_PEER_CENTROIDAL_DOT, tight, "centroidal_map_dot");
  row("regressor", ZWANG_PEER_REGRESSOR, tight, "inverse_dynamics_regressor");
  // Where the list has them in lanes.
  const auto derivatives = [&](const char* name, ZwangPeerTask peer, double tolerance, const char* of_list) {
    for (const Algorithm& a : algorithms())
      if (a.lanes && std::string_view(a.name) == of_list) row(name, peer, tolerance, of_list);
  };
  derivatives("rnea_derivatives", ZWANG_PEER_RNEA_DERIVATIVES, tight, "inverse_dynamics_derivatives");
  derivatives("aba_derivatives", ZWANG_PEER_ABA_DERIVATIVES, loose, "forward_dynamics_derivatives");
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
