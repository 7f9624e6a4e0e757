// SPDX-License-Identifier: BSD-3-Clause
// Assembly: the nearest state that satisfies the rows. zwang finds it to some 1e-10 along the mechanism, and counts a
// weight of 0, which RBDL's programs give to coordinates that may move as they like, as 1e-6 of the largest: the last
// steps are taken here.
#include <Eigen/QR>
#include <limits>
#include <zwang/manifold/manifold.hpp>
#include <zwang/question/assembly.hpp>

#include "bound.hpp"

namespace RigidBodyDynamics {

using detail::Bound;
using detail::Robot;
using Math::MatrixNd;
using Math::VectorNd;

namespace {

/// zwang's order.
VectorNd weights_of(const char* function, const Robot& robot, const VectorNd& weights) {
  VectorNd out(weights.size());
  robot.to_model(function, "the size of the weights", weights, out);
  return out;
}
zwang::AssemblySettings settings_of(const VectorNd& weights) {
  zwang::AssemblySettings out;
  out.weights.assign(weights.data(), weights.data() + weights.size());
  return out;
}
/// x nearest to `wanted` by the weights with G x = right: [W G^T; G 0] [x; l] = [W wanted; right].
VectorNd nearest(const MatrixNd& G, const VectorNd& weights, const VectorNd& wanted, const VectorNd& right) {
  const long n = G.cols(), m = G.rows();
  MatrixNd K = MatrixNd::Zero(n + m, n + m);
  K.topLeftCorner(n, n).diagonal() = weights;
  K.bottomLeftCorner(m, n) = G;
  K.topRightCorner(n, m) = G.transpose();
  VectorNd b(n + m);
  b << weights.cwiseProduct(wanted), right;
  return Eigen::CompleteOrthogonalDecomposition<MatrixNd>(K).solve(b).head(n);
}

/// Steps to the state where the gradient by the weights is a combination of the rows, from one that is near it, until a
/// step is as short as the roundings of q and of a small solve: a few eps of the norm of q.
bool refine(Bound& bound, const VectorNd& weights, const VectorNd& start, double tolerance, VectorNd& q) {
  const zwang::Model& model = bound.model;
  const VectorNd none = VectorNd::Zero(model.nv());
  MatrixNd G(bound.set.rows(), model.nv());
  VectorNd step = VectorNd::Ones(model.nv());
  for (int k = 0; k < 200; ++k) {
    bound.evaluator.evaluate(q, none);
    VectorNd error = bound.evaluator.position_error();
    for (double& x : error)
      if (std::isnan(x)) x = 0;  // contacts
    if (step.norm() <= 8 * std::numeric_limits<double>::epsilon() * (1 + q.norm())) return error.norm() < tolerance;
    bound.evaluator.jacobian(G);
    step = nearest(G, weights, zwang::difference(model, q, start), -error);
    q = zwang::integrate(model, q, step);
  }
  return false;
}

}  // namespace

bool CalcAssemblyQ(Model& model, const VectorNd& QInit, ConstraintSet& CS, VectorNd& Q, const VectorNd& weights,
                   double tolerance, unsigned int max_iter) {
  Bound& bound = CS.kept.of(model, CS);
  Robot& robot = bound.at("CalcAssemblyQ", model, QInit, nullptr, true);
  detail::check_size("CalcAssemblyQ", "the size of Q", Q.size(), model.q_size);
  const VectorNd weight = weights_of("CalcAssemblyQ", robot, weights), start = robot.q;
  zwang::AssemblySettings settings = settings_of(weight);
  settings.tolerance = tolerance;
  settings.max_iterations = static_cast<int>(max_iter);
  settings.attempts = 0;
  zwang::Assembler assembler(bound.model, bound.set, settings);
  const zwang::Assembly& found = assembler.assemble(start);
  VectorNd q = found.q;
  const bool is_closed = found.report.status == zwang::Status::ok;
  if (VectorNd better = q; is_closed && refine(bound, weight, start, tolerance, better)) q = better;
  robot.write_q(q, Q);
  robot.set_q("CalcAssemblyQ", QInit);  // rows of a program may have moved the robot
  return is_closed;
}

void CalcAssemblyQDot(Model& model, const VectorNd& Q, const VectorNd& QDotInit, ConstraintSet& CS, VectorNd& QDot,
                      const VectorNd& weights) {
  Bound& bound = CS.kept.of(model, CS);
  Robot& robot = bound.at("CalcAssemblyQDot", model, Q, &QDotInit, true);
  const VectorNd weight = weights_of("CalcAssemblyQDot", robot, weights), q = robot.q, v = robot.v;
  VectorNd found;
  if ((weight.array() == 0).any() && !weight.isZero(0)) {
    MatrixNd G(bound.set.rows(), bound.model.nv());
    bound.evaluator.evaluate(q, v);
    bound.evaluator.jacobian(G);
    found = nearest(G, weight, v, VectorNd::Zero(G.rows()));
  } else {
    zwang::Assembler assembler(bound.model, bound.set, settings_of(weight));
    found = assembler.assemble_velocity(q, v).v;
  }
  robot.from_model("CalcAssemblyQDot", "the size of QDot", found, QDot);
}

}  // namespace RigidBodyDynamics
