// SPDX-License-Identifier: BSD-3-Clause
#include "list_tasks.hpp"

#include <algorithm>

#include "zwang/batch/batch.hpp"
#include "zwang/batch/evaluate.hpp"

namespace zwang::bench {

FrameId frame_of(const Problem& p) {
  return p.contacts.empty() ? p.model.links().back().frame : p.model.find_frame(p.contacts[0].frame);
}

AlgorithmOptions options_of(const Problem& p, const std::vector<FrameId>& frames) {
  AlgorithmOptions o;
  o.frame = frame_of(p);
  o.seen_from = p.model.links().front().frame;
  o.frames = frames;
  o.effects = k_effects;
  o.number = 0.5;
  return o;
}

Eigen::MatrixXd vector_of(const Problem& p, const Argument& argument) {
  const std::string name = argument.name;
  if (argument.what == Takes::tangent) return name == "a" ? p.a : name == "tau" || name == "b" ? p.tau : p.v;
  if (name != "q1" || p.q.cols() < 2) return p.q;
  Eigen::MatrixXd next(p.q.rows(), p.q.cols());
  next << p.q.rightCols(p.q.cols() - 1), p.q.col(0);
  return next;
}

namespace {

std::vector<FrameId> frames_of_links(const Problem& p) {
  std::vector<FrameId> out;
  for (const Link& link : p.model.links()) out.push_back(link.frame);
  return out;
}

class Single : public Runner {
 public:
  Single(const Problem& p, const Algorithm& row)
      : row_(row),
        data_(p.model),
        evaluator_(p.model),
        frames_(frames_of_links(p)),
        options_(options_of(p, frames_)),
        numbers_(static_cast<std::size_t>(row.room(sizes_of(p.model, options_)))) {
    for (const Argument& a : row.takes)
      if (is_vector(a)) vectors_.push_back(vector_of(p, a));
    in_.resize(vectors_.size());
    double* next = numbers_.data();
    for (const Result& r : row.gives) {
      out_.push_back(next);
      next += numbers_of(r.shape, sizes_of(p.model, options_));
    }
  }
  void run(int i) override {
    for (std::size_t k = 0; k < in_.size(); ++k) in_[k] = vectors_[k].col(i).data();
    evaluator_.run(row_, data_, in_, out_, options_);
  }
  void result(int, double* out) override { std::copy(numbers_.begin(), numbers_.end(), out); }

 private:
  const Algorithm& row_;
  Data data_;
  Evaluator evaluator_;
  std::vector<FrameId> frames_;
  AlgorithmOptions options_;
  std::vector<double> numbers_;
  std::vector<Eigen::MatrixXd> vectors_;
  std::vector<const double*> in_;
  std::vector<double*> out_;
};

template <class T> class Many : public Runner {
 public:
  Many(const Problem& p, const Algorithm& row, int threads)
      : row_(row),
        batch_(p.model, BatchOptions{.threads = threads}),
        frames_(frames_of_links(p)),
        options_(options_of(p, frames_)) {
    const long n = p.q.cols();
    for (const Argument& a : row.takes) {
      if (!is_vector(a)) continue;
      const Eigen::MatrixXd x = vector_of(p, a);
      StateTiles<T>& tiles = vectors_.emplace_back(n, static_cast<Index>(x.rows()));
      for (long s = 0; s < n; ++s)
        for (Index k = 0; k < tiles.size(); ++k) tiles(s, k) = static_cast<T>(x(k, s));
    }
    for (const Result& r : row.gives) results_.emplace_back(n, numbers_of(r.shape, sizes_of(p.model, options_)));
    in_.assign(vectors_.begin(), vectors_.end());
    out_.assign(results_.begin(), results_.end());
    batch_.reserve(n);
  }
  void run(int) override { batch_.run(row_, in_, out_, options_); }
  int states_per_call() const override { return static_cast<int>(vectors_[0].states()); }
  void result(int state, double* out) override {
    for (const StateTiles<T>& r : results_)
      for (Index k = 0; k < r.size(); ++k) *out++ = static_cast<double>(r(state, k));
  }

 private:
  const Algorithm& row_;
  BasicBatch<T> batch_;
  std::vector<FrameId> frames_;
  AlgorithmOptions options_;
  std::vector<StateTiles<T>> vectors_, results_;
  std::vector<StatesIn<T>> in_;
  std::vector<StatesOut<T>> out_;
};

}  // namespace

std::unique_ptr<Runner> make_single(const Problem& p, const Algorithm& row) { return std::make_unique<Single>(p, row); }
template <class T> std::unique_ptr<Runner> make_batch(const Problem& p, const Algorithm& row, int threads) {
  return std::make_unique<Many<T>>(p, row, threads);
}
template std::unique_ptr<Runner> make_batch<double>(const Problem&, const Algorithm&, int);
template std::unique_ptr<Runner> make_batch<float>(const Problem&, const Algorithm&, int);

std::vector<Task> list_tasks(const std::vector<Task>& known) {
  std::vector<Task> out;
  for (const Algorithm& row : algorithms()) {
    if (std::any_of(known.begin(), known.end(), [&](const Task& t) { return t.row == &row; })) continue;
    const auto add = [&](const char* mode, const char* scalar, int threads, auto make) {
      out.push_back({row.name, std::nullopt, mode, scalar, threads, 0, make, &row});
    };
    add("single", "double", 1, [&row](const Problem& p, int) { return make_single(p, row); });
    if (!row.lanes) continue;
    for (const int threads : {1, 2}) {
      add("batch", "double", threads, [&row](const Problem& p, int n) { return make_batch<double>(p, row, n); });
      add("batch", "float", threads, [&row](const Problem& p, int n) { return make_batch<float>(p, row, n); });
    }
  }
  return out;
}

}  // namespace zwang::bench
