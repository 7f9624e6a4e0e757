// SPDX-License-Identifier: BSD-3-Clause
// MuJoCo as a peer: its smooth dynamics (its contacts are soft and solve another problem).
//
// The model is an MJCF text made from the bodies. A free joint's linear velocity is in world axes here, in body axes
// there: v_mujoco = T v with T = diag(R, 1), and its linear acceleration R (a + w x v). States and results are turned
// outside of what is timed.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugin.hpp"

namespace peers {
namespace {

const ZwangPeerAlgorithm k_algorithms[] = {
    {ZWANG_PEER_FK, "mj_kinematics"},
    {ZWANG_PEER_RNEA, "mj_kinematics, comPos, comVel, rne"},
    {ZWANG_PEER_ABA, "mj_kinematics, comPos, makeM, factorM, comVel, rne, solveM"},
    {ZWANG_PEER_CRBA, "mj_kinematics, comPos, makeM"},
    {ZWANG_PEER_MINVERSE, "mj_kinematics, comPos, makeM, factorM, solveM of all columns"},
    {ZWANG_PEER_CHOLESKY_SOLVE, "mj_kinematics, comPos, makeM, factorM, solveM"},
    {ZWANG_PEER_JACOBIAN, "mj_kinematics, comPos, jac"},
    {ZWANG_PEER_FRAME_JACOBIAN, "mj_kinematics, comPos, jac"}};

std::string numbers(const double* x, int n) {
  std::string out;
  char text[32];
  for (int k = 0; k < n; ++k) {
    std::snprintf(text, sizeof text, "%s%.17g", k ? " " : "", x[k]);
    out += text;
  }
  return out;
}

/// The body and everything that hangs on it, as MJCF.
void write_body(const ZwangPeerProblem& p, int i, std::string& out) {
  const ZwangPeerBody& b = p.body[i];
  double quaternion[4];
  mju_mat2Quat(quaternion, b.rotation);
  const double* const c = b.inertia;
  const double full[6] = {c[0], c[3], c[5], c[1], c[2], c[4]};
  out += "<body pos='" + numbers(b.translation, 3) + "' quat='" + numbers(quaternion, 4) + "'>";
  if (b.joint == 'f')
    out += "<freejoint/>";
  else
    out += std::string("<joint type='") + (b.joint == 'p' ? "slide" : "hinge") + "' axis='0 0 1' armature='" +
           numbers(&b.armature, 1) + "'/>";
  if (b.mass > 0)
    out += "<inertial mass='" + numbers(&b.mass, 1) + "' pos='" + numbers(b.centre, 3) + "' fullinertia='" +
           numbers(full, 6) + "'/>";
  for (int k = i + 1; k < p.bodies; ++k)
    if (p.body[k].parent == i + 1) write_body(p, k, out);
  out += "</body>";
}

class MuJoCo {
 public:
  explicit MuJoCo(const ZwangPeerProblem& problem) : p_(problem) {
    std::string text =
        "<mujoco><compiler angle='radian' autolimits='false' inertiafromgeom='false'/><option gravity='" +
        numbers(p_.gravity, 3) + "'/><worldbody>";
    for (int i = 0; i < p_.bodies; ++i) {
      if (p_.body[i].parent == 0) write_body(p_, i, text);
      const double* const R = p_.body[i].rotation;
      const double* const r = p_.body[i].translation;
      if (p_.body[i].joint == 'f' && (R[0] + R[4] + R[8] != 3 || r[0] != 0 || r[1] != 0 || r[2] != 0))
        throw std::runtime_error("the free joint is not at the origin");
    }
    text += "</worldbody></mujoco>";
    char error[512] = "";
    mjSpec* const spec = mj_parseXMLString(text.c_str(), nullptr, error, sizeof error);
    if (spec == nullptr) throw std::runtime_error(error);
    model_ = mj_compile(spec, nullptr);
    if (model_ == nullptr) std::snprintf(error, sizeof error, "%s", mjs_getError(spec));
    mj_deleteSpec(spec);
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
    convert();
    if (p_.contacts > 0) contact_body_ = p_.contact[0].body;
    const auto nv = static_cast<std::size_t>(p_.nv);
    vector_.resize(nv);
    matrix_.resize(nv * nv);
    identity_.resize(nv * nv);
    jacobian_.resize(6 * nv);
    for (std::size_t k = 0; k < nv; ++k) identity_[k * (nv + 1)] = 1;
  }
  ~MuJoCo() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MuJoCo(const MuJoCo&) = delete;
  MuJoCo& operator=(const MuJoCo&) = delete;

