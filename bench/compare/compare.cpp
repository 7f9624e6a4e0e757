// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include <algorithm>
#include <cmath>

#include "allocations.hpp"
#include "list_tasks.hpp"

namespace zwang::bench {
namespace {

constexpr int k_checked_states = 16;

/// A peer's algorithm for the task at hand, checked.
struct Candidate {
  PeerRun* peer;
  int algorithm;
  double agreement = 0, residual = 0;
  bool agrees = false;
  std::optional<double> allocations{};
  Timing timing{};
};

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double d = 0, s = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k]) || !std::isfinite(y[k])) return HUGE_VAL;
    d = std::max(d, std::abs(x[k] - y[k]));
    s = std::max(s, std::abs(y[k]));
  }
  return d == 0 ? 0 : d / s;
}

/// The larger one; what is not a number counts as infinite.
double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? HUGE_VAL : std::max(a, b); }

/// Allocations per call, once everything is warm.
template <class Run> std::optional<double> allocations_of(const Run& run, int calls) {
  if (!allocations_are_counted()) return std::nullopt;
  for (int i = 0; i < calls; ++i) run(i);
  const AllocationCount count;
  for (int i = 0; i < calls; ++i) run(i);
  return static_cast<double>(count.count()) / calls;
}

/// One task of one problem: ours and the peers' algorithms.
class Comparison {
 public:
  Comparison(const Problem& problem, const Task& task, std::vector<std::unique_ptr<PeerRun>>& peers)
      : problem_(problem),
        task_(task),
        ours_(task.make(problem, task.threads)),
        calls_(task.batch() ? 1 : problem.states) {
    if (!task.peer) return;
    for (const std::unique_ptr<PeerRun>& peer : peers)
      if (peer->refused().empty())
        for (const int algorithm : peer->algorithms(*task.peer)) candidates_.push_back({peer.get(), algorithm});
  }

  void check() {
    if (!task_.peer) return check_alone();
    const auto size = static_cast<std::size_t>(result_size(problem_, *task_.peer));
    std::vector<double> mine(size), theirs(size);
    Residual residual(problem_);
    if (task_.batch()) ours_->run(0);
    for (int i = 0; i < std::min(k_checked_states, problem_.states); ++i) {
      if (!task_.batch()) ours_->run(i);
      ours_->result(i, mine.data());
      residual_ = larger(residual_, residual.of(*task_.peer, i, mine.data()));
      for (Candidate& c : candidates_) {
        c.peer->run(c.algorithm, i);
        c.peer->result(c.algorithm, i, theirs.data());
        c.agreement = larger(c.agreement, difference(theirs, mine));
        c.residual = larger(c.residual, residual.of(*task_.peer, i, theirs.data()));
      }
    }
    for (Candidate& c : candidates_) c.agrees = c.agreement <= task_.tolerance;
  }

  void leave_unchecked() { residual_ = std::nan(""); }

  void measure(const TimingOptions& options) {
    const auto mine = [this](int i) { ours_->run(i); };
    allocations_ = allocations_of(mine, calls_);
    std::vector<Contestant> contestants = {{mine, calls_, ours_->states_per_call()}};
    for (Candidate& c : candidates_) {
      if (!c.agrees) continue;
      const auto run = [p = c.peer, k = c.algorithm](int i) { p->run(k, i); };
      c.allocations = allocations_of(run, problem_.states);
      contestants.push_back({run, problem_.states, 1});
    }
    const std::unique_ptr<Runner> solve = task_.solve ? task_.solve(problem_) : nullptr;
    if (solve) contestants.push_back({[&](int i) { solve->run(i); }, calls_, 1});
    TimingOptions own = options;
    own.cpu_time = options.cpu_time && task_.threads == 1;
    const std::vector<Timing> times = time(contestants, own);
    timing_ = times[0];
    if (solve) {
      solve_ns_ = times.back().median;
      worst_ = worst_call({[&](int i) { ours_->run(i); }, calls_, 1}, own);
    }
    std::size_t k = 1;
    for (Candidate& c : candidates_)
      if (c.agrees) c.timing = times[k++];
  }

  Row row() const {
    Row r;
    r.robot = problem_.label;
    r.nv = problem_.model.nv();
    r.rows = task_.peer == ZWANG_PEER_CONSTRAINED_LOOP ? problem_.loops.rows()
             : task_.with_rows()                       ? problem_.rows()
                                                       : 0;
    r.task = &task_;
    r.ns = timing_.median;
    r.minimum = timing_.minimum;
    r.residual = residual_;
    r.allocations = allocations_;
    r.solve_ns = solve_ns_;
    r.worst = worst_;
    return r;
  }

