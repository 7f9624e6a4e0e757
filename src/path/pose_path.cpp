// SPDX-License-Identifier: BSD-3-Clause
// Paths of poses. A line and a spline are those of a carrier: a body on three slides and a ball joint, whose
// configuration is a pose with position and attitude apart.
#include "zwang/path/pose_path.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "path/columns.hpp"
#include "path/limits.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/check_configuration.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {

struct PosePathImpl {
  std::optional<ConfigurationPath> carrier = {};  ///< of a line and a spline
  // of an arc
  Transform<double> from = Transform<double>::identity();
  Vec3<double> centre{0, 0, 0}, axis{0, 0, 1};
  double angle = 0;
  bool turn = false;
  double arc_knots[2] = {0, 1};
};

namespace {

const Model& carrier() {
  static const Model model = [] {
    RobotDescription d{.name = "carrier"};
    const auto link = [&](const std::string& name) {
      d.links.push_back({.name = name, .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)});
    };
    d.links.push_back({.name = "ground"});
    const Vec3<double> axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    std::string parent = "ground";
    for (int k = 0; k < 4; ++k) {
      const std::string name = "link" + std::to_string(k);
      link(name);
      JointDescription j{.name = "joint" + std::to_string(k), .type = k < 3 ? "prismatic" : "spherical"};
      j.parent = parent;
      j.child = name;
      if (k < 3) j.axis = axes[k];
      d.joints.push_back(j);
      parent = name;
    }
    return build(d);
  }();
  return model;
}

void check_pose(const char* function, const char* argument, const Transform<double>& X) {
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(X.p[i])) detail::throw_not_finite(function, argument, i, X.p[i]);
    for (int j = 0; j < 3; ++j) {
      double product = i == j ? -1 : 0;
      for (int k = 0; k < 3; ++k) product += X.R(k, i) * X.R(k, j);
      worst = std::max(worst, std::isfinite(product) ? std::abs(product) : 1.0);
    }
  }
  if (worst > 1e-6)
    throw std::invalid_argument(std::string(function) + ": argument '" + argument + "' is no rotation: R^T R is " +
                                std::to_string(worst) + " away from 1");
  if (!(dot(cross(column_x(X.R), column_y(X.R)), column_z(X.R)) > 0))
    throw std::invalid_argument(std::string(function) + ": argument '" + argument +
                                "' is a reflection, expected a rotation");
}

Numbers configuration_of(const Transform<double>& X) {
  const Quat<double> q = normalized(from_rotation(X.R));
  return {X.p[0], X.p[1], X.p[2], q.x, q.y, q.z, q.w};
}

}  // namespace

PosePath PosePath::line(const Transform<double>& from, const Transform<double>& to) {
  check_pose("PosePath::line", "from", from);
  check_pose("PosePath::line", "to", to);
  const auto impl = std::make_shared<PosePathImpl>();
  impl->carrier = ConfigurationPath::line(carrier(), view_of(configuration_of(from)), view_of(configuration_of(to)));
  return PosePath(impl);
}

PosePath PosePath::arc(const Transform<double>& from, const Vec3<double>& centre, const Vec3<double>& axis,
                       double angle, bool turn) {
  const char* const function = "PosePath::arc";
  check_pose(function, "from", from);
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(centre[i])) detail::throw_not_finite(function, "centre", i, centre[i]);
    if (!std::isfinite(axis[i])) detail::throw_not_finite(function, "axis", i, axis[i]);
  }
  if (!std::isfinite(angle)) detail::throw_not_finite(function, "angle", 0, angle);
  const double largest = std::max({std::abs(axis[0]), std::abs(axis[1]), std::abs(axis[2])});
  if (largest == 0) throw std::invalid_argument("PosePath::arc: argument 'axis' is zero, expected a direction");
  const auto impl = std::make_shared<PosePathImpl>();
  impl->from = from;
  impl->centre = centre;
  const Vec3<double> scaled = axis * (1 / largest);
  impl->axis = scaled * (1 / std::sqrt(dot(scaled, scaled)));
  impl->angle = angle;
  impl->turn = turn;
  return PosePath(impl);
}

