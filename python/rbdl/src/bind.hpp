// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of RBDL's names have in common. Results of calls go into arrays of the caller, as in RBDL's own
// module.
#pragma once
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_utils.h>

#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

namespace zwang::python::rbdl {

namespace nb = nanobind;
namespace rb = RigidBodyDynamics;
using namespace nb::literals;
using rb::Math::MatrixNd;
using rb::Math::SpatialVector;
using rb::Math::Vector3d;
using rb::Math::VectorNd;
using Matrix3 = Eigen::Matrix3d;
using Wrenches = std::optional<std::vector<SpatialVector>>;

/// An array that a call writes, of float64.
using Out = Eigen::Ref<VectorNd>;
using Out3 = std::optional<Eigen::Ref<VectorNd>>;
using OutMatrix = nb::DRef<MatrixNd>;

/// call(x) with a copy of the array, which goes back into it.
template <class F> void filled(Out out, F&& call) {
  VectorNd x = out;
  call(x);
  out = x;
}
template <class F> void filled(OutMatrix out, F&& call) {
  MatrixNd x = out;
  call(x);
  out = x;
}
inline std::vector<SpatialVector>* pointer(Wrenches& wrenches) { return wrenches ? &*wrenches : nullptr; }

void bind_model(nb::module_& m);
void bind_constraints(nb::module_& m);
void bind_calls(nb::module_& m);

}  // namespace zwang::python::rbdl
