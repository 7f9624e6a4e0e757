// SPDX-License-Identifier: BSD-3-Clause
// The interface between ordinary code and the kernels of one instruction set:
// plain tables of functions over plain data.
//
// Kernels (src/kernels) are compiled once for each level, with every type that they use in a namespace named after the
// level. A pointer to Data passes as void*: its bytes are the same at every level (`data_bytes` says so), because it
// holds plain numbers and Wide only. Workspaces of batches differ per level; only kernels look into them.
#pragma once
#include "zwang/core/config.hpp"
#include "zwang/core/stop.hpp"

namespace zwang {

/// Kernels on one state. `data` is a Data; matrices have rows of `stride` numbers.
struct StateKernels {
  int data_bytes;  ///< sizeof(Data) as the kernels see it
  void (*positions)(void* data, const double* q);
  void (*velocities)(void* data, const double* q, const double* v);
  void (*accelerations)(void* data, const double* q, const double* v, const double* a);
  void (*columns)(void* data, const double* q);
  void (*columns_of_positions)(void* data, const double* q);
  /// Of a frame at the pose `in_body` (a Transform) on a body, seen as `reference` (a Reference) says. J: columns of
  /// six numbers, `stride` apart. What it returns is finite only if they are.
  double (*frame_jacobian)(void* data, const double* q, Index body, const void* in_body, int reference, double* J,
                           Index stride);
  void (*inverse_dynamics)(void* data, const double* q, const double* v, const double* a, double* tau);
  bool (*forward_dynamics)(void* data, const double* q, const double* v, const double* tau, double* qdd);
  void (*mass_matrix)(void* data, const double* q, double* M, Index stride);
};

/// Quantities of one state; matrices have columns of `stride` numbers.
struct QuantityKernels {
  /// Returns true if C is known to be finite.
  bool (*coriolis_matrix)(void* data, const double* q, const double* v, double* C, Index stride);
  void (*centroidal_map)(void* data, const double* q, double* A, Index stride);
  void (*centroidal_map_dot)(void* data, const double* q, const double* v, double* A, Index stride);
  void (*generalised_momentum)(void* data, const double* q, const double* v, double* p, double* coriolis);
  /// Returns true if Y is known to be finite.
  bool (*regressor)(void* data, const double* q, const double* v, const double* a, double* Y, Index stride);
  /// M, C, columns, centroidal map (column by column, without gaps), gravity, C v + gravity, and eight numbers: the
  /// centre of mass, its velocity, kinetic and potential energy. Returns true if M and C are known to be finite.
  bool (*all_terms)(void* data, const double* q, const double* v, double* const* out);
};

/// Derivatives of one state; matrices have columns of `stride` numbers. `damping`, `springs`: of these joint effects.
struct DerivativeKernels {
  /// nv x nv matrices by q, v and a, of which each may be absent. Reads accelerations of that state in `data`, external
  /// wrenches and how they turn. Returns true if they are known to be finite.
  bool (*inverse_dynamics)(void* data, const double* q, const double* v, const double* a, bool damping, bool springs,
                           double* const* out, const Index* stride);
  /// Products with a vector, of the state whose accelerations are in `data`: the first enters the bodies, the second
  /// leaves them. Vectors by q, v, a of nv numbers; those that are nullptr are zero, or not wanted.
  void (*enter_from_the_right)(void* data, const double* q, const double* v, const double* a, const double* const* d);
  void (*leave_from_the_right)(void* data, const double* q, const double* const* d, bool damping, bool springs,
                               double* out);
  void (*enter_from_the_left)(void* data, const double* y);
  /// Adds to `out`.
  void (*leave_from_the_left)(void* data, const double* q, const double* v, const double* a, const double* y,
                              bool damping, bool springs, double* const* out);
  /// B := -A B, n x n each; `work` has n numbers.
  void (*negative_product)(Index n, const double* A, Index a_stride, double* B, Index b_stride, double* work);
  /// How the columns vary, into derivative.variation, which products from the right fill, too. Of the state whose
  /// accelerations are in `data`.
  void (*vary_columns)(void* data, const double* q, const double* v, const double* a);
  /// Of forward dynamics, whose sweep has left the accelerations `a`: nv x nv matrices by q, v, tau. `factor`: what
  /// FactorKernels::from_columns has made of it, `scratch` [forward_scratch(nv)]; nullptr: by q, v as responses, then
  /// [response_scratch]. Only with constant columns, none shared. Returns true if they are known to be finite.
  bool (*forward_dynamics)(void* data, const double* q, const double* v, const double* a, bool damping, bool springs,
                           const double* factor, double* scratch, double* const* out, const Index* stride);
  Index (*forward_scratch)(Index nv);
  /// By parameters, where a product from the left has been left: `sign` times the gradient by the placements of
  /// JointPlaces (page/left_product_lanes.hpp) added to the six numbers of each joint, less the gradient by the ten
  /// inertial parameters of every link.
  void (*placements_from_the_left)(void* data, const void* joints, Index count, double sign, double* out);
  void (*inertias_from_the_left)(void* data, double* out);
};

/// What the derivatives of a constrained solution are made of by elimination (question/derivatives/elimination.hpp).
/// Matrices are stored by columns of whole blocks of eight rows; A of a product has zeros behind its last one.
struct EliminationKernels {
  /// Of rows by q, v and a, and of their velocities by q (constraint/page/row_matrices.hpp): columns of `height`
  /// numbers, `parts` BasicRowPart. Where derivatives of inverse dynamics have been.
  void (*row_matrices)(void* data, const void* parts, Index count, const Index* place, Index height, double* const* out,
                       unsigned char* moves);
  /// M^-1 of M [nv x nv], of which its factor remains, in columns of row_of_inverse(nv). Where derivatives of inverse
  /// dynamics have been, of joints that share no coordinates. Returns a coordinate without inertia, or -1.
  Index (*mass_inverse)(void* data, double* M, double* out);
  /// -A B, B [nv x nv]; `along_paths`: B is zero but where one coordinate is on the path of the other. `room`: 2 nv.
  void (*negative_product)(const void* tree, bool along_paths, const double* A, Index a_stride, const double* B,
                           double* out, Index stride, Index* room);
  /// out = from + A B (linear/page/small_products.hpp), of the columns `list` of A, or all `count`. Returns whether all
  /// of it is finite.
  bool (*add_product)(Index rows, Index columns, const Index* list, Index count, const double* A, Index a_stride,
                      const double* B, Index b_stride, const double* from, Index from_stride, double* out,
                      Index stride);
  /// A := -A^-1, or false.
  bool (*negative_inverse)(Index n, double* A, Index stride);
  void (*transpose)(Index rows, Index columns, const double* from, Index from_stride, double* to, Index stride);
  /// Columns without gaps. Returns whether all of them are finite.
  bool (*put_columns)(Index rows, Index columns, const double* from, Index stride, double* to);
};

/// What second derivatives of one state write besides tensors.
struct SecondScratch {
  double* path;    ///< [PathColumns::numbers x path_stride(columns of the spanning tree)]
  Index* columns;  ///< [3 x path_stride]
  void* gains;     ///< [gain_bytes], nullptr where no joint has columns that depend on q
  void* aligned;   ///< [12 numbers for each body and the ground], nullptr where no wrench is to be looked at
};
struct SecondDerivativeKernels {
  int gain_bytes;
  Index (*path_stride)(Index columns);
  /// Tensors qq, qv, vv, qa. Reads accelerations of that state in `data`, external wrenches and how they turn. Returns
  /// true if all entries are known to be finite.
  bool (*inverse_dynamics)(void* data, const double* q, const double* v, const double* a, const SecondScratch& scratch,
                           double* const* out);
  /// Tensors qq, qv, vv, qtau from H of inverse dynamics and first derivatives by q, v and tau,
  /// by rows. `work` has n (n +
  /// 32) numbers.
  void (*forward_dynamics)(Index n, const double* const* H, const double* const* first, double* work,
                           double* const* out);
};

/// M = L^T D L and M^-1. `a` [nv * nv] holds the factor, `columns`
/// [nv * column_bytes] what M^-1 asks of articulated bodies.
struct FactorKernels {
  int column_bytes, scratch;  ///< numbers of scratch that an inverse needs for each coordinate
  /// Both return the first coordinate without inertia, or -1. From bodies only where no coordinates are shared.
  Index (*from_matrix)(void* data, const double* q, double* a);
  Index (*from_bodies)(void* data, const double* q, double* a, void* columns);
  /// Of the columns that forward dynamics has just eliminated; `columns` may be nullptr.
  void (*from_columns)(void* data, double* a, void* columns);
  void (*inverse_by_factor)(const void* tree, const double* a, double* scratch, double* out, Index stride);
  void (*inverse_by_bodies)(const void* tree, const void* columns, double* scratch, double* out, Index stride);
  using InPlace = void (*)(const void* tree, const double* a, double* x);
  InPlace solve, solve_lower, solve_transposed, multiply, multiply_lower, multiply_transposed;
  /// That of StateKernels, which leaves all of its columns for from_columns, those of a free root, too.
  bool (*forward_dynamics)(void* data, const double* q, const double* v, const double* tau, double* qdd);
};

/// The rows at the root as a dense system. Rows of matrices are `stride` numbers long, a multiple of eight and at least
/// eight more than m; vectors have as many.
struct RootRows {
  Index m, stride;
  double* A;                  ///< Lambda, both triangles with zeros behind
  double* X;                  ///< -E^-1 of the equilibrated rows
  double* bound;              ///< of Lambda_ii
  double *scale, *inv_scale;  ///< roots of the bounds
  double *b, *lambda, *rest;  ///< one right-hand side, its solution, scratch
  const double* unit;         ///< a 1 with `stride` zeros on either side
  Stop stop;                  ///< once it says so the inverse has no meaning, and its trace is infinite
};

/// How far rows at the root are from dependent, by E = S^-1 Lambda S^-1 with s_i^2 = Lambda_ii.
struct RootDoubt {
  double trace;   ///< of E^-1; infinite where a pivot is not positive
  double spread;  ///< sum of bound_i / s_i^2
};

/// The constrained sweep on one state: it fills `rows`, a RowNumbers<double>, with [first, last), which are
/// ActiveRows<double>, and leaves its factor in `stage`, a SweepStage<double>. root(context) is called when the rows
/// have reached the root.
struct HybridKernels {
  int rows_bytes, stage_bytes, active_bytes,
      relation_bytes;  ///< the last: sizeof(RelationPage), of BatchKernels::constrained
  bool (*sweep)(void* data, void* rows, void* stage, const void* first, const void* last, void (*root)(void* context),
                void* context, const double* q, const double* v, const double* tau, double* qdd);
  // Rows at the root, kernels/regular_rows.hpp
  void (*gather)(const void* stage, const RootRows& x);
  RootDoubt (*invert)(const RootRows& x);
  void (*solve)(const RootRows& x);
  // After a sweep, kernels/solution.hpp: numbers of each group of rows; 1/2 t^T M^+ t.
  void (*residuals)(const void* data, const void* rows, void* value, void* scale, void* speed);
  double (*energy)(void* data, const double* t);
};

/// Rows eliminated at the ends of their own paths, kernels/path_rows.hpp: `stage` is a PathStage with a plan, `rows` a
/// RowNumbers<double> with the same rows attached, `entries` its ActiveRows<double>.
struct PathKernels {
  int stage_bytes;
  /// relations(context) evaluates relations between bodies once `data` has the positions and velocities.
  bool (*sweep)(void* data, void* rows, void* stage, const void* entries, void (*relations)(void*), void* context,
                const double* q, const double* v, const double* tau, double* qdd);
  /// After sweep(): torque [nv] = J^T lambda, Z, residuals in the stage.
  /// False if one is more than rounding, or a number is not finite.
  bool (*publish)(void* data, const void* rows, void* stage, const double* qdd, double* torque, double& energy);
  /// After sweep(), another right-hand side: x [nv], lambda [rows] of M x - J^T lambda = tau, J x = b. False likewise.
  bool (*respond)(const void* data, const void* rows, void* stage, const double* tau, const double* b, double* x,
                  double* lambda);
};

/// G = J M^-1 J^T on one state: `rows` is a RowBlocks<double>, `stage` the workspace of the page;
/// G has columns of `stride` numbers.
struct DelassusKernels {
  int block_bytes, node_bytes;
  /// The articulated factor at rest, of M + J^T mu^-1 J where mu is given. `zero` [nv] zeros, `qdd` [nv] scratch.
  bool (*articulate)(void* data, const double* q, const void* rows, const double* mu, const double* zero, double* qdd);
  void (*pv_osimr)(const void* data, const void* rows, void* stage, double* G, Index stride);
  void (*efpa)(const void* data, const void* rows, void* stage, double* G, Index stride);
  void (*sparse)(void* data, const double* q, const void* rows, void* stage, double* G, Index stride);
};

/// Numbers of many states: number k of state s at data[(s / 32) * tile + (s % 32) * lane + k * number]. Rows of a
/// matrix: tile = 32 ld, lane = ld, number = 1. Tiles of 32 states: lane = 1, number = 32, tile = 32 size. One row for
/// all states: tile = lane = 0, number = 1.
template <class T> struct StateArray {
  static constexpr int k_tile = 32;
  T* data = nullptr;
  Index size = 0;
  long tile = 0, lane = 0, number = 0;
};

/// A frame and how it is looked at, or where a wrench acts.
template <class T> struct FrameTask {
  Index body = 0;
  T in_body[12] = {};  ///< Transform<T>: rotation by rows, then the origin
  int reference = 0;   ///< Reference
  bool classical = false, with_gravity = false;
};
template <class T> struct WrenchTask {
  FrameTask<T> frame;
  StateArray<const T> wrench;
  Index frame_id = 0;  ///< in the model's frames
};

/// In how many states a row is violated or pulls, and the violation of largest size;
/// zeros of rows that are not looked at.
struct RowCount {
  long states = 0;
  double largest = 0;
  void add(double violation) {
    ++states;
    if (!(violation * violation <= largest * largest)) largest = violation;
  }
  void add(const RowCount& x) {
    const double size = x.largest < 0 ? -x.largest : x.largest, own = largest < 0 ? -largest : largest;
    if (size > own || (size == own && x.largest > largest)) largest = x.largest;
    states += x.states;
  }
};
/// Of a row: at the first of the states that a call comes to, and at the last that is not its result.
struct RowCounts {
  enum Kind { position, velocity, pull, k_kinds };
  RowCount first[k_kinds], last[k_kinds];
};

/// Rows of one constraint, and which columns of the call's arrays are theirs.
struct RowsTask {
  const void* rows;               ///< RowsOnBody
  const double* beta;             ///< where the call gives none per state
  const double* compliance;       ///< of a soft constraint, or nullptr
  const double* target_velocity;  ///< nullptr: none
  bool classical, driver;
  bool contact;            ///< its last row may not pull
  Index count, first_row;  ///< its rows in beta and multipliers
  Index constraint;        ///< its column of `active`
};
/// The same of rows between bodies.
struct RelationTask {
  const void* page;                                            ///< RelationPage
  const double *beta, *compliance, *target, *target_velocity;  ///< nullptr but for beta: none
  double inverse_time, damping_ratio;                          ///< of stabilisation; 0: off
  bool driver, contact;
  bool anywhere;  ///< no position is asked for
  Index count, first_row, constraint;
  const Index* bodies;  ///< that the rows act on, increasing
  Index body_count;
};
/// Constrained forward dynamics; with steps > 0 that many steps in time.
template <class T> struct ConstrainedTask {
  const RowsTask* rows = nullptr;  ///< sorted by body
  Index count = 0, total_rows = 0;
  const RelationTask* relation = nullptr;
  Index relations = 0;
  bool look_ahead = false;                  ///< some rows follow the axes of a body that the sweep enters later
  StateArray<const T> beta, active;         ///< [total rows], [constraints]; without data: as in `rows`, all of them
  StateArray<const T> given;                ///< accelerations of prescribed columns
  const unsigned char* is_given = nullptr;  ///< [nv]; nullptr: none
  const Index* given_of = nullptr;          ///< [nv] column of `given`
  double rank_tolerance = 0;                ///< of a pivot of Lambda, relative to its bound
  double tolerance = 0;                     ///< the user's, of the rank rule
  double feasibility = 0;
  Index steps = 0;
  double step = 0;  ///< [s]
  bool tau_per_step = false;
  bool classical = false;       ///< steps of the classical Runge-Kutta method, otherwise semi-implicit ones
  RowCounts* counts = nullptr;  ///< [total rows], of one thread; nullptr: not wanted
  double notable = 0;           ///< a larger violation counts
};
/// The gradient of a scalar of the solutions of constrained forward dynamics.
template <class T> struct GradientTask {
  double gravity[3] = {};
  StateArray<const T> acceleration, multipliers, motor_torque;  ///< weights in the scalar; without data: zeros
  /// By the inputs and by numbers of the joints; without data: not wanted. `force`: by forces that are no motor's.
  StateArray<T> q, v, tau, force, beta, armature, damping, stiffness, by_gravity, inertial_parameters;
  /// Six numbers of each joint, zeros of those that are not among the `places`, JointPlaces
  /// (page/left_product_lanes.hpp).
  StateArray<T> placement;
  const void* places = nullptr;
  Index place_count = 0;
};
/// Room of a constrained workspace.
struct ConstrainedRoom {
  Index rows, total_rows, constraints;
  Index parts, tips;  ///< of relations: rows times bodies; bodies that each three rows of them act on
};
/// The status that the constrained kernels write for a state whose rows depend on each other, or nearly so, or whose
/// mass matrix is singular: it must be solved by the solver of one state.
inline constexpr unsigned char k_solve_alone = 255;

/// What a batch kernel reads and writes. Which inputs are configurations is part of the task.
template <class T> struct BatchCall {
  long states = 0;
  StateArray<const T> in[6];
  StateArray<T> out[4];
  unsigned char* status = nullptr;  ///< [states] Status of each state, written
  bool armature = true, damping = true, springs = true, friction = false;
  bool excess = false;  ///< links' own scales of gravity count, and some are not 1
  FrameTask<T> frame;
  const FrameTask<T>* frame_list = nullptr;
  Index frames = 0;
  const WrenchTask<T>* wrench = nullptr;
  Index wrenches = 0;
  const ConstrainedTask<T>* constrained = nullptr;
  const GradientTask<T>* gradient = nullptr;
  bool (*still_wanted)(void* runner) = nullptr;  ///< asked by kernels that work long on one state
  void* runner = nullptr;

  bool has_wrenches() const { return wrenches > 0 || excess; }
  /// Whether to take step number `step`; the clock is not read at every step.
  bool wants(Index step) const { return step % 64 != 0 || still_wanted == nullptr || still_wanted(runner); }
};

/// Kernels on the states [first, last) of a call; `first` is the first of a tile.
template <class T> using BatchKernel = void (*)(void* workspace, const BatchCall<T>& call, long first, long last);

/// A workspace serves one thread. `tree` is a Tree<T>.
template <class T> struct BatchKernels {
  int lanes;
  void* (*make)(const void* tree, const double* gravity, Index room);
  void (*drop)(void* workspace);
  /// By the place of its row in the list of algorithms; nullptr: not in lanes. in, out: the row's vectors and results.
  const BatchKernel<T>* algorithm;
  void* (*make_constrained)(const void* tree, const double* gravity, const ConstrainedRoom& room);
  void (*drop_constrained)(void* workspace);
  /// in: q, v, tau; out: acceleration, multipliers, motor torque, reaction.
  BatchKernel<T> constrained;
  /// in: q, v, tau; out: q and v at the end, those of every step.
  BatchKernel<T> rollout;
  /// Gradients of solutions, in a workspace of their own; nullptr: not in lanes. in: q, v, tau. Of hard rows on single
  /// bodies; no coordinate is prescribed or shared.
  void* (*make_gradient)(const void* tree, const double* gravity, const ConstrainedRoom& room, Index joints);
  void (*drop_gradient)(void* workspace);
  BatchKernel<T> gradient;
};

/// Bytes of the types that pass between ordinary code and the kernels, as ordinary code sees them
/// (src/instantiate/kernel_layout.cpp). A level that sees them otherwise is not used.
struct KernelLayout {
  int data, column, inverse_scratch, rows, stage, active, relation, path_stage, block, node;
};
extern const KernelLayout ordinary_layout;

/// The kernels of one instruction set.
struct Kernels {
  const char* level;  ///< its name in the list of levels, cmake/flags.cmake
  const StateKernels* state;
  const QuantityKernels* quantity;
  const DerivativeKernels* derivative;
  const SecondDerivativeKernels* second_derivative;
  const FactorKernels* factor;
  const EliminationKernels* elimination;
  const HybridKernels* hybrid;
  const PathKernels* path;
  const DelassusKernels* delassus;
  const BatchKernels<double>* batch;
  const BatchKernels<float>* batch_float;
};

/// Those of the highest level that this machine has and that the environment variable ZWANG_ISA allows;
/// where it allows none, the lowest that this machine has. Chosen once. Throws std::runtime_error if
/// the library holds no level of this machine.
const Kernels& kernels();

}  // namespace zwang
