// SPDX-License-Identifier: BSD-3-Clause
// Sampling control: 256 guesses of a torque are rolled out at once, and the
// best of them moves the arm, again and again.
//
// The arm is to bring its tool to a point. In each round every guess is the torque that holds the arm still plus a
// change that is constant for the horizon; all of them are rolled out in one call, the one that ends nearest (with
// little speed) is applied for one horizon. A batch is told from a loop by nothing but its speed: the chosen guess,
// stepped alone, ends at the same state.
#include <zwang/batch/batch_solver.hpp>
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>

namespace {

constexpr int k_guesses = 256, k_rounds = 40, k_steps = 50;
constexpr double k_step = 1e-3;

/// A number in [-1, 1), scattered evenly (Weyl 1916); the guess 0 changes nothing.
double guess(int k, int j, int round) {
  return k == 0 ? 0.0 : 2 * std::fmod(k * (0.5545497 + 0.0637 * j) + 0.7548777 * round, 1.0) - 1;
}

}  // namespace

int main() {
  using Eigen::VectorXd;
  using Rows = zwang::StateRows<double>;
  const zwang::Model arm = zwang::load(ZWANG_MODELS "/arm7.urdf");
  const zwang::FrameId tool = arm.find_frame("tool0");
  const zwang::Index nq = arm.nq(), nv = arm.nv();
  zwang::Data data(arm);
  VectorXd q = VectorXd::LinSpaced(nv, 0.2, 0.8), v = zwang::zero(arm);
  zwang::forward_kinematics(arm, data, q);
  const zwang::Vec3<double> start = zwang::frame_pose(arm, data, tool).p;
  const Eigen::RowVector3d target(start.x + 0.15, start.y - 0.2, start.z + 0.1);

  zwang::Batch batch(arm);
  const zwang::ConstraintSet none(arm);
  zwang::BatchSolver solver(arm, none);
  Rows tau(k_guesses, nv), q_end(k_guesses, nq), v_end(k_guesses, nv), pose(k_guesses, 16), twist(k_guesses, 6);
  Rows q0(1, nq), v0(1, nv), tau0(1, nv), q1(1, nq);
  Rows q_begin(k_guesses, nq), v_begin(k_guesses, nv);
  Eigen::MatrixXd M(nv, nv);
  double distance = std::sqrt(0.15 * 0.15 + 0.2 * 0.2 + 0.1 * 0.1), apart = 0;
  const double begin = distance;
  std::printf("round   distance [mm]   speed [mm/s]   guess\n");
  for (int round = 0; round < k_rounds; ++round) {
    const double size = 0.2 + 2 * distance;  // smaller changes near the target
    zwang::mass_matrix(arm, data, q, M);
    const VectorXd hold = zwang::bias_forces(arm, data, q, v) - 8 * (M * v);
    for (int k = 0; k < k_guesses; ++k)
      for (int j = 0; j < nv; ++j) tau(k, j) = hold[j] + guess(k, j, round) * size * M(j, j) * 20;

    q_begin.rowwise() = q.transpose();
    v_begin.rowwise() = v.transpose();
    solver.rollout({.q = q_begin, .v = v_begin, .tau = tau, .steps = k_steps, .step = k_step},
                   {.q = q_end, .v = v_end});
    batch.frame_pose(q_end, tool, pose);
    batch.frame_velocity(q_end, v_end, tool, twist);
    int best = 0;
    double least = 1e300, miss = 0, speed = 0;
    for (int k = 0; k < k_guesses; ++k) {
      const double d = (Eigen::RowVector3d(pose(k, 3), pose(k, 7), pose(k, 11)) - target).norm();
      const double s = twist.row(k).head<3>().norm();
      if (d + 0.015 * s < least) best = k, least = d + 0.015 * s, miss = d, speed = s;
    }

    // The proof: the chosen guess alone.
    q0 = q.transpose();
    v0 = v.transpose();
    tau0 = tau.row(best);
    solver.rollout({.q = q0, .v = v0, .tau = tau0, .steps = k_steps, .step = k_step}, {.q = q1});
    apart = std::fmax(apart, (q1 - q_end.row(best)).cwiseAbs().maxCoeff());
    q = q_end.row(best).transpose();
    v = v_end.row(best).transpose();
    distance = miss;
    if (round % 10 == 0 || round == k_rounds - 1)
      std::printf("%5d %15.4f %14.4f %7d\n", round, distance * 1e3, speed * 1e3, best);
  }
  const bool good = apart == 0 && distance < 0.1 * begin;
  std::printf("%d steps; the tool came from %.2f mm to %.2f mm\n", k_guesses * k_rounds * k_steps, begin * 1e3,
              distance * 1e3);
  std::printf("a guess in a batch and alone end at the same state, the tool is at its target: %s\n",
              good ? "ok" : "NO");
  return good ? 0 : 1;
}
