// SPDX-License-Identifier: BSD-3-Clause
// Semi-implicit Euler, as in rollouts:  v1 = v + h q''(q, v),  q1 = q (+) h v1, with joint damping at the end
// of the step: (M + h D) q'' = tau - h(q, v) + J^T lambda. Order 1.
#include <limits>

#include "manifold/instances.hpp"
#include "simulation/stepper.hpp"

namespace zwang {
namespace {

class SemiImplicit : public Stepper {
 public:
  explicit SemiImplicit(Movement& motion) : motion_(motion), step_(motion.model.nv()) {}

  bool step(double h, const MovementState& from, MovementState& to) override {
    if (!motion_.accelerate(from, h)) return false;
    const double* const a = motion_.acceleration();
    for (Index k = 0; k < step_.size(); ++k) {
      to.v[k] = from.v[k] + h * a[k];
      step_[k] = h * to.v[k];
    }
    page::integrate(motion_.model.tree<double>(), from.q.data(), step_.data(), to.q.data());
    to.time = from.time + h;
    return true;
  }
  double implicit(double h) const override { return h; }

 private:
  Movement& motion_;
  Buffer<double> step_;
};

}  // namespace

const IntegratorRow integrator::semi_implicit{
    .name = "semi_implicit",
    .make = [](Movement& motion) -> std::unique_ptr<Stepper> { return std::make_unique<SemiImplicit>(motion); },
    .dampers = std::numeric_limits<double>::infinity(),
    .springs = 2};

}  // namespace zwang
