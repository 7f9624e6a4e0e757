// SPDX-License-Identifier: BSD-3-Clause
// assemble_path: continuation along targets, with warm starts, and shorter steps where the rows turn.
#include <algorithm>
#include <cmath>

#include "algorithm/support.hpp"
#include "question/assembly/assembler_impl.hpp"
#include "rows/check_constraint.hpp"

namespace zwang {
namespace {

constexpr double k_little_turned = 0.7;  // product of the cosines of one part
constexpr double k_least_part = 1.0 / 1024;

AssemblySettings without_restarts(AssemblySettings s) {
  s.attempts = 0;  // from the configuration before, or not at all
  return s;
}

AssemblyPathStep step_of(const AssemblyReport& r, int parts, double alignment) {
  return {r.status, r.residual, r.distance, r.conditioning, r.rank, parts, alignment};
}

}  // namespace

class AssemblyPathWalk {
 public:
  AssemblyPathWalk(const Model& model, const ConstraintSet& set, const std::string& name, const AssemblySettings& s)
      : set_(set),
        first_(model, set_, s),
        next_(model, set_, without_restarts(s)),
        constraint_(set_[name]),
        before_(next_.impl_->point.point()),
        q_(model.nq()) {}

  Index rows() const { return constraint_.size(); }
  const double* q() const { return q_.data(); }

  AssemblyPathStep begin(const double* q0, const double* target) {
    take_target(target, target, 1);
    const Assembly& x = first_.assemble(q0);
    keep(x.q);
    if (x.report.status == Status::ok) {  // the rows there, which the next steps turn from
      next_.assemble(q_.data());
      AssemblyPoint::copy(next_.impl_->point.point(), before_);
    }
    return step_of(x.report, 1, 1);
  }

  AssemblyPathStep go_on(const double* from, const double* to) {
    double done = 0, part = 1, least = 1;
    for (int parts = 0;;) {
      part = std::min(part, 1 - done);
      take_target(from, to, done + part);
      const Assembly& x = next_.assemble(q_.data());
      const bool ok = x.report.status == Status::ok;
      const double aligned = ok ? next_.impl_->point.alignment(before_) : 0;
      if (aligned < k_little_turned && part > k_least_part) {
        part /= 2;
        continue;
      }
      ++parts;
      least = std::min(least, aligned);
      keep(x.q);
      done += part;
      part *= 2;
      if (!ok || !(done < 1)) return step_of(x.report, parts, least);
      AssemblyPoint::copy(next_.impl_->point.point(), before_);
    }
  }
  /// After a step that was ok: its rows are those that the next one turns from.
  void accept() { AssemblyPoint::copy(next_.impl_->point.point(), before_); }

 private:
  void keep(const VectorView& q) { std::copy_n(q.data(), q.size(), q_.data()); }
  void take_target(const double* from, const double* to, double part) {
    constraint_.target.change([&](std::vector<double>& t) {
      t.resize(static_cast<std::size_t>(constraint_.size()));
      for (std::size_t k = 0; k < t.size(); ++k) t[k] = part < 1 ? from[k] + part * (to[k] - from[k]) : to[k];
    });
  }

  ConstraintSet set_;  ///< a copy: targets of the user's set stay
  Assembler first_, next_;
  Constraint& constraint_;
  AssemblyPoint before_;
  Buffer<double> q_;
};

Index assemble_path(const Model& model, const ConstraintSet& constraints, VectorIn q0, const std::string& constraint,
                    MatrixIn targets, MatrixOut q, std::vector<AssemblyPathStep>& steps,
                    const AssemblySettings& settings) {
  constexpr const char* function = "assemble_path";
  check_model(function, model, constraints);
  check_configuration(model, q0.data(), detail::size_of(q0), function, "q0");
  AssemblyPathWalk walk(model, constraints, constraint, settings);
  if (targets.rows() != walk.rows())
    detail::throw_size(function, "rows of targets", static_cast<long>(targets.rows()), walk.rows());
  detail::check_matrix(q, model.nq(), static_cast<Index>(targets.cols()), function);
  for (Eigen::Index k = 0; k < targets.cols(); ++k)
    detail::check_entries(targets.data() + k * targets.outerStride(), walk.rows(), walk.rows(), function, "targets");
  steps.assign(static_cast<std::size_t>(targets.cols()), AssemblyPathStep{});
  Index reached = 0;
  bool ended = false;
  const auto column = [&](Eigen::Index k) { return targets.data() + k * targets.outerStride(); };
  for (Eigen::Index k = 0; k < targets.cols(); ++k) {
    AssemblyPathStep& step = steps[static_cast<std::size_t>(k)];
    if (!ended) {
      step = k == 0 ? walk.begin(q0.data(), column(0)) : walk.go_on(column(k - 1), column(k));
      ended = step.status != Status::ok;
      reached += !ended;
      if (!ended && k > 0) walk.accept();
    }
    std::copy_n(walk.q(), model.nq(), q.data() + k * q.outerStride());
  }
  return reached;
}

}  // namespace zwang
