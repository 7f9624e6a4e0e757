// SPDX-License-Identifier: BSD-3-Clause
// What the functions of a file of loops do, by their names in formula.cpp, in the words of loop_pieces.cpp.
#include "codegen/loop_pieces.hpp"

namespace zwang::codegen {
namespace {

constexpr Piece k_bodies[] = {
    {"inverse_dynamics", R"(
  real at[BODIES][15], axis[ROWS][6], twist[BODIES][6], rate[BODIES][6], force[BODIES][6];
  Z_move(q, v, a, at, axis, twist, rate);
  Z_forces(at, twist, rate, force);
[excess]  Z_own_gravity(at, force);
WRENCHES  Z_gather(axis, force, tau);
[rotors]  Z_rotors(a, tau);
[passive]  Z_passive(PASSIVE_OF, tau);
[balls]  Z_balls(q, tau);
)"},
    {"forward_dynamics", R"(
  real at[BODIES][15], axis[ROWS][6], twist[BODIES][6], rate[BODIES][6], force[BODIES][6];
  real matrix[SQUARE], least[SIDE];
  int i, singular;
  Z_move(q, v, 0, at, axis, twist, rate);
  Z_forces(at, twist, rate, force);
[excess]  Z_own_gravity(at, force);
WRENCHES  Z_gather(axis, force, a);
[passive]  Z_passive(PASSIVE_OF, a);
[balls]  Z_balls(q, a);
  for (i = 0; i < NV; ++i) {
    a[i] = tau[i] - a[i];
  }
  Z_mass(at, axis, matrix, least);
  singular = Z_solve(NV, matrix, a, least);
)"},
    {"bias_forces", R"(
  real at[BODIES][15], axis[ROWS][6], twist[BODIES][6], rate[BODIES][6], force[BODIES][6];
  Z_move(q, v, 0, at, axis, twist, rate);
  Z_forces(at, twist, rate, force);
[excess]  Z_own_gravity(at, force);
WRENCHES  Z_gather(axis, force, h);
[passive]  Z_passive(PASSIVE_OF, h);
[balls]  Z_balls(q, h);
)"},
    {"gravity_forces", R"(
  real at[BODIES][15], axis[ROWS][6], twist[BODIES][6], rate[BODIES][6], force[BODIES][6];
  Z_move(q, 0, 0, at, axis, twist, rate);
  Z_forces(at, twist, rate, force);
  Z_gather(axis, force, g);
)"},
    {"mass_matrix", R"(
  real at[BODIES][15], axis[ROWS][6];
  MOVED_COLUMNS;
  Z_mass(at, axis, M, 0);
)"},
    {"pose", R"(
  real at[BODIES][15], x[15];
  int r, c;
  MOVED_POSES;
  Z_frame(FRAME, at, x);
  for (r = 0; r < 3; ++r) {
    for (c = 0; c < 3; ++c) {
      X[4 * r + c] = x[3 * r + c];
    }
    X[4 * r + 3] = x[9 + r] + x[12 + r];
    X[12 + r] = 0;
  }
  X[15] = 1;
)"},
    {"position", R"(
  real at[BODIES][15], x[15];
  int r;
  MOVED_POSES;
  Z_frame(FRAME, at, x);
  for (r = 0; r < 3; ++r) {
    p[r] = x[9 + r] + x[12 + r];
  }
)"},
    {"velocity", R"(
  real at[BODIES][15], axis[ROWS][6], twist[BODIES][6], rate[BODIES][6], x[15];
[axes]  real axes[15];
  Z_move(q, v, 0, at, axis, twist, rate);
  Z_frame(FRAME, at, x);
[axes]  Z_frame(AXES_FRAME, at, axes);
  Z_see(x, REFERENCE, AXES, twist[BODY], V);
)"},
    {"acceleration", R"(
  real at[BODIES][15], axis[ROWS][6], twist[BODIES][6], rate[BODIES][6], x[15], m[6];
[axes]  real axes[15];
[classical]  real point[3], speed[3];
  int r;
  Z_move(q, v, a, at, axis, twist, rate);
  Z_frame(FRAME, at, x);
[axes]  Z_frame(AXES_FRAME, at, axes);
  for (r = 0; r < 6; ++r) {
    m[r] = rate[BODY][r];
  }
  for (r = 0; r < 3; ++r) {
    m[r] += Z_gravity[r];
[classical]    point[r] = POINT;
[classical]    speed[r] = twist[BODY][r];
  }
[classical]  Z_add_cross(twist[BODY] + 3, point, speed);
[classical]  Z_add_cross(twist[BODY] + 3, speed, m);
  Z_see(x, REFERENCE, AXES, m, A);
)"},
    {"jacobian", R"(
  real at[BODIES][15], axis[ROWS][6], x[15];
[axes]  real axes[15];
  MOVED_COLUMNS;
  Z_frame(FRAME, at, x);
[axes]  Z_frame(AXES_FRAME, at, axes);
  Z_columns_of(FRAME, x, REFERENCE, AXES, axis, J);
)"},
    {"inverse_kinematics_step", R"(
  real at[BODIES][15], axis[ROWS][6], x[15], J[6 * SIDE], matrix[36], step[6], least[6], back[9];
  int r, c, i, singular;
  MOVED_COLUMNS;
  Z_frame(FRAME, at, x);
  Z_columns_of(FRAME, x, 2, 0, axis, J);
  for (r = 0; r < 3; ++r) {
    step[r] = target[4 * r + 3] - x[9 + r] - x[12 + r];
    for (c = 0; c < 3; ++c) {
      back[3 * r + c] = x[r] * target[c] + x[3 + r] * target[4 + c] + x[6 + r] * target[8 + c];
    }
  }
  Z_turn_back(x, step, error);
  Z_log(back, error + 3);
  for (r = 0; r < 6; ++r) {
    step[r] = error[r];
    for (c = 0; c <= r; ++c) {
      matrix[6 * r + c] = r == c ? damping[0] * damping[0] : 0;
      for (i = 0; i < NV; ++i) {
        matrix[6 * r + c] += J[r * NV + i] * J[c * NV + i];
      }
    }
    least[r] = matrix[7 * r] * LEAST;
  }
  singular = Z_solve(6, matrix, step, least);
  for (i = 0; i < NV; ++i) {
    dq[i] = 0;
    for (r = 0; r < 6; ++r) {
      dq[i] += J[r * NV + i] * step[r];
    }
  }
)"},
    {"centre_of_mass", R"(
  real at[BODIES][15], h[3];
  int i, r;
  MOVED_POSES;
  for (r = 0; r < 3; ++r) {
    c[r] = 0;
  }
  for (i = 1; i <= N; ++i) {
    const real mass = Z_inertia[i - 1][0];
[resting]    const real share = Z_moves[i - 1] != 0 ? INVERSE_MASS : 0;
[!resting]    const real share = INVERSE_MASS;
    Z_turn(at[i], Z_inertia[i - 1] + 1, h);
    for (r = 0; r < 3; ++r) {
      c[r] += (h[r] + mass * (at[i][9 + r] + at[i][12 + r])) * share;
    }
  }
)"},
    {"integrate", R"(
  int i;
  for (i = 0; i < JOINTS; ++i) {
    Z_step(Z_step_kind[i], q + Z_joint_q[i], dq + Z_joint_v[i], q_next + Z_joint_q[i]);
  }
)"},
    {"difference", R"(
  int i;
  for (i = 0; i < JOINTS; ++i) {
    Z_way(Z_way_kind[i], q0 + Z_joint_q[i], q1 + Z_joint_q[i], dq + Z_joint_v[i]);
  }
)"},
};

}  // namespace

std::string_view loop_body(std::string_view function) {
  for (const Piece& body : k_bodies)
    if (body.name == function) return body.text;
  return "";
}

}  // namespace zwang::codegen