  int algorithms(const ZwangPeerAlgorithm** out) const {
    *out = k_algorithms;
    return static_cast<int>(sizeof k_algorithms / sizeof k_algorithms[0]);
  }
  void run(int algorithm, int state) {
    const ZwangPeerTask task = k_algorithms[algorithm].task;
    const auto at = [&](const std::vector<double>& x, int n) { return x.data() + n * state; };
    const auto load = [&](mjtNum* to, const std::vector<double>& x, int n) { std::copy_n(at(x, n), n, to); };
    const int nv = p_.nv;
    load(data_->qpos, q_, p_.nq);
    mj_kinematics(model_, data_);
    if (task == ZWANG_PEER_FK) return;
    mj_comPos(model_, data_);
    if (task == ZWANG_PEER_JACOBIAN || task == ZWANG_PEER_FRAME_JACOBIAN) {
      mjtNum point[3];
      mju_mulMatVec3(point, data_->xmat + 9 * contact_body_, p_.contact[0].translation);
      mju_addTo3(point, data_->xpos + 3 * contact_body_);
      mj_jac(model_, data_, jacobian_.data(), jacobian_.data() + 3 * nv, point, contact_body_);
      return;
    }
    if (task != ZWANG_PEER_RNEA) mj_makeM(model_, data_);
    if (task == ZWANG_PEER_CRBA) return;
    if (task != ZWANG_PEER_RNEA) mj_factorM(model_, data_);
    if (task == ZWANG_PEER_MINVERSE) {
      mj_solveM(model_, data_, matrix_.data(), identity_.data(), nv);
      return;
    }
    if (task == ZWANG_PEER_CHOLESKY_SOLVE) {
      mj_solveM(model_, data_, vector_.data(), at(tau_, nv), 1);
      return;
    }
    load(data_->qvel, v_, nv);
    mj_comVel(model_, data_);
    if (task == ZWANG_PEER_RNEA) {
      load(data_->qacc, a_, nv);
      mj_rne(model_, data_, 1, vector_.data());
      for (int k = 0; k < nv; ++k) vector_[static_cast<std::size_t>(k)] += model_->dof_armature[k] * data_->qacc[k];
      return;
    }
    mj_rne(model_, data_, 0, data_->qfrc_bias);
    mju_sub(data_->qfrc_smooth, at(tau_, nv), data_->qfrc_bias, nv);
    mj_solveM(model_, data_, vector_.data(), data_->qfrc_smooth, 1);
  }

  void result(int algorithm, int state, double* out) {
    const int nv = p_.nv;
    switch (k_algorithms[algorithm].task) {
      case ZWANG_PEER_FK:
        for (int i = 1; i <= p_.bodies; ++i) {
          std::copy_n(data_->xmat + 9 * i, 9, out);
          std::copy_n(data_->xpos + 3 * i, 3, out + 9);
          out += 12;
        }
        break;
      case ZWANG_PEER_RNEA:
        std::copy_n(vector_.data(), nv, out);
        turn(state, out, 1, 1, true);
        break;
      case ZWANG_PEER_CRBA:
        mj_fullM(model_, data_, out);
        turn_both(state, out);
        break;
      case ZWANG_PEER_MINVERSE:
        std::copy_n(matrix_.data(), nv * nv, out);
        turn_both(state, out);
        break;
      case ZWANG_PEER_JACOBIAN:
      case ZWANG_PEER_FRAME_JACOBIAN:
        for (int r = 0; r < 6; ++r)
          for (int c = 0; c < nv; ++c) out[r + 6 * c] = jacobian_[static_cast<std::size_t>(r * nv + c)];
        for (int r = 0; r < 6; ++r) turn(state, out + r, 6, 1, true);
        break;
      default:
        std::copy_n(vector_.data(), nv, out);
        turn(state, out, 1, 1, true);
        if (k_algorithms[algorithm].task == ZWANG_PEER_ABA) subtract_spin(state, out);
    }
  }

