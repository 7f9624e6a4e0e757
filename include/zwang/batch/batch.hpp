// SPDX-License-Identifier: BSD-3-Clause
// Batch: the algorithms on many states of one model at once. A register holds the same number of as many states as it
// has lanes; threads share the states.
//
//   zwang::Batch batch(model);                     // workspaces and threads, once
//   zwang::StateRows<double> tau(n, model.nv());
//   batch.inverse_dynamics(q, v, a, tau);          // q: n x nq, v and a: n x nv, one state per row
//   batch.report().good();                         // every state has Status::ok
//
// Equations, units and frames are those of the calls for one state (algorithm/dynamics.hpp, algorithm/kinematics.hpp);
// matrices of one state lie in its row, row after row. A state's result depends only on its own numbers: it is the same
// to the bit for every number of threads, place in the batch and size of the batch, on one instruction set.
// Wrong sizes throw std::invalid_argument. Bad numbers do not throw: each state has a Status, and the results of a
// refused state (not finite, not of unit length, singular mass) are NaN. A call allocates nothing once `reserve` or an
// earlier call has had as many states, and an earlier call as many wrenches and frames. An output may be one of the
// inputs. Only one thread at a time may call a Batch.
#pragma once

#include "zwang/algorithm/algorithm.hpp"
#include "zwang/batch/states.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/core/status.hpp"

namespace zwang {

/// Called by the calling thread while a batch runs, at the interval of on_progress(); false stops it.
using BatchProgress = bool (*)(void* context, long done, long states);

/// How a batch is computed.
struct BatchOptions {
  int threads = 0;  ///< including the calling thread; 0: one for each processor
};

/// Outcome of the last call.
struct BatchReport {
  long states = 0, ok = 0;
  bool stopped = false;  ///< by the progress callback; states not reached are Status::stopped, NaN
  const unsigned char* status_data = nullptr;
  Status status(long state) const {
    if (state < 0 || state >= states) throw std::out_of_range("BatchReport::status: no such state");
    return static_cast<Status>(status_data[state]);
  }
  bool good() const { return ok == states; }
};

/// A wrench on a frame in every state: 6 numbers each, [N; N m].
template <class T> struct BatchWrench {
  FrameId frame;
  StatesIn<T> wrench;
  Reference in = Reference::local_world_aligned;
};
/// Wrenches from outside on frames, of many states.
template <class T> using BatchWrenches = std::vector<BatchWrench<T>>;

/// `T` is double or float: with float every number and the arithmetic, at about twice the speed.
template <class T> class BasicBatch {
 public:
  using In = const StatesIn<T>&;
  using Out = const StatesOut<T>&;
  using Wrenches = const BatchWrenches<T>&;

  explicit BasicBatch(const Model& model, const BatchOptions& options = {});
  BasicBatch(BasicBatch&&) noexcept;
  BasicBatch& operator=(BasicBatch&&) noexcept;
  ~BasicBatch();

  const Model& model() const;
  int threads() const;
  int lanes() const;          ///< states that one register holds
  void reserve(long states);  ///< room for reports of this many states
  /// The callback of the next calls; nullptr: none. `interval`: seconds from the beginning to its first call,
  /// and from one call to the next. 0: at every look, which is before each group of states, every 64 steps of
  /// a rollout, and again and again while the calling thread waits for the others. Throws
  /// std::invalid_argument where the interval is negative or NaN.
  void on_progress(BatchProgress callback, void* context, double interval = 0.1);
  /// Whether a call first looks at the numbers of all states. Where one would be refused (Status::non_finite_input,
  /// invalid_input), nothing is computed or written: that state has its status, all others are Status::stopped.
  void all_or_nothing(bool on);
  const BatchReport& report() const;

  /// Runs any row of the list of algorithms, `run(algorithm("bias_forces"), {q, v}, {h})`: the row's vectors and
  /// results, in its order; results that are not given are not computed. Throws UnsupportedError if the algorithm does
  /// not run in lanes.
  const BatchReport& run(const Algorithm& algorithm, std::span<const StatesIn<T>> in, std::span<const StatesOut<T>> out,
                         const AlgorithmOptions& options = {}, Wrenches external = {});
  const BatchReport& run(const Algorithm& algorithm, std::initializer_list<StatesIn<T>> in,
                         std::initializer_list<StatesOut<T>> out, const AlgorithmOptions& options = {},
                         Wrenches external = {});

  const BatchReport& inverse_dynamics(In q, In v, In a, Out tau, const JointEffects& effects = {},
                                      Wrenches external = {});
  const BatchReport& forward_dynamics(In q, In v, In tau, Out a, const JointEffects& effects = {},
                                      Wrenches external = {});
  const BatchReport& bias_forces(In q, In v, Out h, const JointEffects& effects = {}, Wrenches external = {});
  const BatchReport& gravity_forces(In q, Out g);
  const BatchReport& mass_matrix(In q, Out M, const JointEffects& effects = {});                ///< nv * nv
  const BatchReport& mass_matrix_inverse(In q, Out inverse, const JointEffects& effects = {});  ///< nv * nv
  const BatchReport& mass_matrix_solve(In q, In b, Out x, const JointEffects& effects = {});    ///< M x = b

  const BatchReport& frame_pose(In q, FrameId frame, Out pose);  ///< 16: a 4 x 4 matrix by rows
  /// Forward kinematics of many frames, 16 numbers each, one after the other.
  const BatchReport& frame_poses(In q, const std::vector<FrameId>& frames, Out poses);
  const BatchReport& frame_velocity(In q, In v, FrameId frame, Out twist,
                                    Reference reference = Reference::local_world_aligned);
  const BatchReport& frame_acceleration(In q, In v, In a, FrameId frame, Out acceleration, AccelerationKind kind,
                                        Reference reference = Reference::local_world_aligned,
                                        bool with_gravity = false);
  const BatchReport& jacobian(In q, FrameId frame, Reference reference, Out J);            ///< 6 * nv
  const BatchReport& jacobian_dot(In q, In v, FrameId frame, Reference reference, Out J);  ///< 6 * nv

  /// 9 numbers: position, velocity, acceleration (for the v and a given).
  const BatchReport& centre_of_mass(In q, In v, In a, Out centre);
  const BatchReport& centre_of_mass_jacobian(In q, Out J);  ///< 3 * nv
  const BatchReport& kinetic_energy(In q, In v, Out energy, const JointEffects& effects = {});
  const BatchReport& potential_energy(In q, Out energy, const JointEffects& effects = {});
  const BatchReport& integrate(In q, In dq, Out moved);
  const BatchReport& difference(In q0, In q1, Out dq);

  struct Impl;

 private:
  Owned<Impl> impl_;
};

using Batch = BasicBatch<double>;
using FloatBatch = BasicBatch<float>;

}  // namespace zwang
