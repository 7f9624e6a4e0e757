// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/model/data_size.hpp"

#include "zwang/model/stages.hpp"

namespace zwang {
namespace {

/// Buffers fill whole cache lines.
std::size_t lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
template <class... T> std::size_t bytes(const Buffer<T>&... buffer) {
  return (lines(static_cast<std::size_t>(buffer.size()) * sizeof(T)) + ... + 0);
}

}  // namespace

std::vector<StageSize> stage_sizes(const Data& d) {
  const ArticulatedStage<double>& a = d.articulated;
  const SharedStage<double>& s = d.shared;
  const std::size_t links = d.model().links().size();
  return {
      {"position", bytes(d.position.placement, d.position.centre), "all but inverse dynamics"},
      {"velocity", bytes(d.velocity.twist, d.velocity.bias), "kinematics, forward dynamics"},
      {"acceleration", bytes(d.acceleration.joint), "kinematics, forward dynamics"},
      {"force", bytes(d.force.external, d.force.joint), "external wrenches"},
      {"columns", bytes(a.column), "Jacobians, mass matrix, forward dynamics"},
      {"careful", bytes(a.careful.reduced, a.careful.size, a.careful.first, a.careful.next),
       "forward dynamics where joints are nearly coaxial"},
      {"given", bytes(a.is_given, a.given, a.given_force), "prescribed accelerations"},
      {"shared", bytes(s.slot, s.slot_of, s.begin, s.D, s.E, s.u, s.gross, s.value, s.done, s.order), "mimic joints"},
      {"mass", bytes(d.mass.composite, d.mass.force), "mass matrix, centre of mass, centroidal quantities"},
      {"momentum", bytes(d.momentum.composite, d.momentum.rate, d.momentum.force),
       "Coriolis matrix, rate of the centroidal map, regressor"},
      {"derivative", bytes(d.derivative.variation, d.derivative.subtree, d.derivative.product, d.derivative.outside),
       "derivatives of dynamics"},
      {"inertia", bytes(d.inertia, d.excess, d.lanes.inertia),
       "inertias of bodies, once more four side by side: all dynamics"},
      {"overrides", 2 * lines(links * sizeof(Inertia<double>)),
       "set_inertia, set_payload: inertia and load of every link"},
      {"inverse", bytes(d.lanes.inverse), "inverse dynamics"},
      {"levels", bytes(d.level, d.lanes.own), "forward dynamics: articulated inertias"},
      {"stacks", bytes(d.lanes.entered, d.lanes.waiting, d.local), "sweeps: bodies with children to come"},
      {"angles", bytes(d.sin, d.cos), "sines and cosines: all"},
      {"spanning", bytes(d.q_spanning, d.v_spanning, d.a_spanning, d.tau_spanning), "mimic joints"},
      {"results", bytes(d.q, d.torque, d.acceleration_out, d.bias_out, d.gravity_out, d.work), "vectors of nv numbers"},
      {"object", sizeof(Data), "the object itself"},
  };
}

std::size_t bytes_of(const Data& data) {
  std::size_t sum = 0;
  for (const StageSize& stage : stage_sizes(data)) sum += stage.bytes;
  return sum;
}

}  // namespace zwang
