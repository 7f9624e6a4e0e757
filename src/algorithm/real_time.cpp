// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/real_time.hpp"

#include <algorithm>

#include "algorithm/support.hpp"
#include "zwang/core/all_finite.hpp"

namespace zwang {

namespace {

/// Checks the arguments of a call one after the other, without exceptions. `run` calls it if all are valid.
class Arguments {
 public:
  Arguments(const Model& model, const Data& data) noexcept : model_(model), data_(data) {
    require(data.made_for(model));
  }
  Arguments& configuration(VectorIn q) noexcept {
    vector(q, model_.nq());
    if (status_ == Status::ok) require(detail::normalized_within(data_.tree(), q.data(), k_unit_tolerance));
    return *this;
  }
  Arguments& tangent(VectorIn v) noexcept {
    vector(v, model_.nv());
    return *this;
  }
  Arguments& frame(const FrameIn& frame) noexcept {
    const FrameId id = frame.named() ? model_.find_frame(frame.name()) : frame.id();
    require(id.value >= 0 && id.value < static_cast<Index>(model_.frames().size()));
    return *this;
  }
  Arguments& point(const Vec3<double>& p) noexcept {
    require_finite(is_finite(p.x) && is_finite(p.y) && is_finite(p.z));
    return *this;
  }
  Arguments& wrenches(ExternalsIn external) noexcept {
    const Status s = detail::status_of(model_, external);
    if (status_ == Status::ok) status_ = s;
    return *this;
  }
  template <class Out> Arguments& result(const Out& out, Index rows, Index columns) noexcept {
    require(out.rows() == rows && out.cols() == columns);
    return *this;
  }
  template <class Call> Status run(const Call& call) const noexcept {
    if (status_ != Status::ok) return status_;
    try {
      call();
    } catch (const SingularMassError&) { return Status::singular_mass; } catch (const ArithmeticOverflowError&) {
      return Status::overflow;
    } catch (...) {  // unsupported cases
      return Status::invalid_input;
    }
    return Status::ok;
  }

 private:
  void vector(VectorIn x, Index size) noexcept {
    require(x.size() == size);
    if (status_ == Status::ok) require_finite(all_finite(x.data(), x.size()));
  }
  void require(bool holds) noexcept {
    if (status_ == Status::ok && !holds) status_ = Status::invalid_input;
  }
  void require_finite(bool holds) noexcept {
    if (status_ == Status::ok && !holds) status_ = Status::non_finite_input;
  }

  const Model& model_;
  const Data& data_;
  Status status_ = Status::ok;
};

void give(const VectorView& from, VectorOut& out) { std::copy_n(from.data(), from.size(), out.data()); }
Index links(const Model& model) { return static_cast<Index>(model.links().size()); }

}  // namespace

// --- kinematics -----------------------------------------------------------------------------------------------------

Status try_forward_kinematics(const Model& model, Data& data, VectorIn q) noexcept {
  return Arguments(model, data).configuration(q).run([&] { forward_kinematics(model, data, q); });
}
Status try_forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] { forward_kinematics(model, data, q, v); });
}
Status try_forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).run([&] {
    forward_kinematics(model, data, q, v, a);
  });
}
Status try_frame_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, Transform<double>& out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).run([&] { out = frame_pose(model, data, q, frame); });
}
Status try_frame_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                          Motion<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).frame(frame).run([&] {
    out = frame_velocity(model, data, q, v, frame, reference);
  });
}
Status try_frame_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                              AccelerationKind kind, Reference reference, Motion<double>& out,
                              bool with_gravity) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).frame(frame).run([&] {
    out = frame_acceleration(model, data, q, v, a, frame, kind, reference, with_gravity);
  });
}
Status try_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                    MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).result(out, 6, model.nv()).run([&] {
    jacobian(model, data, q, frame, reference, out);
  });
}
Status try_jacobian_dot(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                        MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).frame(frame).result(out, 6, model.nv()).run([&] {
    jacobian_dot(model, data, q, v, frame, reference, out);
  });
}
Status try_jacobian_at(const Model& model, Data& data, VectorIn q, FrameIn frame, const Vec3<double>& point,
                       MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).point(point).result(out, 6, model.nv()).run([&] {
    jacobian_at(model, data, q, frame, point, out);
  });
}
Status try_relative_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                         Transform<double>& out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).frame(seen_from).run([&] {
    out = relative_pose(model, data, q, frame, seen_from);
  });
}
Status try_relative_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, FrameIn seen_from,
                             Reference reference, Motion<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).frame(frame).frame(seen_from).run([&] {
    out = relative_velocity(model, data, q, v, frame, seen_from, reference);
  });
}
Status try_relative_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                             Reference reference, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).frame(seen_from).result(out, 6, model.nv()).run([&] {
    relative_jacobian(model, data, q, frame, seen_from, reference, out);
  });
}

