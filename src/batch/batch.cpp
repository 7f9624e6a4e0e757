// SPDX-License-Identifier: BSD-3-Clause
// Batch: checks, and the kernels of the instruction set in use.
#include "zwang/batch/batch.hpp"

#include "batch/batch_task.hpp"
#include "batch/friction_states.hpp"
#include "zwang/algorithm/algorithm_row.hpp"

namespace zwang {

template <class T> struct BasicBatch<T>::Impl : BatchCore<T> {
  Impl(const Model& m, const BatchOptions& options) : BatchCore<T>(m, options) {
    const Vec3<double>& g = m.gravity();
    const double gravity[3] = {g.x, g.y, g.z};
    Index room = 0;
    for (const Algorithm& row : algorithms()) room = std::max(room, row.room(sizes_of(m, {})));
    for (int t = 0; t < this->threads(); ++t)
      workspace.emplace_back(this->kernels.make(&m.tree<T>(), gravity, room), this->kernels.drop);
  }
  std::vector<KernelWorkspace> workspace;  ///< one per thread
  FrictionStates<T> friction;
};

template <class T> BasicBatch<T>::BasicBatch(const Model& model, const BatchOptions& options)
    : impl_(make_owned<Impl>(model, options)) {}
template <class T> BasicBatch<T>::BasicBatch(BasicBatch&&) noexcept = default;
template <class T> BasicBatch<T>& BasicBatch<T>::operator=(BasicBatch&&) noexcept = default;
template <class T> BasicBatch<T>::~BasicBatch() = default;
template <class T> const Model& BasicBatch<T>::model() const { return existing(impl_).model; }
template <class T> int BasicBatch<T>::threads() const { return existing(impl_).threads(); }
template <class T> int BasicBatch<T>::lanes() const { return existing(impl_).kernels.lanes; }
template <class T> void BasicBatch<T>::reserve(long states) { existing(impl_).reserve_for_user(states); }
template <class T> void BasicBatch<T>::on_progress(BatchProgress callback, void* context, double interval) {
  existing(impl_).on_progress(callback, context, interval);
}
template <class T> void BasicBatch<T>::all_or_nothing(bool on) { existing(impl_).all_or_nothing = on; }
template <class T> const BatchReport& BasicBatch<T>::report() const { return existing(impl_).report; }

template <class T> const BatchReport& BasicBatch<T>::run(const Algorithm& row, std::span<const StatesIn<T>> in,
                                                         std::span<const StatesOut<T>> out,
                                                         const AlgorithmOptions& options, Wrenches external) {
  Impl& own = existing(impl_);
  const BatchKernel<T> kernel = own.kernels.algorithm[index_of(row)];
  if (kernel == nullptr || options.axes)
    throw UnsupportedError(std::string("Batch::") + row.name + ": " +
                           (kernel == nullptr ? "runs on one state at a time (evaluate)"
                                              : "a reference is local, world or local_world_aligned"));
  BatchTask<T> task(own, row.name);
  task.take(row, in, out, options, external);
  if (own.all_or_nothing && task.refuses()) return own.report;
  const bool rubs = own.friction.begin(own.model, row, options.effects, task.call(), own.threads());
  return own.run(task.call(), [&](int t, long first, long last) {
    const auto lanes = [&] { kernel(own.workspace[static_cast<std::size_t>(t)].get(), task.call(), first, last); };
    if (rubs)
      own.friction.run(own.model, t, task.call(), first, last, lanes);
    else
      lanes();
  });
}
template <class T> const BatchReport& BasicBatch<T>::run(const Algorithm& row, std::initializer_list<StatesIn<T>> in,
                                                         std::initializer_list<StatesOut<T>> out,
                                                         const AlgorithmOptions& options, Wrenches external) {
  return run(row, std::span(in.begin(), in.size()), std::span(out.begin(), out.size()), options, external);
}

// --- rows of the list under their names, with arguments of their own types -----------------------------------------

template <class T> const BatchReport& BasicBatch<T>::inverse_dynamics(In q, In v, In a, Out tau, const JointEffects& e,
                                                                      Wrenches external) {
  return run(Row<"inverse_dynamics">::row(), {q, v, a}, {tau}, {.effects = e}, external);
}
template <class T> const BatchReport& BasicBatch<T>::forward_dynamics(In q, In v, In tau, Out a, const JointEffects& e,
                                                                      Wrenches external) {
  return run(Row<"forward_dynamics">::row(), {q, v, tau}, {a}, {.effects = e}, external);
}
template <class T>
const BatchReport& BasicBatch<T>::bias_forces(In q, In v, Out h, const JointEffects& e, Wrenches external) {
  return run(Row<"bias_forces">::row(), {q, v}, {h}, {.effects = e}, external);
}
template <class T> const BatchReport& BasicBatch<T>::gravity_forces(In q, Out g) {
  return run(Row<"gravity_forces">::row(), {q}, {g});
}
template <class T> const BatchReport& BasicBatch<T>::mass_matrix(In q, Out M, const JointEffects& e) {
  return run(Row<"mass_matrix">::row(), {q}, {M}, {.effects = e});
}
template <class T> const BatchReport& BasicBatch<T>::mass_matrix_inverse(In q, Out inverse, const JointEffects& e) {
  return run(Row<"mass_matrix_inverse">::row(), {q}, {inverse}, {.effects = e});
}
template <class T> const BatchReport& BasicBatch<T>::mass_matrix_solve(In q, In b, Out x, const JointEffects& e) {
  return run(Row<"mass_matrix_solve">::row(), {q, b}, {x}, {.effects = e});
}
template <class T> const BatchReport& BasicBatch<T>::frame_pose(In q, FrameId frame, Out pose) {
  return run(Row<"frame_pose">::row(), {q}, {pose}, {.frame = frame});
}
template <class T> const BatchReport& BasicBatch<T>::frame_poses(In q, const std::vector<FrameId>& frames, Out poses) {
  return run(Row<"frame_poses">::row(), {q}, {poses}, {.frames = frames});
}
template <class T>
const BatchReport& BasicBatch<T>::frame_velocity(In q, In v, FrameId frame, Out twist, Reference reference) {
  return run(Row<"frame_velocity">::row(), {q, v}, {twist}, {.frame = frame, .reference = reference});
}
template <class T> const BatchReport& BasicBatch<T>::frame_acceleration(In q, In v, In a, FrameId frame,
                                                                        Out acceleration, AccelerationKind kind,
                                                                        Reference reference, bool with_gravity) {
  return run(Row<"frame_acceleration">::row(), {q, v, a}, {acceleration},
             {.frame = frame, .kind = kind, .reference = reference, .with_gravity = with_gravity});
}
template <class T> const BatchReport& BasicBatch<T>::jacobian(In q, FrameId frame, Reference reference, Out J) {
  return run(Row<"jacobian">::row(), {q}, {J}, {.frame = frame, .reference = reference});
}
template <class T>
const BatchReport& BasicBatch<T>::jacobian_dot(In q, In v, FrameId frame, Reference reference, Out J) {
  return run(Row<"jacobian_dot">::row(), {q, v}, {J}, {.frame = frame, .reference = reference});
}
template <class T> const BatchReport& BasicBatch<T>::centre_of_mass(In q, In v, In a, Out centre) {
  StateLayout<T> part = centre.layout();
  if (part.size != 9) detail::throw_size("centre_of_mass", "centre.cols()", part.size, 9);
  part.size = 3;
  const auto next = [&] {
    const StatesOut<T> three(part);
    part.data += 3 * part.number;
    return three;
  };
  const StatesOut<T> position = next(), velocity = next(), acceleration = next();
  return run(Row<"centre_of_mass_motion">::row(), {q, v, a}, {position, velocity, acceleration});
}
template <class T> const BatchReport& BasicBatch<T>::centre_of_mass_jacobian(In q, Out J) {
  return run(Row<"centre_of_mass_jacobian">::row(), {q}, {J});
}
template <class T> const BatchReport& BasicBatch<T>::kinetic_energy(In q, In v, Out energy, const JointEffects& e) {
  return run(Row<"kinetic_energy">::row(), {q, v}, {energy}, {.effects = e});
}
template <class T> const BatchReport& BasicBatch<T>::potential_energy(In q, Out energy, const JointEffects& e) {
  return run(Row<"potential_energy">::row(), {q}, {energy}, {.effects = e});
}
template <class T> const BatchReport& BasicBatch<T>::integrate(In q, In dq, Out moved) {
  return run(Row<"integrate">::row(), {q, dq}, {moved});
}
template <class T> const BatchReport& BasicBatch<T>::difference(In q0, In q1, Out dq) {
  return run(Row<"difference">::row(), {q0, q1}, {dq});
}

template class BasicBatch<double>;
template class BasicBatch<float>;

}  // namespace zwang