  /// The row beside this peer: its fastest algorithm that agrees.
  Row row(const PeerRun& peer) const {
    Row r = row();
    r.peer = peer.plugin().title();
    r.refused = peer.refused();
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates_)
      if (c.peer == &peer && (best == nullptr || better(c, *best))) best = &c;
    if (best == nullptr) {
      r.lacks_algorithm = r.refused.empty();
      if (r.lacks_algorithm) r.refused = "it has no such algorithm";
      return r;
    }
    r.peer_algorithm = peer.name(best->algorithm);
    r.disagrees = !best->agrees;
    r.agreement = best->agreement;
    r.peer_residual = best->residual;
    if (best->agrees) {
      r.peer_ns = best->timing.median;
      r.peer_minimum = best->timing.minimum;
      r.peer_allocations = best->allocations;
    }
    for (const Candidate& c : candidates_)
      if (c.peer == &peer && &c != best)
        r.others.push_back({peer.name(c.algorithm), c.agrees ? c.timing.median : -1, c.agreement, c.residual});
    return r;
  }

 private:
  std::size_t numbers() const {
    if (task_.row == nullptr && task_.numbers) return static_cast<std::size_t>(task_.numbers(problem_));
    if (task_.row == nullptr) return static_cast<std::size_t>(problem_.model.nv());
    const std::vector<FrameId> frames(problem_.model.links().size());
    return static_cast<std::size_t>(task_.row->room(sizes_of(problem_.model, options_of(problem_, frames))));
  }
  /// What no peer has and no law is written for here: many states against one, a fast way against a slow one.
  void check_alone() {
    const std::unique_ptr<Runner> alone =
        task_.reference ? task_.reference(problem_) : make_single(problem_, *task_.row);
    std::vector<double> mine(numbers()), right(mine.size());
    if (task_.batch()) ours_->run(0);
    for (int i = 0; i < std::min(k_checked_states, problem_.states); ++i) {
      if (!task_.batch()) ours_->run(i);
      ours_->result(i, mine.data());
      alone->run(i);
      alone->result(i, right.data());
      residual_ = larger(residual_, difference(mine, right));
    }
  }
  static bool better(const Candidate& x, const Candidate& y) {
    if (x.agrees != y.agrees) return x.agrees;
    return x.agrees ? x.timing.median < y.timing.median : x.agreement < y.agreement;
  }

  const Problem& problem_;
  const Task& task_;
  std::unique_ptr<Runner> ours_;
  int calls_;
  std::vector<Candidate> candidates_;
  double residual_ = 0, solve_ns_ = 0;
  WorstCall worst_;
  std::optional<double> allocations_;
  Timing timing_;
};

bool chosen(const std::vector<std::string>& list, const char* word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool Selection::has(const Task& t) const {
  if (!t.peer && !t.reference && algorithms.empty()) return false;
  return chosen(algorithms, t.algorithm) && chosen(modes, t.mode) && chosen(scalars, t.scalar);
}

std::vector<Row> compare(const Problem& problem, const Selection& selection, const std::vector<Plugin>& plugins,
                         const TimingOptions& options, std::optional<int> cpu) {
  const PeerProblem same(problem);
  std::vector<std::unique_ptr<PeerRun>> peers;
  for (const Plugin& p : plugins) peers.push_back(std::make_unique<PeerRun>(p, same));
  std::vector<Row> out;
  for (const Task& task : tasks()) {
    if (!selection.has(task)) continue;
    if (problem.contacts.empty() && task.reference) continue;
    if (problem.contacts.empty() && task.peer == ZWANG_PEER_CONSTRAINED_DERIVATIVES) continue;
    const bool needs_frame = task.peer == ZWANG_PEER_JACOBIAN || task.peer == ZWANG_PEER_FRAME_JACOBIAN;
    if (problem.contacts.empty() && needs_frame) continue;
    if (problem.loops.size() == 0 && task.peer == ZWANG_PEER_CONSTRAINED_LOOP) continue;
    if (task.threads > cores_allowed()) continue;
    std::optional<Pin> pin;
    if (cpu && task.threads == 1) pin.emplace(*cpu);  // threads that a task makes would inherit the one core
    Comparison comparison(problem, task, peers);
    if (selection.check || !task.reference)
      comparison.check();
    else
      comparison.leave_unchecked();
    comparison.measure(options);
    if (peers.empty()) out.push_back(comparison.row());
    for (const std::unique_ptr<PeerRun>& peer : peers) out.push_back(comparison.row(*peer));
  }
  return out;
}

}  // namespace zwang::bench