// --- dynamics -------------------------------------------------------------------------------------------------------

Status try_bias_forces(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out, ExternalsIn external,
                       const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).result(out, model.nv(), 1).wrenches(external).run([&] {
    give(bias_forces(model, data, q, v, external, effects), out);
  });
}
Status try_gravity_forces(const Model& model, Data& data, VectorIn q, VectorOut out) noexcept {
  return Arguments(model, data).configuration(q).result(out, model.nv(), 1).run([&] {
    give(gravity_forces(model, data, q), out);
  });
}
Status try_static_torque(const Model& model, Data& data, VectorIn q, VectorOut out, ExternalsIn external,
                         const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).result(out, model.nv(), 1).wrenches(external).run([&] {
    give(static_torque(model, data, q, external, effects), out);
  });
}
Status try_mass_matrix(const Model& model, Data& data, VectorIn q, MatrixOut out,
                       const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).result(out, model.nv(), model.nv()).run([&] {
    mass_matrix(model, data, q, out, effects);
  });
}
Status try_coriolis_matrix(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).result(out, model.nv(), model.nv()).run([&] {
    coriolis_matrix(model, data, q, v, out);
  });
}
Status try_kinetic_energy(const Model& model, Data& data, VectorIn q, VectorIn v, double& out,
                          const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] {
    out = kinetic_energy(model, data, q, v, effects);
  });
}
Status try_potential_energy(const Model& model, Data& data, VectorIn q, double& out,
                            const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).run([&] { out = potential_energy(model, data, q, effects); });
}
Status try_mechanical_energy(const Model& model, Data& data, VectorIn q, VectorIn v, double& out,
                             const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] {
    out = mechanical_energy(model, data, q, v, effects);
  });
}

// --- centre of mass and momentum ------------------------------------------------------------------------------------

Status try_centre_of_mass(const Model& model, Data& data, VectorIn q, Vec3<double>& out) noexcept {
  return Arguments(model, data).configuration(q).run([&] { out = centre_of_mass(model, data, q); });
}
Status try_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, Vec3<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] {
    out = centre_of_mass_velocity(model, data, q, v);
  });
}
Status try_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                       Vec3<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).run([&] {
    out = centre_of_mass_acceleration(model, data, q, v, a);
  });
}
Status try_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).result(out, 3, model.nv()).run([&] {
    centre_of_mass_jacobian(model, data, q, out);
  });
}
Status try_centroidal_map(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).result(out, 6, model.nv()).run([&] {
    centroidal_map(model, data, q, out);
  });
}
Status try_centroidal_map_dot(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).result(out, 6, model.nv()).run([&] {
    centroidal_map_dot(model, data, q, v, out);
  });
}
Status try_centroidal_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, Force<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] { out = centroidal_momentum(model, data, q, v); });
}
Status try_centroidal_momentum_rate(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                    Force<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).run([&] {
    out = centroidal_momentum_rate(model, data, q, v, a);
  });
}
Status try_centroidal_inertia(const Model& model, Data& data, VectorIn q, Inertia<double>& out) noexcept {
  return Arguments(model, data).configuration(q).run([&] { out = centroidal_inertia(model, data, q); });
}

// --- subtrees, columns, regressors ----------------------------------------------------------------------------------

