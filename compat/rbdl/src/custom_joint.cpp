// SPDX-License-Identifier: BSD-3-Clause
#include "custom_joint.hpp"

#include <cstdint>
#include <zwang/model/user_joint.hpp>

#include "robot.hpp"

namespace RigidBodyDynamics::detail {

namespace {

ProgramJoint& at(const double* parameters) {
  return *reinterpret_cast<ProgramJoint*>(static_cast<std::uintptr_t>(parameters[0]));
}
void write(const double* from, Math::VectorNd& to, const ProgramJoint& joint, int n) {
  for (int k = 0; k < n; ++k) to[joint.source->mJoints[joint.id].q_index + static_cast<unsigned int>(k)] = from[k];
}
zwang::Motion<double> motion(const Math::SpatialVector& x) {
  zwang::Motion<double> out;
  out.w = to(Math::Vector3d(x.head<3>()));
  out.v = to(Math::Vector3d(x.tail<3>()));
  return out;
}

template <int n> struct Functions {
  static constexpr const char* name = "custom";
  static constexpr int nq = n, nv = n;
  template <class S> static void transform(const S* q, const S* parameters, zwang::Transform<S>& X) {
    ProgramJoint& joint = at(parameters);
    write(q, joint.Q, joint, n);
    joint.joint().jcalc_X_lambda_S(*joint.source, joint.id, joint.Q);
    X = pose_of(joint.source->X_lambda[joint.id] * joint.source->X_T[joint.id].inverse());
  }
  template <class S> static void columns(const S* q, const S* parameters, zwang::Motion<S>* s) {
    ProgramJoint& joint = at(parameters);
    write(q, joint.Q, joint, n);
    joint.joint().jcalc_X_lambda_S(*joint.source, joint.id, joint.Q);
    const Math::MatrixNd& columns = joint.joint().S;
    check_shape("jcalc_X_lambda_S", columns, 6, n);
    for (int k = 0; k < n; ++k) s[k] = motion(columns.col(k));
  }
  /// RBDL's joints say dS/dt qdot alone: columns along it whose combination with qdot it is.
  template <class S> static void rates(const S* q, const S* v, const S* parameters, zwang::Motion<S>* r) {
    ProgramJoint& joint = at(parameters);
    write(q, joint.Q, joint, n);
    write(v, joint.QDot, joint, n);
    joint.joint().jcalc(*joint.source, joint.id, joint.Q, joint.QDot);
    double squared = 0;
    for (int k = 0; k < n; ++k) squared += v[k] * v[k];
    for (int k = 0; k < n; ++k)
      r[k] = motion(squared == 0 ? Math::SpatialVectorZero
                                 : Math::SpatialVector(v[k] / squared * joint.source->c_J[joint.id]));
  }
};

template <int n> std::shared_ptr<const zwang::UserJoint> functions() {
  auto out = std::make_shared<zwang::UserJoint>();
  out->name = Functions<n>::name;
  out->nq = out->nv = n;
  out->functions[0] = zwang::impl::functions_of<Functions<n>, double>();
  return out;
}

}  // namespace

void describe(ProgramJoint& joint, zwang::JointDescription& out) {
  out.type = "user";
  out.parameters = {static_cast<double>(reinterpret_cast<std::uintptr_t>(&joint))};
  switch (joint.joint().mDoFCount) {
    case 1: out.user = functions<1>(); break;
    case 2: out.user = functions<2>(); break;
    case 3: out.user = functions<3>(); break;
    case 4: out.user = functions<4>(); break;
    case 5: out.user = functions<5>(); break;
    default: out.user = functions<6>(); break;
  }
}

}  // namespace RigidBodyDynamics::detail
