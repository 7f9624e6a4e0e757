// SPDX-License-Identifier: BSD-3-Clause
// Joints along a path of poses: samples of inverse kinematics, a spline, and more samples where it misses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "algorithm/instances.hpp"
#include "algorithm/length_of_links.hpp"
#include "manifold/instances.hpp"
#include "path/columns.hpp"
#include "path/limits.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/data.hpp"
#include "zwang/path/pose_path.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {
namespace {

constexpr double k_kept = 1e-12;  ///< beyond a limit, times 1 + |limit|: rounding of the spline
constexpr int k_rounds = 10;

struct Sample {
  double s;
  Numbers q;
};

Numbers units_of(const Model& model, Data& data) {
  Numbers units(at_index(model.nv()), length_of_links(model));
  Eigen::VectorXd q(model.nq());
  page::neutral(model.tree<double>(), q.data());
  page::kinematics(data, q.data());
  page::columns(data, q.data());
  const Tree<double>& tree = model.tree<double>();
  for (Index c = 0; c < tree.spanning_nv; ++c)
    if (norm(data.articulated.column[c].s.w) > 0) units[at_index(tree.column[c].v)] = 1;
  return units;
}

class Follower {
 public:
  Follower(const Model& model, const PoseTarget& target, const PosePath& path, const ConstraintSet* constraints,
           const FollowSettings& settings)
      : model_(model),
        frame_(model.frame(target.frame).name),
        path_(path),
        settings_(settings),
        target_(target),
        constraints_(constraints),
        solver_(model, {target}, constraints, settings.inverse_kinematics),
        whole_(target.rows.size() == 6 && constraints == nullptr),
        data_(model),
        units_(units_of(model, data_)) {}

  FollowReport run(VectorIn q0);

 private:
  /// A path that keeps the tolerance, whose samples are within limits;
  /// nothing where there is none, and the report says why.
  std::optional<ConfigurationPath> trace(VectorIn q0);
  /// False: no configuration was found at s; the report says why.
  bool solve(double s, const Numbers& near, Numbers& q);
  bool solve_drawn_in(double s, const Numbers& near, Numbers& q);
  /// Samples between two that are further apart than a step may be.
  bool fill(const Sample& a, const Sample& b, std::vector<Sample>& out);
  double error_of(const Numbers& q, double s);
  /// The largest change of a coordinate, each over its `units`.
  double change(const Numbers& a, const Numbers& b, const Numbers& units) const {
    Numbers d(at_index(model_.nv()));
    difference(model_, view_of(a), view_of(b), map_of(d));
    for (std::size_t k = 0; k < d.size(); ++k) d[k] /= units[k];
    return largest_of(d);
  }
  double step(const Numbers& a, const Numbers& b) const { return change(a, b, units_); }
  bool fail(Status status, double s, const std::string& why) {
    report_.status = status;
    report_.failed_at = s;
    report_.reason = why;
    return false;
  }