Status try_subtree_centre_of_mass(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                  Vec3<double>& out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).run([&] {
    out = subtree_centre_of_mass(model, data, q, frame);
  });
}
Status try_subtree_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                           Vec3<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).frame(frame).run([&] {
    out = subtree_centre_of_mass_velocity(model, data, q, v, frame);
  });
}
Status try_subtree_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                               FrameIn frame, Vec3<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).frame(frame).run([&] {
    out = subtree_centre_of_mass_acceleration(model, data, q, v, a, frame);
  });
}
Status try_subtree_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                           MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).result(out, 3, model.nv()).run([&] {
    subtree_centre_of_mass_jacobian(model, data, q, frame, out);
  });
}
Status try_composite_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Inertia<double>& out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).run([&] {
    out = composite_inertia(model, data, q, frame);
  });
}
Status try_composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                  MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).frame(frame).result(out, 6, 6).run([&] {
    composite_inertia_rate(model, data, q, v, frame, out);
  });
}
Status try_articulated_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, MatrixOut out,
                               const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).result(out, 6, 6).run([&] {
    articulated_inertia(model, data, q, frame, out, effects);
  });
}
Status try_body_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                         Force<double>& out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).frame(frame).run([&] {
    out = body_momentum(model, data, q, v, frame);
  });
}
Status try_kinematic_hessian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                             VectorOut out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).result(out, 6 * model.nv() * model.nv(), 1).run([&] {
    kinematic_hessian(model, data, q, frame, reference, out);
  });
}
Status try_column_rates(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut S,
                        MatrixOut psi_dot, MatrixOut psi_ddot) noexcept {
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .tangent(a)
      .result(S, 6, model.nv())
      .result(psi_dot, 6, model.nv())
      .result(psi_ddot, 6, model.nv())
      .run([&] { column_rates(model, data, q, v, a, S, psi_dot, psi_ddot); });
}
Status try_inverse_dynamics_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                      MatrixOut out) noexcept {
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .tangent(a)
      .result(out, model.nv(), 10 * links(model))
      .run([&] { inverse_dynamics_regressor(model, data, q, v, a, out); });
}
Status try_frame_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                           MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).frame(frame).result(out, 6, 10).run([&] {
    frame_regressor(model, data, q, v, a, frame, out);
  });
}
Status try_kinetic_energy_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).result(out, 10 * links(model), 1).run([&] {
    kinetic_energy_regressor(model, data, q, v, out);
  });
}
Status try_potential_energy_regressor(const Model& model, Data& data, VectorIn q, VectorOut out) noexcept {
  return Arguments(model, data).configuration(q).result(out, 10 * links(model), 1).run([&] {
    potential_energy_regressor(model, data, q, out);
  });
}
Status try_momentum_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).result(out, 6, 10 * links(model)).run([&] {
    momentum_regressor(model, data, q, v, out);
  });
}
Status try_static_regressor(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept {
  return Arguments(model, data).configuration(q).result(out, 3, 4 * links(model)).run([&] {
    static_regressor(model, data, q, out);
  });
}

Status try_kinematic_regressor(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                               MatrixOut out) noexcept {
  return Arguments(model, data)
      .configuration(q)
      .frame(frame)
      .result(out, 6, 6 * static_cast<Index>(model.joints().size()))
      .run([&] { kinematic_regressor(model, data, q, frame, reference, out); });
}

Status try_supported_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Inertia<double>& out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).run([&] {
    out = supported_inertia(model, data, q, frame);
  });
}
Status try_supported_force(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                           Force<double>& out, ExternalsIn external) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).frame(frame).wrenches(external).run([&] {
    out = supported_force(model, data, q, v, a, frame, external);
  });
}

Status try_inverse_dynamics_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                        MatrixOut by_q, MatrixOut by_v, MatrixOut by_a, ExternalsIn external,
                                        const JointEffects& effects) noexcept {
  const Index n = model.nv();
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .tangent(a)
      .wrenches(external)
      .result(by_q, n, n)
      .result(by_v, n, n)
      .result(by_a, n, n)
      .run([&] { inverse_dynamics_derivatives(model, data, q, v, a, by_q, by_v, by_a, external, effects); });
}
Status try_forward_dynamics_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                        VectorIn tau, MatrixOut by_q, MatrixOut by_v, MatrixOut by_tau,
                                        ExternalsIn external, const JointEffects& effects) noexcept {
  const Index n = model.nv();
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .tangent(tau)
      .wrenches(external)
      .result(by_q, n, n)
      .result(by_v, n, n)
      .result(by_tau, n, n)
      .run(
          [&] { forward_dynamics_derivatives(model, data, factor, q, v, tau, by_q, by_v, by_tau, external, effects); });
}
Status try_bias_forces_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q,
                                   MatrixOut by_v, ExternalsIn external, const JointEffects& effects) noexcept {
  const Index n = model.nv();
  return Arguments(model, data)
      .configuration(q)
      .tangent(v)
      .wrenches(external)
      .result(by_q, n, n)
      .result(by_v, n, n)
      .run([&] { bias_forces_derivatives(model, data, q, v, by_q, by_v, external, effects); });
}
Status try_gravity_forces_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q) noexcept {
  return Arguments(model, data).configuration(q).result(by_q, model.nv(), model.nv()).run([&] {
    gravity_forces_derivatives(model, data, q, by_q);
  });
}
Status try_static_torque_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q, ExternalsIn external,
                                     const JointEffects& effects) noexcept {
  return Arguments(model, data).configuration(q).wrenches(external).result(by_q, model.nv(), model.nv()).run([&] {
    static_torque_derivatives(model, data, q, by_q, external, effects);
  });
}

}  // namespace zwang
