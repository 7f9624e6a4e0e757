// SPDX-License-Identifier: BSD-3-Clause
// Public calls of the manifold: checks, then the page.
#include "zwang/manifold/manifold.hpp"

#include <cmath>
#include <stdexcept>

#include "manifold/instances.hpp"

namespace zwang {
namespace {

using Vector = Eigen::Ref<const Eigen::VectorXd>;

Index size_of(const Eigen::Ref<const Eigen::VectorXd>& x) { return static_cast<Index>(x.size()); }

void check_q(const Model& model, const Vector& q, const char* function, const char* argument) {
  check_configuration(model, q.data(), size_of(q), function, argument);
}
void check_v(const Model& model, const Vector& v, const char* function, const char* argument) {
  check_tangent(model, v.data(), size_of(v), function, argument);
}
void check_output(Eigen::Index got, Index expected, const char* function, const char* argument) {
  if (got != expected) detail::throw_size(function, argument, static_cast<long>(got), expected);
}
void check_square(const Eigen::Ref<Eigen::MatrixXd>& J, Index n, const char* function, const char* rows,
                  const char* columns) {
  check_output(J.rows(), n, function, rows);
  check_output(J.cols(), n, function, columns);
}
/// Eigen's matrices go down their columns.
page::MatrixSteps steps_of(const Eigen::Ref<Eigen::MatrixXd>& J) { return {1, static_cast<Index>(J.outerStride())}; }

}  // namespace

void neutral(const Model& model, Eigen::Ref<Eigen::VectorXd> out) {
  check_output(out.size(), model.nq(), "neutral", "out");
  page::neutral(model.tree<double>(), out.data());
}

void random(const Model& model, std::uint64_t seed, Eigen::Ref<Eigen::VectorXd> out) {
  check_output(out.size(), model.nq(), "random", "out");
  Random numbers(seed);
  page::random(model.tree<double>(), numbers, model.lower().data(), model.upper().data(), out.data());
}

void integrate(const Model& model, const Vector& q, const Vector& dq, Eigen::Ref<Eigen::VectorXd> out) {
  check_q(model, q, "integrate", "q");
  check_v(model, dq, "integrate", "dq");
  check_output(out.size(), model.nq(), "integrate", "out");
  page::integrate(model.tree<double>(), q.data(), dq.data(), out.data());
  detail::check_result(out.data(), model.nq(), "integrate");
}

void difference(const Model& model, const Vector& q0, const Vector& q1, Eigen::Ref<Eigen::VectorXd> out) {
  check_q(model, q0, "difference", "q0");
  check_q(model, q1, "difference", "q1");
  check_output(out.size(), model.nv(), "difference", "out");
  page::difference(model.tree<double>(), q0.data(), q1.data(), out.data());
  detail::check_result(out.data(), model.nv(), "difference");
}

void interpolate(const Model& model, const Vector& q0, const Vector& q1, double t, Eigen::Ref<Eigen::VectorXd> out) {
  check_q(model, q0, "interpolate", "q0");
  check_q(model, q1, "interpolate", "q1");
  detail::check_entries(&t, 1, 1, "interpolate", "t");
  check_output(out.size(), model.nq(), "interpolate", "out");
  page::interpolate(model.tree<double>(), q0.data(), q1.data(), t, out.data());
  detail::check_result(out.data(), model.nq(), "interpolate");
}

double distance(const Model& model, const Vector& q0, const Vector& q1) {
  check_q(model, q0, "distance", "q0");
  check_q(model, q1, "distance", "q1");
  const double d = std::sqrt(page::squared_distance(model.tree<double>(), q0.data(), q1.data()));
  detail::check_result(&d, 1, "distance");
  return d;
}

void squared_distances(const Model& model, const Vector& q0, const Vector& q1, Eigen::Ref<Eigen::VectorXd> out) {
  check_q(model, q0, "squared_distances", "q0");
  check_q(model, q1, "squared_distances", "q1");
  const std::vector<Joint>& joints = model.joints();
  const Index count = static_cast<Index>(joints.size());
  check_output(out.size(), count, "squared_distances", "out");
  out.setZero();
  // Joints and coordinates are both in depth-first order: the joint of the next coordinate is the same one (a composite
  // joint) or a later one, except in a mimic group that a follower represents; there the search wraps round.
  Index j = 0;
  page::for_each_squared_distance(model.tree<double>(), q0.data(), q1.data(), [&](const auto& part, double squared) {
    for (Index tried = 0; tried < count; ++tried, j = j + 1 == count ? 0 : j + 1) {
      const Joint& joint = joints[static_cast<std::size_t>(j)];
      if (part.v >= joint.v.first && part.v < joint.v.end() &&
          !(model.tree<double>().mimic && !joint.mimic.leader.empty()))
        break;
    }
    out[j] += squared;
  });
  detail::check_result(out.data(), count, "squared_distances");
}

void normalize(const Model& model, Eigen::Ref<Eigen::VectorXd> q) {
  detail::check_entries(q.data(), static_cast<Index>(q.size()), model.nq(), "normalize", "q");
  detail::JointPart at{};
  if (!detail::can_be_normalized(model.tree<double>(), q.data(), &at))
    throw std::invalid_argument(detail::describe(model, q.data(), at, "normalize", "q") +
                                "a length between 1e-150 and 1e150: a zero quaternion has no direction");
  page::normalize(model.tree<double>(), q.data());
}

bool is_normalized(const Model& model, const Vector& q, double tolerance) {
  check_output(q.size(), model.nq(), "is_normalized", "q");
  return q.allFinite() && detail::normalized_within(model.tree<double>(), q.data(), tolerance);
}

void check_configuration(const Model& model, const Vector& q) { check_q(model, q, "check_configuration", "q"); }

void integrate_jacobians(const Model& model, const Vector& q, const Vector& dq, Eigen::Ref<Eigen::MatrixXd> by_q,
                         Eigen::Ref<Eigen::MatrixXd> by_dq) {
  check_q(model, q, "integrate_jacobians", "q");
  check_v(model, dq, "integrate_jacobians", "dq");
  check_square(by_q, model.nv(), "integrate_jacobians", "rows of by_q", "columns of by_q");
  check_square(by_dq, model.nv(), "integrate_jacobians", "rows of by_dq", "columns of by_dq");
  page::integrate_jacobians(model.tree<double>(), q.data(), dq.data(), by_q.data(), steps_of(by_q), by_dq.data(),
                            steps_of(by_dq));
}

void difference_jacobians(const Model& model, const Vector& q0, const Vector& q1, Eigen::Ref<Eigen::MatrixXd> by_q0,
                          Eigen::Ref<Eigen::MatrixXd> by_q1) {
  check_q(model, q0, "difference_jacobians", "q0");
  check_q(model, q1, "difference_jacobians", "q1");
  check_square(by_q0, model.nv(), "difference_jacobians", "rows of by_q0", "columns of by_q0");
  check_square(by_q1, model.nv(), "difference_jacobians", "rows of by_q1", "columns of by_q1");
  page::difference_jacobians(model.tree<double>(), q0.data(), q1.data(), by_q0.data(), steps_of(by_q0), by_q1.data(),
                             steps_of(by_q1));
}

void transport(const Model& model, const Vector& q, const Vector& dq, const Vector& u,
               Eigen::Ref<Eigen::VectorXd> out) {
  check_q(model, q, "transport", "q");
  check_v(model, dq, "transport", "dq");
  check_v(model, u, "transport", "u");
  check_output(out.size(), model.nv(), "transport", "out");
  const page::MatrixSteps column{1, 0};
  page::transport(model.tree<double>(), q.data(), dq.data(), u.data(), column, 1, out.data(), column);
  detail::check_result(out.data(), model.nv(), "transport");
}

void transport_columns(const Model& model, const Vector& q, const Vector& dq, Eigen::Ref<Eigen::MatrixXd> U) {
  check_q(model, q, "transport_columns", "q");
  check_v(model, dq, "transport_columns", "dq");
  check_output(U.rows(), model.nv(), "transport_columns", "rows of U");
  for (Eigen::Index j = 0; j < U.cols(); ++j)
    for (Eigen::Index i = 0; i < U.rows(); ++i)
      if (!std::isfinite(U(i, j)))
        detail::throw_not_finite("transport_columns", "U", static_cast<long>(j * U.rows() + i), U(i, j));
  const page::MatrixSteps at = steps_of(U);
  page::transport(model.tree<double>(), q.data(), dq.data(), U.data(), at, static_cast<Index>(U.cols()), U.data(), at);
}

}  // namespace zwang
