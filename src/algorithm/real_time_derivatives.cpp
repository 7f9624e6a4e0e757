// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/real_time_derivatives.hpp"

#include "algorithm/arguments.hpp"

namespace zwang {

using detail::Arguments;
using detail::checked;

Status try_all_terms(const Model& model, Data& data, VectorIn q, VectorIn v, AllTerms& out,
                     const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] { all_terms(model, data, q, v, out, effects); });
}

// --- of kinematics and of wrenches -----------------------------------------------------------------------------------

Status try_frame_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                      Reference reference, MatrixOut by_q, MatrixOut by_v) noexcept {
  const Index n = model.nv();
  return Arguments(model, data).configuration(q).tangent(v).frame(frame).result(by_q, 6, n).result(by_v, 6, n).run([&] {
    frame_velocity_derivatives(model, data, q, v, frame, reference, by_q, by_v);
  });
}
Status try_frame_acceleration_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                          FrameIn frame, AccelerationKind kind, Reference reference, MatrixOut by_q,
                                          MatrixOut by_v, MatrixOut by_a, bool with_gravity) noexcept {
  const Index n = model.nv();
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .tangent(a)
      .frame(frame)
      .result(by_q, 6, n)
      .result(by_v, 6, n)
      .result(by_a, 6, n)
      .run([&] {
        frame_acceleration_derivatives(model, data, q, v, a, frame, kind, reference, by_q, by_v, by_a, with_gravity);
      });
}
Status try_centre_of_mass_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q,
                                               MatrixOut by_v) noexcept {
  const Index n = model.nv();
  return Arguments(model, data).configuration(q).tangent(v).result(by_q, 3, n).result(by_v, 3, n).run([&] {
    centre_of_mass_velocity_derivatives(model, data, q, v, by_q, by_v);
  });
}
Status try_centroidal_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                  MatrixOut momentum_by_q, MatrixOut momentum_by_v, MatrixOut rate_by_q,
                                  MatrixOut rate_by_v, MatrixOut rate_by_a) noexcept {
  const Index n = model.nv();
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .tangent(a)
      .result(momentum_by_q, 6, n)
      .result(momentum_by_v, 6, n)
      .result(rate_by_q, 6, n)
      .result(rate_by_v, 6, n)
      .result(rate_by_a, 6, n)
      .run([&] {
        centroidal_derivatives(model, data, q, v, a, momentum_by_q, momentum_by_v, rate_by_q, rate_by_v, rate_by_a);
      });
}
Status try_joint_wrench_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, JointId joint,
                                    MatrixOut by_q, MatrixOut by_v, MatrixOut by_a, ExternalsIn external) noexcept {
  const Index n = model.nv();
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .tangent(a)
      .wrenches(external)
      .result(by_q, 6, n)
      .result(by_v, 6, n)
      .result(by_a, 6, n)
      .run([&] { joint_wrench_derivatives(model, data, q, v, a, joint, by_q, by_v, by_a, external); });
}

// --- products with a vector ------------------------------------------------------------------------------------------

Status try_inverse_dynamics_jvp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn dq,
                                VectorIn dv, VectorIn da, VectorOut dtau, ExternalsIn external,
                                const JointEffects& effects) noexcept {
  return checked<"inverse_dynamics_jvp">(model, data, q, v, a, dq, dv, da, external, dtau).run([&] {
    inverse_dynamics_jvp(model, data, q, v, a, dq, dv, da, dtau, external, effects);
  });
}
Status try_inverse_dynamics_vjp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn w,
                                VectorOut by_q, VectorOut by_v, VectorOut by_a, ExternalsIn external,
                                const JointEffects& effects) noexcept {
  return checked<"inverse_dynamics_vjp">(model, data, q, v, a, w, external, by_q, by_v, by_a).run([&] {
    inverse_dynamics_vjp(model, data, q, v, a, w, by_q, by_v, by_a, external, effects);
  });
}
Status try_forward_dynamics_jvp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn dq, VectorIn dv, VectorIn dtau, VectorOut da,
                                ExternalsIn external, const JointEffects& effects) noexcept {
  return checked<"forward_dynamics_jvp">(model, data, q, v, tau, dq, dv, dtau, external, da).run([&] {
    forward_dynamics_jvp(model, data, factor, q, v, tau, dq, dv, dtau, da, external, effects);
  });
}
Status try_forward_dynamics_vjp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn w, VectorOut by_q, VectorOut by_v, VectorOut by_tau,
                                ExternalsIn external, const JointEffects& effects) noexcept {
  return checked<"forward_dynamics_vjp">(model, data, q, v, tau, w, external, by_q, by_v, by_tau).run([&] {
    forward_dynamics_vjp(model, data, factor, q, v, tau, w, by_q, by_v, by_tau, external, effects);
  });
}

// --- by parameters ---------------------------------------------------------------------------------------------------

Status try_inverse_dynamics_parameter_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                                  Parameter parameter, MatrixOut out, ExternalsIn external,
                                                  const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).wrenches(external).run([&] {
    inverse_dynamics_parameter_derivatives(model, data, q, v, a, parameter, out, external, effects);
  });
}
Status try_forward_dynamics_parameter_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                                  VectorIn v, VectorIn tau, Parameter parameter, MatrixOut out,
                                                  ExternalsIn external, const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(tau).wrenches(external).run([&] {
    forward_dynamics_parameter_derivatives(model, data, factor, q, v, tau, parameter, out, external, effects);
  });
}
Status try_inverse_dynamics_wrench_derivatives(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                               Reference reference, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).result(out, model.nv(), 6).run([&] {
    inverse_dynamics_wrench_derivatives(model, data, q, frame, reference, out);
  });
}
Status try_forward_dynamics_wrench_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                               FrameIn frame, Reference reference, MatrixOut out,
                                               const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).result(out, model.nv(), 6).run([&] {
    forward_dynamics_wrench_derivatives(model, data, factor, q, frame, reference, out, effects);
  });
}

// --- of second order -------------------------------------------------------------------------------------------------

Status try_inverse_dynamics_second_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                               SecondDerivatives& out, ExternalsIn external,
                                               const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).wrenches(external).run([&] {
    inverse_dynamics_second_derivatives(model, data, q, v, a, out, external, effects);
  });
}
Status try_forward_dynamics_second_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                               VectorIn v, VectorIn tau, ForwardSecondDerivatives& out,
                                               ExternalsIn external, const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(tau).wrenches(external).run([&] {
    forward_dynamics_second_derivatives(model, data, factor, q, v, tau, out, external, effects);
  });
}

}  // namespace zwang