PosePath PosePath::through(const std::vector<Transform<double>>& poses, VectorIn knots) {
  Columns Q(7, static_cast<Index>(poses.size()));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    check_pose("PosePath::through", ("waypoint " + std::to_string(k)).c_str(), poses[k]);
    Q.set(static_cast<Index>(k), configuration_of(poses[k]).data());
  }
  const auto impl = std::make_shared<PosePathImpl>();
  impl->carrier =
      ConfigurationPath::through(carrier(), matrix_in(Q.numbers.data(), 7, Q.count), knots, "PosePath::through");
  return PosePath(impl);
}

Transform<double> PosePath::at(double s) const {
  const PosePathImpl& x = *impl_;
  if (x.carrier) {
    Numbers q(7), first(6), second(6);
    x.carrier->at(s, map_of(q), map_of(first), map_of(second));
    return {rotation(normalized(Quat<double>(q[3], q[4], q[5], q[6]))), {q[0], q[1], q[2]}};
  }
  if (!(s >= 0 && s <= 1))
    throw std::invalid_argument(fmt::format("PosePath::at: argument 's' is {}, expected {}",
                                            texts_of(s, s < 0 ? 0 : 1).x, s < 0 ? "at least 0" : "at most 1"));
  const Mat3<double> turn = exp_so3(x.axis * (s * x.angle));
  return {x.turn ? turn * x.from.R : x.from.R, x.centre + turn * (x.from.p - x.centre)};
}

std::vector<double> PosePath::numbers() const {
  const PosePathImpl& x = *impl_;
  std::vector<double> out{x.carrier ? 0.0 : 1.0};
  if (x.carrier) {
    const std::vector<double> inner = x.carrier->numbers();
    out.insert(out.end(), inner.begin(), inner.end());
    return out;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.push_back(x.from.R(i, j));
  for (const Vec3<double>& v : {x.from.p, x.centre, x.axis}) out.insert(out.end(), {v.x, v.y, v.z});
  out.insert(out.end(), {x.angle, x.turn ? 1.0 : 0.0});
  return out;
}

PosePath PosePath::from_numbers(VectorIn x) {
  const char* const function = "PosePath::from_numbers";
  constexpr Eigen::Index k_arc = 21;
  if (x.size() < 1 || (x[0] != 0 && (x[0] != 1 || x.size() != k_arc)))
    throw std::invalid_argument(std::string(function) + ": argument 'numbers' is not what numbers() gives of a path");
  const auto impl = std::make_shared<PosePathImpl>();
  if (x[0] == 0) {
    impl->carrier =
        ConfigurationPath::from_numbers(carrier(), vector_in(x.data() + 1, static_cast<Index>(x.size()) - 1));
    return PosePath(impl);
  }
  detail::check_entries(x.data(), static_cast<Index>(k_arc), static_cast<Index>(k_arc), function, "numbers");
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) impl->from.R[i][j] = x[1 + 3 * i + j];
    impl->from.p[i] = x[10 + i], impl->centre[i] = x[13 + i], impl->axis[i] = x[16 + i];
  }
  check_pose(function, "numbers", impl->from);
  if (!(std::abs(dot(impl->axis, impl->axis) - 1) < 1e-6))
    throw std::invalid_argument(std::string(function) + ": argument 'numbers' has an axis that is no direction");
  impl->angle = x[19];
  impl->turn = x[20] != 0;
  return PosePath(impl);
}

double PosePath::begin() const { return knots()[0]; }
double PosePath::end() const { return knots()[knots().size() - 1]; }
VectorView PosePath::knots() const {
  return impl_->carrier ? impl_->carrier->knots() : VectorView(impl_->arc_knots, 2);
}

}  // namespace zwang
