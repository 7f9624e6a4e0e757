// SPDX-License-Identifier: BSD-3-Clause
// Models: bodies, joints, transforms.
#include <rbdl/addons/urdfreader/urdfreader.h>

#include <map>

#include "bind.hpp"

namespace zwang::python::rbdl {

namespace {

const std::map<std::string, rb::JointType> k_types = {{"JointTypeRevoluteX", rb::JointTypeRevoluteX},
                                                      {"JointTypeRevoluteY", rb::JointTypeRevoluteY},
                                                      {"JointTypeRevoluteZ", rb::JointTypeRevoluteZ},
                                                      {"JointTypeSpherical", rb::JointTypeSpherical},
                                                      {"JointTypeEulerZYX", rb::JointTypeEulerZYX},
                                                      {"JointTypeEulerXYZ", rb::JointTypeEulerXYZ},
                                                      {"JointTypeEulerYXZ", rb::JointTypeEulerYXZ},
                                                      {"JointTypeEulerZXY", rb::JointTypeEulerZXY},
                                                      {"JointTypeTranslationXYZ", rb::JointTypeTranslationXYZ},
                                                      {"JointTypeFloatingBase", rb::JointTypeFloatingBase},
                                                      {"JointTypeFixed", rb::JointTypeFixed}};

rb::Joint joint_of_type(const std::string& type) {
  const auto found = k_types.find(type);
  if (found == k_types.end()) {
    std::string known;
    for (const auto& [name, value] : k_types) known += (known.empty() ? "" : ", ") + name;
    throw nb::value_error(("Joint.fromJointType: '" + type + "' is none of " + known).c_str());
  }
  return rb::Joint(found->second);
}

rb::Joint joint_of_axes(const std::vector<SpatialVector>& a) {
  switch (a.size()) {
    case 1: return rb::Joint(a[0]);
    case 2: return {a[0], a[1]};
    case 3: return {a[0], a[1], a[2]};
    case 4: return {a[0], a[1], a[2], a[3]};
    case 5: return {a[0], a[1], a[2], a[3], a[4]};
    case 6: return {a[0], a[1], a[2], a[3], a[4], a[5]};
    default: throw nb::value_error("Joint.fromJointAxes: expected one to six axes");
  }
}

void bind_parts(nb::module_& m) {
  using X = rb::Math::SpatialTransform;
  nb::class_<X>(m, "SpatialTransform", "From the coordinates of a frame to those of another: E turns, r is its origin.")
      .def(nb::init<>())
      .def(
          "__init__", [](X* self, const Matrix3& E, const Vector3d& r) { new (self) X(rb::Math::Matrix3d(E), r); },
          "E"_a, "r"_a)
      .def_prop_rw(
          "E", [](const X& x) { return Matrix3(x.E); }, [](X& x, const Matrix3& E) { x.E = E; }, "3 x 3.")
      .def_prop_rw(
          "r", [](const X& x) { return x.r; }, [](X& x, const Vector3d& r) { x.r = r; }, "In axes of the first frame.")
      .def(
          "toMatrix", [](const X& x) { return Eigen::Matrix<double, 6, 6>(x.toMatrix()); }, "6 x 6, of motions.")
      .def("inverse", &X::inverse, "The way back.")
      .def(
          "__mul__", [](const X& a, const X& b) { return a * b; }, nb::is_operator(), "First b, then this.");

  using B = rb::Body;
  nb::class_<B>(m, "Body", "Mass, centre of mass and inertia about it.")
      .def(nb::init<>())
      .def_static(
          "fromMassComInertia",
          [](double mass, const Vector3d& com, const Matrix3& I) { return B(mass, com, rb::Math::Matrix3d(I)); },
          "mass"_a, "com"_a, "inertia"_a, "The inertia is about the centre of mass.")
      .def_ro("mMass", &B::mMass, "[kg]")
      .def_prop_ro(
          "mCenterOfMass", [](const B& b) { return b.mCenterOfMass; }, "Body coordinates.")
      .def_prop_ro(
          "mInertia", [](const B& b) { return Matrix3(b.mInertia); }, "About the centre of mass.")
      .def_ro("mIsVirtual", &B::mIsVirtual, "Between the axes of a joint.");

  nb::class_<rb::Joint>(m, "Joint", "A joint, for Model.AddBody.")
      .def_static("fromJointType", &joint_of_type, "joint_type"_a, "By a name: JointTypeSpherical and so on.")
      .def_static("fromJointAxes", &joint_of_axes, "axes"_a, "One to six axes [angular; linear].")
      .def_ro("mDoFCount", &rb::Joint::mDoFCount, "Degrees of freedom.")
      .def_ro("q_index", &rb::Joint::q_index, "Where its coordinates begin.");
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_parts(m);
  using M = rb::Model;
  nb::class_<M>(m, "Model", "Bodies and joints, and what the last call computed of them.")
      .def(nb::init<>())
      .def("AddBody", &M::AddBody, "parent_id"_a, "joint_frame"_a, "joint"_a, "body"_a, "name"_a = "",
           "Adds a body behind a joint; returns its id.")
      .def("AppendBody", &M::AppendBody, "joint_frame"_a, "joint"_a, "body"_a, "name"_a = "",
           "The same behind the body that was added last.")
      .def(
          "GetBodyId", [](const M& model, const std::string& name) { return model.GetBodyId(name.c_str()); }, "name"_a,
          "The largest unsigned number where there is none.")
      .def("GetBodyName", &M::GetBodyName, "body_id"_a, "Empty where it has none.")
      .def("IsBodyId", &M::IsBodyId, "body_id"_a, "Whether there is such a body.")
      .def("IsFixedBodyId", &M::IsFixedBodyId, "body_id"_a, "Whether it is behind a fixed joint.")
      .def("GetParentBodyId", &M::GetParentBodyId, "body_id"_a, "Bodies between axes left out.")
      .def("GetJointFrame", &M::GetJointFrame, "body_id"_a, "In the parent's coordinates.")
      .def("SetJointFrame", &M::SetJointFrame, "body_id"_a, "transform"_a, "In the parent's coordinates.")
      .def(
          "SetBodyInertialParameters",
          [](M& model, unsigned int id, double mass, const Matrix3& I, const Vector3d& com) {
            model.SetBodyInertialParameters(id, mass, rb::Math::Matrix3d(I), com);
          },
          "body_id"_a, "mass"_a, "inertia"_a, "com"_a, "Of a movable or a fixed body.")
      .def("SetBodyMass", &M::SetBodyMass, "body_id"_a, "mass"_a, "[kg]")
      .def(
          "GetQuaternion",
          [](const M& model, unsigned int id, const VectorNd& q) {
            return Eigen::Vector4d(model.GetQuaternion(id, q));
          },
          "body_id"_a, "q"_a, "x, y, z, w of a spherical joint.")
      .def(
          "SetQuaternion",
          [](const M& model, unsigned int id, const Eigen::Vector4d& quaternion, Out q) {
            filled(q, [&](VectorNd& x) { model.SetQuaternion(id, rb::Math::Quaternion(quaternion), x); });
          },
          "body_id"_a, "quaternion"_a, "q"_a, "Into q.")
      .def_prop_rw(
          "gravity", [](const M& model) { return model.gravity; },
          [](M& model, const Vector3d& g) { model.gravity = g; }, "[m/s^2], at first (0, -9.81, 0).")
      .def_ro("dof_count", &M::dof_count, "Numbers in qdot.")
      .def_ro("q_size", &M::q_size, "Numbers in q.")
      .def_ro("qdot_size", &M::qdot_size, "Numbers in qdot.")
      .def_ro("previously_added_body_id", &M::previously_added_body_id, "The id of the last body.")
      .def_ro("fixed_body_discriminator", &M::fixed_body_discriminator, "The first id of fixed bodies.")
      .def_prop_ro(
          "mBodies", [](const M& x) { return x.mBodies; }, "Movable bodies, copies; 0 is the base.")
      .def_prop_ro(
          "mJoints", [](const M& x) { return x.mJoints; }, "Their joints, copies.")
      .def_prop_ro(
          "X_base", [](const M& x) { return x.X_base; }, "From base coordinates, of the last state.")
      .def_prop_ro(
          "X_lambda", [](const M& x) { return x.X_lambda; }, "From the parent's coordinates.")
      .def_prop_ro(
          "v", [](const M& x) { return x.v; }, "Velocities, body coordinates.")
      .def_prop_ro(
          "a", [](const M& x) { return x.a; }, "Spatial accelerations, body coordinates.");
  m.def(
      "loadModel",
      [](const std::string& path, bool floating_base, bool verbose) {
        auto model = std::make_unique<M>();
        rb::Addons::URDFReadFromFile(path.c_str(), model.get(), floating_base, verbose);
        return model.release();
      },
      "filename"_a, "floating_base"_a = false, "verbose"_a = false, nb::rv_policy::take_ownership,
      "A model of a URDF file.");
}

}  // namespace zwang::python::rbdl
