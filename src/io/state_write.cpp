// SPDX-License-Identifier: BSD-3-Clause
#include "io/document.hpp"
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/io/state.hpp"

namespace zwang {
namespace {

using io::Json;

Json vector3(const Vec3<double>& x) { return Json::array({io::number(x.x), io::number(x.y), io::number(x.z)}); }
template <class X> Json six(const X& x) {
  Json list = Json::array();
  for (int k = 0; k < 6; ++k) list.push_back(io::number(x[k]));
  return list;
}
Json rows_of(const AllTerms::MatrixView& m) {
  Json all = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(io::number(m(i, j)));
    all.push_back(std::move(row));
  }
  return all;
}
Json vector(VectorView x) { return io::numbers(x.data(), static_cast<std::size_t>(x.size())); }

/// Pose and motion of a frame, from the stages that forward_kinematics filled.
Json moving(const Model& model, const Data& data, const std::string& name, FrameId frame) {
  const Transform<double> X = frame_pose(model, data, frame);
  return {{"name", name},
          {"position", vector3(X.p)},
          {"rotation", Json::array({vector3(X.R.r0), vector3(X.R.r1), vector3(X.R.r2)})},
          {"velocity", six(frame_velocity(model, data, frame, Reference::local_world_aligned))},
          {"acceleration",
           six(frame_acceleration(model, data, frame, AccelerationKind::classical, Reference::local_world_aligned))}};
}

Json document(const Model& model, VectorIn q, VectorIn v, VectorIn a) {
  Data data(model);
  AllTerms terms(model);
  Json out = {{"format", "zwang.state"},
              {"version", k_state_version},
              {"model", model.name()},
              {"names", model.coordinate_names()}};
  out["tau"] = vector(inverse_dynamics(model, data, q, v, a));  // checks the arguments first
  out["q"] = io::numbers(q.data(), static_cast<std::size_t>(q.size()));
  out["v"] = io::numbers(v.data(), static_cast<std::size_t>(v.size()));
  out["a"] = io::numbers(a.data(), static_cast<std::size_t>(a.size()));
  all_terms(model, data, q, v, terms);
  out["mass_matrix"] = rows_of(terms.mass_matrix());
  out["coriolis_matrix"] = rows_of(terms.coriolis_matrix());
  out["bias_forces"] = vector(terms.bias_forces());
  out["gravity_forces"] = vector(terms.gravity_forces());
  out["kinetic_energy"] = io::number(terms.kinetic_energy);
  out["potential_energy"] = io::number(terms.potential_energy);
  out["centre_of_mass"] = vector3(terms.centre_of_mass);
  out["centre_of_mass_velocity"] = vector3(terms.centre_of_mass_velocity);
  out["centre_of_mass_acceleration"] = vector3(centre_of_mass_acceleration(model, data, q, v, a));
  out["centroidal_momentum"] = six(centroidal_momentum(model, data, q, v));
  out["centroidal_map"] = rows_of(terms.centroidal_map());
  forward_kinematics(model, data, q, v, a);
  Json links = Json::array(), frames = Json::array();
  for (const Link& link : model.links()) links.push_back(moving(model, data, link.name, link.frame));
  for (std::size_t k = 0; k < model.frames().size(); ++k)
    if (model.frames()[k].kind != Frame::Kind::link)
      frames.push_back(moving(model, data, model.frames()[k].name, FrameId{static_cast<Index>(k)}));
  out["links"] = std::move(links);
  out["frames"] = std::move(frames);
  return out;
}

}  // namespace

std::string state_json(const Model& model, VectorIn q, VectorIn v, VectorIn a) {
  return io::json_text(document(model, q, v, a));
}
std::vector<std::uint8_t> state_cbor(const Model& model, VectorIn q, VectorIn v, VectorIn a) {
  return io::cbor_bytes(document(model, q, v, a));
}
std::size_t state_json(const Model& model, VectorIn q, VectorIn v, VectorIn a, std::span<std::byte> out) {
  return io::json_into(document(model, q, v, a), out);
}
std::size_t state_cbor(const Model& model, VectorIn q, VectorIn v, VectorIn a, std::span<std::byte> out) {
  return io::cbor_into(document(model, q, v, a), out);
}

}  // namespace zwang
