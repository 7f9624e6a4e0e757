// SPDX-License-Identifier: BSD-3-Clause
// States of a batch whose joints have Coulomb friction. What friction does at rest is found by trying which joints
// stick (algorithm/friction_at_rest.hpp), so that forward dynamics is done one state after the other, whichever of them
// rest: a state's bits depend on it alone. Derivatives stay in lanes; a state at rest has none.
#pragma once
#include <string_view>

#include "algorithm/friction_at_rest.hpp"
#include "batch/batch_impl.hpp"
#include "zwang/algorithm/algorithm_row.hpp"
#include "zwang/algorithm/real_time.hpp"

namespace zwang {

template <class T> class FrictionStates {
 public:
  /// Before the threads begin: whether it has anything to do for this task.
  bool begin(const Model& model, const Algorithm& row, const JointEffects& effects, const BatchCall<T>& c,
             int threads) {
    const std::string_view name = row.name;
    if (!effects.friction || model.tree<double>().passive == nullptr || name.substr(0, 16) != "forward_dynamics")
      return false;
    effects_ = effects;
    forward_ = name == "forward_dynamics";
    if (forward_)
      while (static_cast<int>(one_.size()) < threads) one_.push_back(std::make_unique<One>(model));
    else
      rests_.assign(static_cast<std::size_t>(c.states), 0);
    for (const std::unique_ptr<One>& x : one_) x->external.resize(static_cast<std::size_t>(c.wrenches));
    return true;
  }
  template <class Lanes>
  void run(const Model& model, int thread, const BatchCall<T>& c, long first, long last, Lanes&& lanes) {
    if (forward_) {
      for (long s = first; s < last; ++s)
        c.status[s] = static_cast<unsigned char>(forward(model, *one_[static_cast<std::size_t>(thread)], c, s));
      return;
    }
    const std::vector<double>& friction = model.friction();
    for (long s = first; s < last; ++s)
      for (Index k = 0; k < model.nv(); ++k)
        if (friction[static_cast<std::size_t>(k)] > 0 && (c.in[1].data == nullptr || number_of(c.in[1], s, k) == T(0)))
          rests_[static_cast<std::size_t>(s)] = 1;
    lanes();
    for (long s = first; s < last; ++s)
      if (rests_[static_cast<std::size_t>(s)] != 0 && c.status[s] == static_cast<unsigned char>(Status::ok))
        c.status[s] = static_cast<unsigned char>(Status::not_differentiable);
  }

 private:
  struct One {
    explicit One(const Model& model) : data(model), q(model.nq()), v(model.nv()), tau(model.nv()), out(model.nv()) {}
    Data data;
    Eigen::VectorXd q, v, tau, out;
    Externals external;
  };

  Status forward(const Model& model, One& x, const BatchCall<T>& c, long s) const {
    Eigen::VectorXd* const to[] = {&x.q, &x.v, &x.tau};
    for (int i = 0; i < 3; ++i)
      for (Index k = 0; k < static_cast<Index>(to[i]->size()); ++k)
        (*to[i])[k] = c.in[i].data != nullptr ? static_cast<double>(number_of(c.in[i], s, k)) : 0.0;
    for (Index k = 0; k < c.wrenches; ++k) {
      ExternalWrench& e = x.external[static_cast<std::size_t>(k)];
      e.frame = FrameId(c.wrench[k].frame_id);
      e.in = static_cast<Reference>(c.wrench[k].frame.reference);
      for (Index i = 0; i < 6; ++i) e.wrench[i] = static_cast<double>(number_of(c.wrench[k].wrench, s, i));
    }
    const Status status = try_forward_dynamics(model, x.data, x.q, x.v, x.tau, x.out, x.external, effects_);
    if (status != Status::ok) return status;
    bool in_range = true;
    for (Index k = 0; k < model.nv(); ++k) {
      number_of(c.out[0], s, k) = static_cast<T>(x.out[k]);
      in_range = in_range && std::isfinite(number_of(c.out[0], s, k));
    }
    return in_range ? Status::ok : Status::overflow;
  }

  JointEffects effects_;
  bool forward_ = false;
  std::vector<unsigned char> rests_;
  std::vector<std::unique_ptr<One>> one_;  ///< of each thread
};

}  // namespace zwang
