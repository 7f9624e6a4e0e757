// SPDX-License-Identifier: BSD-3-Clause
// Joints along a path of poses: samples of inverse kinematics, a spline, and more samples where it misses.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "algorithm/instances.hpp"
#include "algorithm/length_of_links.hpp"
#include "path/columns.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/data.hpp"
#include "zwang/path/pose_path.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {
namespace {

struct Sample {
  double s;
  Numbers q;
};

Numbers units_of(const Model& model, Data& data) {
  Numbers units(at_index(model.nv()), length_of_links(model));
  const Eigen::VectorXd q = neutral(model);
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
        solver_(model, {target}, constraints, settings.inverse_kinematics),
        whole_(target.rows.size() == 6 && constraints == nullptr),
        data_(model),
        units_(units_of(model, data_)) {}

  FollowReport run(VectorIn q0);

 private:
  /// False: no configuration was found at s; the report says why.
  bool solve(double s, const Numbers& near, Numbers& q);
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
  InverseKinematics solver_;
  bool whole_;  ///< the pose of the frame is all that is asked for
  Data data_;
  Numbers units_;  ///< of each coordinate: 1 where it turns something, the length of the links where it only slides
  FollowReport report_;
};

bool Follower::solve(double s, const Numbers& near, Numbers& q) {
  const InverseKinematicsSolution& x = solver_.solve({path_.at(s)}, view_of(near));
  ++report_.samples;
  if (x.status != PoseStatus::ok)
    return fail(Status::infeasible, s,
                "at s = " + std::to_string(s) + " frame '" + frame_ + "' does not reach its pose: " + x.explain());
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
  if (report_.samples >= settings_.most_samples)
    return fail(Status::not_converged, a.s, "the limit of samples is reached at s = " + std::to_string(a.s));
  Sample middle{(a.s + b.s) / 2, {}}, end{b.s, {}};
  // From the near side again: the far end may be on the wrong branch.
  return solve(middle.s, a.q, middle.q) && fill(a, middle, out) && solve(end.s, out.back().q, end.q) &&
         fill(out.back(), end, out);
}

double Follower::error_of(const Numbers& q, double s) {
  const Transform<double> is = frame_pose(model_, data_, view_of(q), frame_), wanted = path_.at(s);
  double e = 0;
  const Vec3<double> turn = log_so3(transpose(is.R) * wanted.R), way = wanted.p - is.p;
  for (int i = 0; i < 3; ++i) e = std::max({e, std::abs(way[i]), std::abs(turn[i])});
  return e;
}

FollowReport Follower::run(VectorIn q0) {
  const double length = path_.end() - path_.begin();
  std::vector<Sample> samples{{path_.begin(), {}}};
  if (!solve(path_.begin(), Numbers(q0.data(), q0.data() + q0.size()), samples[0].q)) return report_;
  const VectorView knots = path_.knots();
  for (Eigen::Index k = 0; k + 1 < knots.size(); ++k) {
    const double width = knots[k + 1] - knots[k];
    const int parts = std::max(2, static_cast<int>(std::ceil(settings_.samples * width / length)));
    for (int j = 1; j <= parts; ++j) {
      Sample next{j == parts ? knots[k + 1] : knots[k] + width * j / parts, {}};
      const Sample before = samples.back();
      if (!solve(next.s, before.q, next.q) || !fill(before, next, samples)) return report_;
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
        if (!solve(s, q, middle.q)) return report_;
        e = change(q, middle.q, Numbers(units_.size(), 1.0));
      }
      if (e > report_.error) {
        report_.error = e;
        worst_s = s;
      }
      if (e > settings_.tolerance) {
        if (middle.q.empty() && !solve(s, q, middle.q)) return report_;
        finer.push_back(middle);
      }
      finer.push_back(samples[k + 1]);
    }
    if (finer.size() == samples.size()) {
      report_.path = std::move(path);
      return report_;
    }
    if (static_cast<int>(finer.size()) > settings_.most_samples) {
      fail(Status::not_converged, worst_s,
           std::to_string(samples.size()) + " samples leave an error of " + std::to_string(report_.error) +
               " at s = " + std::to_string(worst_s) + ", more than 'most_samples' would be needed");
      return report_;
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
