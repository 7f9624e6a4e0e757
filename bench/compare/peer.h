/* SPDX-License-Identifier: BSD-3-Clause
 * What another library offers to be compared with: a shared object `libzwang_peer_<name>.so` that defines zwang_peer().
 *
 * Plain structs alone cross this border, so that each side may be built by another compiler with other flags. Both
 * sides solve the same problem: the peer makes its model from zwang's bodies, whose frames are canonical (a joint of
 * one degree of freedom turns about or slides along local z). SI units, linear before angular, quaternions x y z w,
 * velocities of a free joint in body axes, matrices column by column.
 */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

#define ZWANG_PEER_INTERFACE 6

/* What is timed. `state` chooses one of the states given when the peer was made. */
enum ZwangPeerTask {
  ZWANG_PEER_FK,               /* q: poses of all bodies; result 12 numbers a body, R row by row, then p */
  ZWANG_PEER_RNEA,             /* q v a: tau; result nv */
  ZWANG_PEER_ABA,              /* q v tau: acceleration; result nv */
  ZWANG_PEER_CRBA,             /* q: M; result nv x nv */
  ZWANG_PEER_MINVERSE,         /* q: M^-1; result nv x nv */
  ZWANG_PEER_CHOLESKY_SOLVE,   /* q: M, its factors, M^-1 tau; result nv */
  ZWANG_PEER_JACOBIAN,         /* q: poses of all bodies, what all Jacobians need, and the one below; result 6 x nv */
  ZWANG_PEER_FRAME_JACOBIAN,   /* q: Jacobian of the first contact's frame, world axes, frame's origin; result 6 x nv */
  ZWANG_PEER_CONSTRAINED,      /* q v tau: acceleration with all contacts held, beta = 0; result nv */
  ZWANG_PEER_CONSTRAINED_LOOP, /* q v tau: acceleration with all loops closed instead, beta = 0; result nv */
  ZWANG_PEER_CORIOLIS,         /* q v: Coriolis matrix C; result nv x nv */
  ZWANG_PEER_CENTROIDAL,       /* q: A, momentum about the centre of mass = A v, world axes; result 6 x nv */
  ZWANG_PEER_CENTROIDAL_DOT,   /* q v: A and dA/dt; result dA/dt, 6 x nv */
  ZWANG_PEER_REGRESSOR,        /* q v a: Y with Y phi = tau; result Y phi for the inertial parameters phi, nv */
  ZWANG_PEER_RNEA_DERIVATIVES, /* q v a: d tau by q (+) d, by v, and by a; result those by q and v, 2 nv x nv */
  ZWANG_PEER_ABA_DERIVATIVES,  /* q v tau: d acceleration by q (+) d, v and tau; result those by q and v, 2 nv x nv */
  ZWANG_PEER_ALL_TERMS, /* q v: M, bias and gravity forces, Jacobians, momentum and energies; result M a + bias, nv */
  /* q v tau: acceleration and multipliers with all contacts held, and the derivatives of both by q (+) d, v and tau;
   * result those of the acceleration, 3 nv x nv. Acceleration and multipliers alone are the task above. */
  ZWANG_PEER_CONSTRAINED_DERIVATIVES,
  /* q v a: all second derivatives of tau, by q q, q v, v v and q a; result their products with directions, which do not
   * depend on how a tensor is stored: qq(v, v), qv(v, a), vv(a, a), qa(v, a), 4 nv */
  ZWANG_PEER_SECOND_ORDER
};

struct ZwangPeerBody {
  int parent;             /* position in the array plus 1; 0: the ground */
  char joint;             /* r revolute, p prismatic, f free */
  double rotation[9];     /* of the joint in the parent body, row by row */
  double translation[3];  /* [m] */
  double mass, centre[3]; /* [kg], [m] */
  double inertia[6];      /* about the centre: xx xy xz yy yz zz [kg m^2] */
  double armature;        /* of joints of one degree of freedom [kg m^2] */
};

struct ZwangPeerContact {
  int body; /* position in the array plus 1 */
  int rows; /* 3: classical acceleration of the origin; 6: spatial acceleration of the frame */
  double rotation[9], translation[3]; /* of the frame in the body */
};

/* The frames of two bodies stay together; the states given are closed and move so. */
struct ZwangPeerLoop {
  int body[2]; /* as of a contact */
  int rows;    /* 3: their origins; 6: the frames */
  double rotation[2][9], translation[2][3];
};

struct ZwangPeerProblem {
  int bodies, contacts, states, nq, nv;
  const struct ZwangPeerBody* body;
  const struct ZwangPeerContact* contact;
  const double *q, *v, *a, *tau; /* a state after the other; live as long as the peer */
  double gravity[3];
  int loops;
  const struct ZwangPeerLoop* loop;
};

/* One of the peer's ways of doing a task; the fastest one that agrees is what counts. */
struct ZwangPeerAlgorithm {
  enum ZwangPeerTask task;
  const char* name;
};

struct ZwangPeer {
  int interface;
  const char *name, *version, *compiler, *flags;
  const char* remark; /* what a reader of the numbers must know, or "" */
  /* NULL where the peer cannot do this problem; then `why` (of 256 characters) says so. */
  void* (*create)(const struct ZwangPeerProblem* problem, char* why);
  void (*destroy)(void* self);
  int (*algorithms)(void* self, const struct ZwangPeerAlgorithm** out); /* their number */
  void (*run)(void* self, int algorithm, int state);                    /* what is timed */
  void (*result)(void* self, int algorithm, int state, double* out);    /* of the last run */
};

const struct ZwangPeer* zwang_peer(void);

#ifdef __cplusplus
}
#endif
