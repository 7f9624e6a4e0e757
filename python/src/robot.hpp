// SPDX-License-Identifier: BSD-3-Clause
// Robot: what Python calls a Model. The C++ Model, what reading it found, and workspaces for calls from any thread.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/model/model.hpp"

namespace zwang::python {

/// All that one call needs besides its arguments. Never used by two threads at once.
struct Workspace {
  explicit Workspace(const Model& model) : data(model) {}
  Data data;
  std::optional<TreeCholesky> cholesky;  ///< made by the first call that wants it
  std::vector<double> scratch;
  Externals external;
  double* numbers(Index size) {
    if (static_cast<Index>(scratch.size()) < size) scratch.resize(static_cast<std::size_t>(size));
    return scratch.data();
  }
};

/// Workspaces that wait for a call: as many as there were calls at the same time. Any thread, with or without the GIL.
class Pool {
 public:
  std::unique_ptr<Workspace> take(const Model& model) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!waiting_.empty()) {
        std::unique_ptr<Workspace> w = std::move(waiting_.back());
        waiting_.pop_back();
        return w;
      }
    }
    return std::make_unique<Workspace>(model);
  }
  void give(std::unique_ptr<Workspace> w) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(w));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> waiting_;
};

struct Robot {
  explicit Robot(Model m) : Robot(std::move(m), nullptr) {}
  Robot(Model m, std::shared_ptr<const Diagnostics> all)
      : model(std::move(m)),
        found(all ? std::move(all) : std::make_shared<const Diagnostics>(model.diagnostics())),
        pool(std::make_shared<Pool>()) {}
  Model model;
  std::shared_ptr<const Diagnostics> found;  ///< of reading and of building
  std::shared_ptr<Pool> pool;
};

/// A workspace for the length of a scope, with the model's own gravity.
class Lease {
 public:
  explicit Lease(const Robot& robot) : pool_(robot.pool), workspace_(pool_->take(robot.model)) {
    workspace_->data.gravity = robot.model.gravity();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { pool_->give(std::move(workspace_)); }
  Workspace& operator*() const { return *workspace_; }

 private:
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace zwang::python
