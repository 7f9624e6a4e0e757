// SPDX-License-Identifier: BSD-3-Clause
// What zwang is timed with: a table of tasks, each a small object that solves one state, or all of them, a call.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"
#include "zwang/algorithm/algorithm.hpp"

namespace zwang::bench {

/// One task on one problem. run() is what is timed.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Single: solves the state `call`. Batch: solves all states.
  virtual void run(int call) = 0;
  virtual int states_per_call() const { return 1; }
  /// The result of a state, after the run that solved it: as many numbers, in the order, as peer.h says.
  virtual void result(int state, double* out) = 0;
};

struct Task {
  const char* algorithm;
  std::optional<ZwangPeerTask> peer;  ///< the peers' word for it; none: measured where it is asked for by name
  const char* mode;                   ///< single, batch
  const char* scalar;                 ///< double, float
  int threads;
  double tolerance;  ///< of the agreement with peers, relative to the largest number of the result
  std::function<std::unique_ptr<Runner>(const Problem& problem, int threads)> make;
  const Algorithm* row = nullptr;  ///< of the list of algorithms, where it is one
  /// A slower way to the same numbers, where no peer has the task and no law is written for it here.
  std::function<std::unique_ptr<Runner>(const Problem& problem)> reference = {};
  std::function<Index(const Problem& problem)> numbers = {};  ///< how many; none: nv
  /// The solve that the task contains, timed in turn with it.
  std::function<std::unique_ptr<Runner>(const Problem& problem)> solve = {};
  bool batch() const { return mode[0] == 'b'; }
  /// Whether the contacts of the problem are held.
  bool with_rows() const {
    return reference || peer == ZWANG_PEER_CONSTRAINED || peer == ZWANG_PEER_CONSTRAINED_DERIVATIVES;
  }
};

/// All of them: those of tasks.cpp (one state a call), derivative_tasks(), batch_tasks(),
/// then the rest of the list of algorithms.
const std::vector<Task>& tasks();
std::vector<Task> derivative_tasks();
std::vector<Task> batch_tasks();
/// The algorithms of the table, each once.
std::vector<std::string> algorithm_names();

/// How many numbers a result has.
Index result_size(const Problem& problem, ZwangPeerTask task);

/// The error of a result, of zwang or of a peer, in the law that defines it, relative to the terms of the law:
///   fk                R^T R = 1                           minverse          M X = 1
///   rnea              tau = M a + h                       cholesky_solve    M x = tau
///   aba, constrained  M q'' + h = tau (+ rows: K a = 0)   jacobian          J v = V of the frame
///   crba              M a = tau(a) - tau(0)               constrained_loop  K a + gamma = 0 of the relations
///   derivatives       along q' = v, v' = a (tau' = tau): differences of fourth order of what is differentiated
class Residual {
 public:
  explicit Residual(const Problem& problem);
  double of(ZwangPeerTask task, int state, const double* result);

 private:
  double rows(int state, const Eigen::VectorXd& acceleration);
  double loop_rows(int state, const Eigen::VectorXd& acceleration);
  double first_derivatives(ZwangPeerTask task, int state, const double* result);
  double second_order(int state, const double* result);
  const Problem& problem_;
  Data data_;
  std::optional<Solver> solver_;  ///< of derivatives with rows
};

}  // namespace zwang::bench
