// SPDX-License-Identifier: BSD-3-Clause
// Batch: checks, and the kernels of the instruction set in use.
#include "zwang/batch/batch.hpp"

#include "batch/batch_task.hpp"

namespace zwang {

template <class T> struct BasicBatch<T>::Impl : BatchCore<T> {
  Impl(const Model& m, const BatchOptions& options) : BatchCore<T>(m, options) {
    const Vec3<double>& g = m.gravity();
    const double gravity[3] = {g.x, g.y, g.z};
    for (int t = 0; t < this->threads(); ++t)
      workspace.emplace_back(this->kernels.make(&m.tree<T>(), gravity), this->kernels.drop);
  }
  const BatchReport& run(BatchTask<T>& task, BatchKernel<T> BatchKernels<T>::*kernel) {
    return BatchCore<T>::run(task.call(), [&](int t, long first, long last) {
      (this->kernels.*kernel)(workspace[static_cast<std::size_t>(t)].get(), task.call(), first, last);
    });
  }
  std::vector<KernelWorkspace> workspace;  ///< one per thread
};

template <class T> BasicBatch<T>::BasicBatch(const Model& model, const BatchOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
template <class T> BasicBatch<T>::BasicBatch(BasicBatch&&) noexcept = default;
template <class T> BasicBatch<T>& BasicBatch<T>::operator=(BasicBatch&&) noexcept = default;
template <class T> BasicBatch<T>::~BasicBatch() = default;
template <class T> const Model& BasicBatch<T>::model() const { return impl_->model; }
template <class T> int BasicBatch<T>::threads() const { return impl_->threads(); }
template <class T> int BasicBatch<T>::lanes() const { return impl_->kernels.lanes; }
template <class T> void BasicBatch<T>::reserve(long states) { impl_->reserve(states); }
template <class T> void BasicBatch<T>::on_progress(BatchProgress callback, void* context) {
  impl_->on_progress(callback, context);
}
template <class T> const BatchReport& BasicBatch<T>::report() const { return impl_->report; }

// --- the tasks: what each reads, in order, and writes ---------------------------------------------------------------

template <class T> const BatchReport& BasicBatch<T>::inverse_dynamics(In q, In v, In a, Out tau, const JointEffects& e,
                                                                      Wrenches external) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "inverse_dynamics");
  task.in("q", q, nq).in("v", v, nv).in("a", a, nv).out("tau", tau, nv).effects(e).external(external);
  return impl_->run(task, &BatchKernels<T>::inverse_dynamics);
}
template <class T> const BatchReport& BasicBatch<T>::forward_dynamics(In q, In v, In tau, Out a, const JointEffects& e,
                                                                      Wrenches external) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "forward_dynamics");
  task.in("q", q, nq).in("v", v, nv).in("tau", tau, nv).out("a", a, nv).effects(e).external(external);
  return impl_->run(task, &BatchKernels<T>::forward_dynamics);
}
template <class T>
const BatchReport& BasicBatch<T>::bias_forces(In q, In v, Out h, const JointEffects& e, Wrenches external) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "bias_forces");
  task.in("q", q, nq).in("v", v, nv).out("h", h, nv).effects(e).external(external).rotors_at_rest();
  return impl_->run(task, &BatchKernels<T>::bias_forces);
}
template <class T> const BatchReport& BasicBatch<T>::gravity_forces(In q, Out g) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "gravity_forces");
  task.in("q", q, nq).out("g", g, nv);
  return impl_->run(task, &BatchKernels<T>::gravity_forces);
}
template <class T> const BatchReport& BasicBatch<T>::mass_matrix(In q, Out M, const JointEffects& e) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "mass_matrix");
  task.in("q", q, nq).out("M", M, nv * nv).effects(e);
  return impl_->run(task, &BatchKernels<T>::mass_matrix);
}
template <class T> const BatchReport& BasicBatch<T>::mass_matrix_inverse(In q, Out inverse, const JointEffects& e) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "mass_matrix_inverse");
  task.in("q", q, nq).out("inverse", inverse, nv * nv).effects(e);
  return impl_->run(task, &BatchKernels<T>::mass_matrix_inverse);
}
template <class T> const BatchReport& BasicBatch<T>::mass_matrix_solve(In q, In b, Out x, const JointEffects& e) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "mass_matrix_solve");
  task.in("q", q, nq).in("b", b, nv).out("x", x, nv).effects(e);
  return impl_->run(task, &BatchKernels<T>::mass_matrix_solve);
}
template <class T> const BatchReport& BasicBatch<T>::frame_pose(In q, FrameId frame, Out pose) {
  const Index nq = model().nq();
  BatchTask<T> task(*impl_, "frame_pose");
  task.in("q", q, nq).out("pose", pose, 16).frame(frame, Reference::local);
  return impl_->run(task, &BatchKernels<T>::frame_pose);
}
template <class T> const BatchReport& BasicBatch<T>::frame_poses(In q, const std::vector<FrameId>& frames, Out poses) {
  const Index nq = model().nq();
  BatchTask<T> task(*impl_, "frame_poses");
  task.in("q", q, nq).frames(frames).out("poses", poses, 16 * static_cast<Index>(frames.size()));
  return impl_->run(task, &BatchKernels<T>::frame_poses);
}
template <class T>
const BatchReport& BasicBatch<T>::frame_velocity(In q, In v, FrameId frame, Out twist, Reference reference) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "frame_velocity");
  task.in("q", q, nq).in("v", v, nv).out("twist", twist, 6).frame(frame, reference);
  return impl_->run(task, &BatchKernels<T>::frame_velocity);
}
template <class T> const BatchReport& BasicBatch<T>::frame_acceleration(In q, In v, In a, FrameId frame,
                                                                        Out acceleration, AccelerationKind kind,
                                                                        Reference reference, bool with_gravity) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "frame_acceleration");
  task.in("q", q, nq)
      .in("v", v, nv)
      .in("a", a, nv)
      .out("acceleration", acceleration, 6)
      .frame(frame, reference, kind == AccelerationKind::classical, with_gravity);
  return impl_->run(task, &BatchKernels<T>::frame_acceleration);
}
template <class T> const BatchReport& BasicBatch<T>::jacobian(In q, FrameId frame, Reference reference, Out J) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "jacobian");
  task.in("q", q, nq).out("J", J, 6 * nv).frame(frame, reference);
  return impl_->run(task, &BatchKernels<T>::jacobian);
}
template <class T>
const BatchReport& BasicBatch<T>::jacobian_dot(In q, In v, FrameId frame, Reference reference, Out J) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "jacobian_dot");
  task.in("q", q, nq).in("v", v, nv).out("J", J, 6 * nv).frame(frame, reference);
  return impl_->run(task, &BatchKernels<T>::jacobian_dot);
}
template <class T> const BatchReport& BasicBatch<T>::centre_of_mass(In q, In v, In a, Out centre) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "centre_of_mass");
  task.in("q", q, nq).in("v", v, nv).in("a", a, nv).out("centre", centre, 9);
  return impl_->run(task, &BatchKernels<T>::centre_of_mass);
}
template <class T> const BatchReport& BasicBatch<T>::centre_of_mass_jacobian(In q, Out J) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "centre_of_mass_jacobian");
  task.in("q", q, nq).out("J", J, 3 * nv);
  return impl_->run(task, &BatchKernels<T>::centre_of_mass_jacobian);
}
template <class T> const BatchReport& BasicBatch<T>::kinetic_energy(In q, In v, Out energy, const JointEffects& e) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "kinetic_energy");
  task.in("q", q, nq).in("v", v, nv).out("energy", energy, 1).effects(e);
  return impl_->run(task, &BatchKernels<T>::kinetic_energy);
}
template <class T> const BatchReport& BasicBatch<T>::potential_energy(In q, Out energy, const JointEffects& e) {
  const Index nq = model().nq();
  BatchTask<T> task(*impl_, "potential_energy");
  task.in("q", q, nq).out("energy", energy, 1).effects(e);
  return impl_->run(task, &BatchKernels<T>::potential_energy);
}
template <class T> const BatchReport& BasicBatch<T>::integrate(In q, In dq, Out moved) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "integrate");
  task.in("q", q, nq).in("dq", dq, nv).out("moved", moved, nq);
  return impl_->run(task, &BatchKernels<T>::integrate);
}
template <class T> const BatchReport& BasicBatch<T>::difference(In q0, In q1, Out dq) {
  const Index nq = model().nq(), nv = model().nv();
  BatchTask<T> task(*impl_, "difference");
  task.in("q0", q0, nq).in("q1", q1, nq).out("dq", dq, nv);
  return impl_->run(task, &BatchKernels<T>::difference);
}

template class BasicBatch<double>;
template class BasicBatch<float>;

}  // namespace zwang