  const Model model_;
  const std::string frame_;
  const PosePath path_;
  const FollowSettings settings_;
  const PoseTarget target_;
  const ConstraintSet* constraints_;
  InverseKinematics solver_;
  std::optional<InverseKinematics> drawn_in_;  ///< keeps a distance from the limits
  int parts_ = 1;                              ///< finer samples, by this factor
  int solved_before_ = 0;                      ///< this trace
  bool whole_;                                 ///< the pose of the frame is all that is asked for
  Data data_;
  Numbers units_;  ///< of each coordinate: 1 where it turns something, the length of the links where it only slides
  FollowReport report_;
};

bool Follower::solve_drawn_in(double s, const Numbers& near, Numbers& q) {
  if (drawn_in_ && s > path_.begin()) {
    const InverseKinematicsSolution& x = drawn_in_->solve({path_.at(s)}, view_of(near));
    if (x.status == PoseStatus::ok) {
      q.assign(x.q.data(), x.q.data() + x.q.size());
      if (step(near, q) <= settings_.most_step) {
        ++report_.samples;
        return true;
      }
    }
  }
  return solve(s, near, q);
}

bool Follower::solve(double s, const Numbers& near, Numbers& q) {
  const InverseKinematicsSolution& x = solver_.solve({path_.at(s)}, view_of(near));
  ++report_.samples;
  if (x.status != PoseStatus::ok)
    return fail(Status::infeasible, s,
                fmt::format("at s = {:.6g}", s) + " frame '" + frame_ + "' does not reach its pose: " + x.explain());
  q.assign(x.q.data(), x.q.data() + x.q.size());
  return true;
}

bool Follower::fill(const Sample& a, const Sample& b, std::vector<Sample>& out) {
  if (step(a.q, b.q) <= settings_.most_step) {
    out.push_back(b);
    return true;
  }
  if (b.s - a.s < 1e-6 * (path_.end() - path_.begin()))
    return fail(
        Status::not_converged, a.s,
        "at s = " + std::to_string(a.s) + " the configuration jumps by " + std::to_string(step(a.q, b.q)) +
            ": the path passes a singular configuration, a limit of a joint, or needs another branch of solutions");
  if (report_.samples - solved_before_ >= settings_.most_samples)
    return fail(Status::not_converged, a.s, "the limit of samples is reached at s = " + std::to_string(a.s));
  Sample middle{(a.s + b.s) / 2, {}}, end{b.s, {}};
  // From the near side again: the far end may be on the wrong branch.
  return solve_drawn_in(middle.s, a.q, middle.q) && fill(a, middle, out) &&
         solve_drawn_in(end.s, out.back().q, end.q) && fill(out.back(), end, out);
}

double Follower::error_of(const Numbers& q, double s) {
  const Transform<double> is = frame_pose(model_, data_, view_of(q), frame_), wanted = path_.at(s);
  double e = 0;
  const Vec3<double> turn = log_so3(transpose(is.R) * wanted.R), way = wanted.p - is.p;
  for (int i = 0; i < 3; ++i) e = std::max({e, std::abs(way[i]), std::abs(turn[i])});
  return e;
}

// Between samples a spline may leave the limits that all samples keep: where joints slide along a limit, it swings
// beyond it after the bend by a part of the step. Samples are then drawn in by what it swings, where the path leaves
// them the freedom (else they are as they were), and in the end taken more densely.
FollowReport Follower::run(VectorIn q0) {
  double margin = 0;
  for (int round = 1;; ++round) {
    std::optional<ConfigurationPath> path = trace(q0);
    if (!path) return report_;
    const Beyond beyond = settings_.inverse_kinematics.limits ? furthest_beyond(*path, k_kept, nullptr) : Beyond();
    if (beyond.amount == 0) {
      report_.path = std::move(path);
      return report_;
    }
    if (round == k_rounds) {
      fail(Status::not_converged, beyond.s, fmt::format("between samples, at s = {:.6g}, {}", beyond.s, beyond.text));
      return report_;
    }
    margin += 1.5 * beyond.amount;
    InverseKinematicsSettings within = settings_.inverse_kinematics;
    within.limit_margin += margin;
    drawn_in_.emplace(model_, std::vector<PoseTarget>{target_}, constraints_, within);
    if (round % 2 == 0) parts_ *= 2;
  }
}

std::optional<ConfigurationPath> Follower::trace(VectorIn q0) {
  const double length = path_.end() - path_.begin();
  solved_before_ = report_.samples;
  std::vector<Sample> samples{{path_.begin(), {}}};
  if (!solve(path_.begin(), Numbers(q0.data(), q0.data() + q0.size()), samples[0].q)) return std::nullopt;
  const VectorView knots = path_.knots();
  for (Eigen::Index k = 0; k + 1 < knots.size(); ++k) {
    const double width = knots[k + 1] - knots[k];
    const int parts = std::max(2, static_cast<int>(std::ceil(parts_ * settings_.samples * width / length)));
    for (int j = 1; j <= parts; ++j) {
      Sample next{j == parts ? knots[k + 1] : knots[k] + width * j / parts, {}};
      const Sample before = samples.back();
      if (!solve_drawn_in(next.s, before.q, next.q) || !fill(before, next, samples)) return std::nullopt;
    }
  }
  while (true) {
    Columns Q(model_.nq(), static_cast<Index>(samples.size()));
    Numbers u;
    for (const Sample& x : samples) {
      Q.set(static_cast<Index>(u.size()), x.q.data());
      u.push_back(x.s);
    }
    ConfigurationPath path =
        ConfigurationPath::through(model_, matrix_in(Q.numbers.data(), Q.rows, Q.count), view_of(u));
    Numbers q(at_index(model_.nq())), first(at_index(model_.nv())), second(first.size());
    std::vector<Sample> finer{samples[0]};
    report_.error = 0;
    double worst_s = 0;
    for (std::size_t k = 0; k + 1 < samples.size(); ++k) {
      const double s = (samples[k].s + samples[k + 1].s) / 2;
      path.at(s, map_of(q), map_of(first), map_of(second));
      double e;
      Sample middle{s, {}};
      if (whole_) {
        e = error_of(q, s);
      } else {  // rows are free or constraints hold: beside the nearest configuration that meets all of them
        if (!solve(s, q, middle.q)) return std::nullopt;
        e = change(q, middle.q, Numbers(units_.size(), 1.0));
      }
      if (e > report_.error) {
        report_.error = e;
        worst_s = s;
      }
      if (e > settings_.tolerance) {
        if (!solve_drawn_in(s, q, middle.q)) return std::nullopt;
        finer.push_back(middle);
      }
      finer.push_back(samples[k + 1]);
    }
    if (finer.size() == samples.size()) return path;
    if (static_cast<int>(finer.size()) > settings_.most_samples) {
      fail(Status::not_converged, worst_s,
           std::to_string(samples.size()) + " samples leave an error of " + std::to_string(report_.error) +
               " at s = " + std::to_string(worst_s) + ", more than 'most_samples' would be needed");
      return std::nullopt;
    }
    samples = std::move(finer);
  }
}

}  // namespace

FollowReport follow(const Model& model, const PoseTarget& target, const PosePath& path, VectorIn q0,
                    const ConstraintSet* constraints, const FollowSettings& settings) {
  const auto above = [](const char* name, double x) {
    if (!(x > 0))
      throw std::invalid_argument("follow: setting '" + std::string(name) + "' is " + std::to_string(x) +
                                  ", expected a number above 0");
  };
  above("tolerance", settings.tolerance);
  above("most_step", settings.most_step);
  if (settings.samples < 4 || settings.most_samples < settings.samples)
    throw std::invalid_argument("follow: settings 'samples' and 'most_samples' are " +
                                std::to_string(settings.samples) + " and " + std::to_string(settings.most_samples) +
                                ", expected 4 <= samples <= most_samples");
  return Follower(model, target, path, constraints, settings).run(q0);
}

}  // namespace zwang