 private:
  /// Calls f(R, first coordinate, first number of q) for every free joint in a state.
  template <class F> void for_free(int state, F&& f) const {
    for (int i = 0, q = 0, v = 0; i < p_.bodies; ++i) {
      const bool is_free = p_.body[i].joint == 'f';
      if (is_free) {
        const double* const x = p_.q + p_.nq * state + q + 3;
        const double wxyz[4] = {x[3], x[0], x[1], x[2]};
        double R[9];
        mju_quat2Mat(R, wxyz);
        f(R, v, q);
      }
      q += is_free ? 7 : 1;
      v += is_free ? 6 : 1;
    }
  }
  /// Linear parts of vectors with the given stride between numbers: R^T x, or R x.
  void turn(int state, double* x, int stride, int count, bool transposed) const {
    for_free(state, [&](const double* R, int v, int) {
      for (int k = 0; k < count; ++k) {
        double* const y = x + (v * stride) + k;
        const double in[3] = {y[0], y[stride], y[2 * stride]};
        double turned[3];
        if (transposed)
          mju_mulMatTVec3(turned, R, in);
        else
          mju_mulMatVec3(turned, R, in);
        for (int j = 0; j < 3; ++j) y[j * stride] = turned[j];
      }
    });
  }
  /// T^T X T
  void turn_both(int state, double* X) const {
    for (int k = 0; k < p_.nv; ++k) turn(state, X + k * p_.nv, 1, 1, true);
    for (int k = 0; k < p_.nv; ++k) turn(state, X + k, p_.nv, 1, true);
  }
  void subtract_spin(int state, double* a) const {
    for_free(state, [&](const double*, int v, int) {
      const double* const twist = p_.v + p_.nv * state + v;
      double spin[3];
      mju_cross(spin, twist + 3, twist);
      mju_subFrom3(a + v, spin);
    });
  }
  void convert() {
    const auto copied = [&](const double* x, int n) { return std::vector<double>(x, x + n * p_.states); };
    q_ = copied(p_.q, p_.nq);
    v_ = copied(p_.v, p_.nv);
    a_ = copied(p_.a, p_.nv);
    tau_ = copied(p_.tau, p_.nv);
    for (int s = 0; s < p_.states; ++s) {
      for_free(s, [&](const double*, int v, int q) {
        double* const x = q_.data() + p_.nq * s + q + 3;
        std::rotate(x, x + 3, x + 4);
        double spin[3];
        const double* const twist = p_.v + p_.nv * s + v;
        mju_cross(spin, twist + 3, twist);
        mju_addTo3(a_.data() + p_.nv * s + v, spin);
      });
      for (std::vector<double>* x : {&v_, &a_, &tau_}) turn(s, x->data() + p_.nv * s, 1, 1, false);
    }
  }

  ZwangPeerProblem p_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  int contact_body_ = 0;
  std::vector<double> q_, v_, a_, tau_, vector_, matrix_, identity_, jacobian_;
};

}  // namespace
}  // namespace peers

extern "C" __attribute__((visibility("default"))) const ZwangPeer* zwang_peer(void) {
  static const ZwangPeer peer = peers::plugin<peers::MuJoCo>(
      "mujoco", mj_versionString(),
      "the library as its wheel brings it, for any x86-64; its contacts are soft, not compared");
  return &peer;
}
