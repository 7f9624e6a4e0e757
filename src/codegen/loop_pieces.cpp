// SPDX-License-Identifier: BSD-3-Clause
// The text of the loops. World axes about the centre of each branch, so that nothing is transformed on its way between
// bodies: one function serves all. A branch starts on the ground (as in algorithm/page/kinematics.hpp) or on a body
// that no joint turns: its velocities, accelerations and the forces along its joints are the same about any centre.
//
// Z_x is the name `x` behind the prefix of the file; real its scalar; words in capitals are numbers and lists of
// arguments that loops.cpp puts in. `[a !b]` at the beginning of a line: the line is for robots and requests that have
// a and not b.
#include "codegen/loop_pieces.hpp"

#include <iterator>
#include <utility>

namespace zwang::codegen {
namespace {

constexpr Piece k_vectors[] = {
    {"turn", R"(
/* y = R x */
static void Z_turn(const real *R, const real *x, real *y) {
  int k;
  for (k = 0; k < 3; ++k) {
    y[k] = R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2];
  }
}
)"},
    {"turn_back", R"(
/* y = R^T x */
static void Z_turn_back(const real *R, const real *x, real *y) {
  int k;
  for (k = 0; k < 3; ++k) {
    y[k] = R[k] * x[0] + R[3 + k] * x[1] + R[6 + k] * x[2];
  }
}
)"},
    {"add_cross", R"(
/* y += a x b */
static void Z_add_cross(const real *a, const real *b, real *y) {
  y[0] += a[1] * b[2] - a[2] * b[1];
  y[1] += a[2] * b[0] - a[0] * b[2];
  y[2] += a[0] * b[1] - a[1] * b[0];
}
)"},
    {"dot", R"(
/* The power of a wrench in a motion. */
static real Z_dot(const real *motion, const real *wrench) {
  real sum = 0;
  int k;
  for (k = 0; k < 6; ++k) {
    sum += motion[k] * wrench[k];
  }
  return sum;
}
)"},
    {"multiply", R"(
/* C = A B of 3 x 3 matrices; entry (r, c) of B at r * row + c * column. */
static void Z_multiply(const real *A, const real *B, int row, int column, real *C) {
  int r, c;
  for (r = 0; r < 3; ++r) {
    for (c = 0; c < 3; ++c) {
      const real *b = B + c * column;
      C[3 * r + c] = A[3 * r] * b[0] + A[3 * r + 1] * b[row] + A[3 * r + 2] * b[2 * row];
    }
  }
}
)"},
    {"chain", R"(
/* z = x y of poses: axes row by row, origin. */
static void Z_chain(const real *x, const real *y, real *z) {
  int k;
  Z_multiply(x, y, 3, 1, z);
  Z_turn(x, y + 9, z + 9);
  for (k = 9; k < 12; ++k) {
    z[k] += x[k];
  }
}
)"},
    {"lift", R"(
/* A motion in the axes of a pose, about its origin, in those that the pose maps into. */
static void Z_lift(const real *pose, const real *motion, real *out) {
  Z_turn(pose, motion, out);
  Z_turn(pose, motion + 3, out + 3);
  Z_add_cross(pose + 9, out + 3, out);
}
)"},
    {"move", R"(
/* Bodies at q. at: axes row by row, origin about the centre of the branch, this centre in the world.
[columns] * axis: motion per unit of each velocity. Those of nobody: 0.
[motion] * twist, rate: velocity and acceleration, world axes about the centre; the ground is accelerated by -g.
 * Body 0 is the ground. */
static void Z_move(MOVE) {
  int i, k;
[motion]  int r;
  for (k = 0; k < 15; ++k) {
    at[0][k] = (k == 0 || k == 4 || k == 8) ? 1 : 0;
  }
[motion]  if (twist != 0) {
[motion]    for (k = 0; k < 6; ++k) {
[motion]      twist[0][k] = 0;
[motion]      rate[0][k] = k < 3 ? -Z_gravity[k] : 0;
[motion]    }
[motion]  }
  for (i = 1; i <= N; ++i) {
    const int up = Z_parent[i - 1];
[!slides]    const int starts = up == 0;
[slides]    const int starts = Z_slides[up];
[columns]    const int first = Z_v[i - 1], count = Z_v[i] - first;
[!mimic]    const real *x = q + Z_q[i - 1];
    real joint[12], fixed[12];
[columns]    real s[6 * WIDTH];
[motion]    real own[6];
[rates]    real c[6], u[WIDTH];
[mimic]    real x[LENGTH];
[mimic]    for (k = 0; k < LENGTH; ++k) {
[mimic]      const int j = Z_q[i - 1] + k;
[mimic]      x[k] = j < Z_q[i] ? q[Z_source[j]] * Z_ratio[j] + Z_offset[j] : 0;
[mimic]    }
[rates]    for (k = 0; k < WIDTH; ++k) {
[rates !mimic]      u[k] = (v != 0 && k < count) ? v[first + k] : 0;
[rates mimic]      u[k] = (v != 0 && k < count) ? v[Z_coordinate[first + k]] * Z_share[first + k] : 0;
[rates]    }
    for (k = 0; k < 12; ++k) {
      joint[k] = 0;
    }
[columns]    for (k = 0; k < 6 * WIDTH; ++k) {
[columns]      s[k] = 0;
[columns]    }
[rates]    for (k = 0; k < 6; ++k) {
[rates]      c[k] = 0;
[rates]    }
    Z_joint(JOINT);
    Z_chain(at[up], Z_placement[i - 1], fixed);
    Z_chain(fixed, joint, at[i]);
    for (k = 0; k < 3; ++k) {
      at[i][12 + k] = at[up][12 + k] + (starts ? at[i][9 + k] : 0);
      at[i][9 + k] = starts ? 0 : at[i][9 + k];
    }
[columns]    if (axis != 0) {
[columns]      for (k = 0; k < count; ++k) {
[columns]        Z_lift(at[i], s + 6 * k, axis[first + k]);
[columns]      }
[columns]    }
[motion]    if (twist != 0) {
[motion]      for (r = 0; r < 6; ++r) {
[motion]        own[r] = 0;
[motion]        rate[i][r] = rate[up][r];
[motion]      }
[motion]      for (k = first; k < first + count; ++k) {
[motion !mimic]        const real speed = v != 0 ? v[k] : 0, gain = a != 0 ? a[k] : 0;
[motion mimic]        const real speed = v != 0 ? v[Z_coordinate[k]] * Z_share[k] : 0;
[motion mimic]        const real gain = a != 0 ? a[Z_coordinate[k]] * Z_share[k] : 0;
[motion]        for (r = 0; r < 6; ++r) {
[motion]          own[r] += axis[k][r] * speed;
[motion]          rate[i][r] += axis[k][r] * gain;
[motion]        }
[motion]      }
[motion]      for (r = 0; r < 6; ++r) {
[motion]        twist[i][r] = twist[up][r] + own[r];
[motion]      }
[motion]      Z_add_cross(twist[up] + 3, own, rate[i]);
[motion]      Z_add_cross(twist[up], own + 3, rate[i]);
[motion]      Z_add_cross(twist[up] + 3, own + 3, rate[i] + 3);
[rates]      Z_lift(at[i], c, own);
[rates]      for (r = 0; r < 6; ++r) {
[rates]        rate[i][r] += own[r];
[rates]      }
[motion]    }
  }
}
)"},
};

constexpr Piece k_dynamics[] = {
    {"inertia_at", R"(
/* Mass, first moment and second moments of body i in world axes about the centre of its branch:
 * I = R J R^T + 2 p.e - p e^T - e p^T, e = R h + m p / 2. */
static void Z_inertia_at(int i, const real *pose, real *I) {
  const real *own = Z_inertia[i - 1], *p = pose + 9;
  real full[9], half[9], e[3], along = 0;
  int r, c;
  for (r = 0; r < 3; ++r) {
    for (c = 0; c < 3; ++c) {
      full[3 * r + c] = own[4 + r + c + ((r > 0 && c > 0) ? 1 : 0)];
    }
  }
  Z_multiply(pose, full, 3, 1, half);
  Z_multiply(half, pose, 1, 3, I + 4);
  Z_turn(pose, own + 1, e);
  I[0] = own[0];
  for (r = 0; r < 3; ++r) {
    I[1 + r] = e[r] + own[0] * p[r];
    e[r] += own[0] * p[r] / 2;
    along += 2 * p[r] * e[r];
  }
  for (r = 0; r < 3; ++r) {
    for (c = 0; c < 3; ++c) {
      I[4 + 3 * r + c] += (r == c ? along : 0) - p[r] * e[c] - e[r] * p[c];
    }
  }
}
)"},
    {"momentum", R"(
/* I m of an inertia and a motion. */
static void Z_momentum(const real *I, const real *m, real *out) {
  int k;
  for (k = 0; k < 3; ++k) {
    out[k] = I[0] * m[k];
  }
  Z_add_cross(m + 3, I + 1, out);
  Z_turn(I + 4, m + 3, out + 3);
  Z_add_cross(I + 1, m, out + 3);
}
)"},
    {"forces", R"(
/* The wrench that moves each body, world axes about the centre. */
static void Z_forces(real at[][15], real twist[][6], real rate[][6], real force[][6]) {
  int i, k;
  for (k = 0; k < 6; ++k) {
    force[0][k] = 0;
  }
  for (i = 1; i <= N; ++i) {
    real I[13], h[6];
    Z_inertia_at(i, at[i], I);
    Z_momentum(I, rate[i], force[i]);
    Z_momentum(I, twist[i], h);
    Z_add_cross(twist[i] + 3, h, force[i]);
    Z_add_cross(twist[i] + 3, h + 3, force[i] + 3);
    Z_add_cross(twist[i], h, force[i] + 3);
  }
}
)"},
    {"own_gravity", R"(
/* Links whose gravity is not that of the others: takes off m g, and the moment of it. */
static void Z_own_gravity(real at[][15], real force[][6]) {
  int i, k;
  for (i = 1; i <= N; ++i) {
    const real *excess = Z_excess[i - 1];
    real moment[3];
    Z_turn(at[i], excess + 1, moment);
    for (k = 0; k < 3; ++k) {
      moment[k] += excess[0] * at[i][9 + k];
      force[i][k] -= excess[0] * Z_gravity[k];
    }
    Z_add_cross(Z_gravity, moment, force[i] + 3);
  }
}
)"},
    {"gather", R"(
/* Torques of the wrenches of bodies, which are summed towards the ground. */
static void Z_gather(real axis[][6], real force[][6], real *tau) {
  int i, k;
  for (k = 0; k < NV; ++k) {
    tau[k] = 0;
  }
  for (i = N; i >= 1; --i) {
    for (k = Z_v[i - 1]; k < Z_v[i]; ++k) {
[!mimic]      tau[k] = Z_dot(axis[k], force[i]);
[mimic]      tau[Z_coordinate[k]] += Z_dot(axis[k], force[i]) * Z_share[k];
    }
    for (k = 0; k < 6; ++k) {
      force[Z_parent[i - 1]][k] += force[i][k];
    }
  }
}
)"},
    {"rotors", R"(
/* Rotors are accelerated, too. */
static void Z_rotors(const real *a, real *tau) {
  int k;
  for (k = 0; k < COLUMNS; ++k) {
[!mimic]    tau[k] += a[k] * Z_rotor[k];
[mimic]    tau[Z_coordinate[k]] += a[Z_coordinate[k]] * Z_share[k] * Z_share[k] * Z_rotor[k];
  }
}
)"},
    {"passive", R"(
/* What dampers, dry friction and springs of joints resist with. */
static void Z_passive(PASSIVE) {
  int k;
  for (k = 0; k < COLUMNS; ++k) {
    real x = 0;
[damping !mimic]    x += v[k] * Z_damping[k];
[damping mimic]    x += v[Z_coordinate[k]] * Z_share[k] * Z_damping[k];
[friction !mimic]    x += v[k] > 0 ? Z_friction[k] : (v[k] < 0 ? -Z_friction[k] : 0);
[friction mimic]    const real speed = v[Z_coordinate[k]] * Z_share[k];
[friction mimic]    x += speed > 0 ? Z_friction[k] : (speed < 0 ? -Z_friction[k] : 0);
[springs]    const int j = Z_stretched[k];
[springs]    if (j >= 0) {
[springs !mimic]      x += Z_stiffness[k] * (q[j] - Z_rest[k]);
[springs mimic]      x += Z_stiffness[k] * (q[Z_source[j]] * Z_ratio[j] + Z_offset[j] - Z_rest[k]);
[springs]    }
[!mimic]    tau[k] += x;
[mimic]    tau[Z_coordinate[k]] += x * Z_share[k];
  }
}
)"},
    {"balls", R"(
/* Springs of balls: k times the rotation vector from where they rest. */
static void Z_balls(const real *q, real *tau) {
  int i, k;
  for (i = 0; i < BALLS; ++i) {
    real phi[3];
    Z_stretch(Z_ball[i], q + Z_ball_q[i], phi);
    for (k = 0; k < 3; ++k) {
      tau[Z_ball_v[i] + k] += Z_ball[i][4] * phi[k];
    }
  }
}
)"},
    {"mass", R"(
/* Mass matrix: M_jk = s_j . I_k s_k, I_k the inertia of what moves with column k, j on the way from k to the ground.
 * least, or 0: of each pivot, from its entry of M and from the magnitudes that cancel in this entry. */
static void Z_mass(real at[][15], real axis[][6], real *M, real *least) {
  real whole[BODIES][13];
  int i, j, k;
  for (i = 1; i <= N; ++i) {
    Z_inertia_at(i, at[i], whole[i]);
  }
  for (k = 0; k < 13; ++k) {
    whole[0][k] = 0;
  }
  for (i = N; i >= 1; --i) {
    for (k = 0; k < 13; ++k) {
      whole[Z_parent[i - 1]][k] += whole[i][k];
    }
  }
  for (k = 0; k < NV * NV; ++k) {
    M[k] = 0;
  }
  for (k = 0; least != 0 && k < NV; ++k) {
    least[k] = 0;
  }
  for (k = 0; k < COLUMNS; ++k) {
    const real *I = whole[Z_carrier[k]], *s = axis[k];
    real wrench[6];
    for (j = 0; least != 0 && j < 3; ++j) {
[!mimic]      least[k] += (I[0] * s[j] * s[j] + I[4 + 4 * j] * s[3 + j] * s[3 + j]) * LOST;
[mimic]      least[Z_coordinate[k]] +=
[mimic]          (I[0] * s[j] * s[j] + I[4 + 4 * j] * s[3 + j] * s[3 + j]) * Z_share[k] * Z_share[k] * LOST;
    }
    Z_momentum(I, s, wrench);
    for (j = k; j >= 0; j = Z_before[j]) {
[!mimic]      const real x = Z_dot(axis[j], wrench);
[!mimic]      M[k * NV + j] = x;
[!mimic]      M[j * NV + k] = x;
[mimic]      const int r = Z_coordinate[k], c = Z_coordinate[j];
[mimic]      const real x = Z_dot(axis[j], wrench) * Z_share[k] * Z_share[j];
[mimic]      M[r * NV + c] += x;
[mimic]      M[c * NV + r] += j == k ? 0 : x;
    }
[rotors !mimic]    M[k * NV + k] += Z_rotor[k];
[rotors mimic]    M[Z_coordinate[k] * (NV + 1)] += Z_rotor[k] * Z_share[k] * Z_share[k];
  }
  for (k = 0; least != 0 && k < NV; ++k) {
    const real own = M[k * NV + k] * LEAST;
    least[k] = least[k] < own ? own : least[k];
  }
}
)"},
    {"solve", R"(
/* b becomes A^-1 b: A = L^T D L from its lower triangle, from the last row to the first, where a tree fills nothing in
 * (Featherstone 2008, sec. 6.5). Returns 1 where a pivot is below its least. */
static int Z_solve(int n, real *A, real *b, const real *least) {
  int i, j, k, singular = 0;
  for (k = n - 1; k >= 0; --k) {
    const real *row = A + k * n;
    for (i = 0; i < k; ++i) {
      if (row[i] < 0 || row[i] > 0) {
        const real x = row[i] / row[k];
        for (j = 0; j <= i; ++j) {
          A[i * n + j] -= x * row[j];
        }
        b[i] -= x * b[k];
      }
    }
    singular = (singular != 0 || !(0 < least[k]) || row[k] < least[k]) ? 1 : 0;
  }
  for (k = 0; k < n; ++k) {
    for (i = 0; i < k; ++i) {
      b[k] -= A[k * n + i] * b[i];
    }
    b[k] /= A[k * n + k];
  }
  return singular;
}
)"},
};

constexpr Piece k_frames[] = {
    {"frame", R"(
/* A frame: axes row by row, origin about the centre of its branch, this centre. */
static void Z_frame(int f, real at[][15], real *x) {
  const real *body = at[Z_frame_body[f]];
  int k;
  Z_chain(body, Z_frame_place[f], x);
  for (k = 12; k < 15; ++k) {
    x[k] = body[k];
  }
}
)"},
    {"see", R"(
/* A motion, world axes about the centre, of a frame at x. in: 0 about the origin of the world, 1 of the frame, 2 in its
 * axes, too. axes: 0, or a frame in whose axes the result is. */
static void Z_see(const real *x, int in, const real *axes, const real *motion, real *out) {
  const real *turned[2];
  real point[3], m[6];
  int j, k;
  turned[0] = in == 2 ? x : 0;
  turned[1] = axes;
  for (k = 0; k < 3; ++k) {
    point[k] = in == 0 ? -x[12 + k] : x[9 + k];
  }
  for (k = 0; k < 6; ++k) {
    out[k] = motion[k];
  }
  Z_add_cross(motion + 3, point, out);
  for (j = 0; j < 2; ++j) {
    if (turned[j] != 0) {
      Z_turn_back(turned[j], out, m);
      Z_turn_back(turned[j], out + 3, m + 3);
      for (k = 0; k < 6; ++k) {
        out[k] = m[k];
      }
    }
  }
}
)"},
    {"columns_of", R"(
/* Jacobian of a frame at x: the columns from its body to the ground. */
static void Z_columns_of(int f, const real *x, int in, const real *axes, real axis[][6], real *J) {
  int k, r;
  for (k = 0; k < 6 * NV; ++k) {
    J[k] = 0;
  }
  for (k = Z_frame_column[f]; k >= 0; k = Z_before[k]) {
    real m[6];
    Z_see(x, in, axes, axis[k], m);
    for (r = 0; r < 6; ++r) {
[!mimic]      J[r * NV + k] = m[r];
[mimic]      J[r * NV + Z_coordinate[k]] += m[r] * Z_share[k];
    }
  }
}
)"},
    {"wrench_on", R"(
/* A wrench on a frame is taken off what must move its body. */
static void Z_wrench_on(int f, const real *wrench, real at[][15], real force[][6]) {
  real x[15], w[6], point[3];
[wrench_axes]  real axes[15];
  int k;
  Z_frame(f, at, x);
  for (k = 0; k < 6; ++k) {
    w[k] = wrench[k];
  }
[wrench_axes]  Z_frame(WRENCH_AXES, at, axes);
[wrench_axes]  Z_turn(axes, wrench, w);
[wrench_axes]  Z_turn(axes, wrench + 3, w + 3);
[wrench_local]  Z_turn(x, wrench, w);
[wrench_local]  Z_turn(x, wrench + 3, w + 3);
  for (k = 0; k < 3; ++k) {
[wrench_world]    point[k] = -x[12 + k];
[!wrench_world]    point[k] = x[9 + k];
  }
  Z_add_cross(point, w, w + 3);
  for (k = 0; k < 6; ++k) {
    force[Z_frame_body[f]][k] -= w[k];
  }
}
)"},
};

constexpr Piece k_inputs[] = {
    {"doubt", R"(
/* 0 of finite numbers, else NaN. */
static real Z_doubt(const real *x, int n) {
  real sum = 0;
  int k;
  for (k = 0; k < n; ++k) {
    sum += x[k] - x[k];
  }
  return sum;
}
)"},
};

}  // namespace

std::vector<Piece> loop_pieces() {
  std::vector<Piece> all;
  for (const auto& [first, last] :
       {std::pair(std::begin(k_vectors), std::end(k_vectors)), std::pair(std::begin(k_dynamics), std::end(k_dynamics)),
        std::pair(std::begin(k_frames), std::end(k_frames)), std::pair(std::begin(k_inputs), std::end(k_inputs))})
    all.insert(all.end(), first, last);
  return all;
}

}  // namespace zwang::codegen
