// SPDX-License-Identifier: BSD-3-Clause
// What the files of ContactDerivatives share. Matrices have 3 nv columns: by q, by v, by tau; rows after each other.
#pragma once
#include "simulation/contact_record.hpp"
#include "simulation/contact_response.hpp"
#include "simulation/contact_terms.hpp"
#include "simulation/stepper.hpp"
#include "simulation/unturned_axes.hpp"
#include "zwang/simulation/contact_derivatives.hpp"

namespace zwang {
namespace derivatives {

using Numbers = std::vector<double>;

inline std::size_t place(Index k) { return static_cast<std::size_t>(k); }

/// out [rows x columns] += A [rows x n] B [n x columns], rows one after the other.
inline void add_product(Index rows, Index n, Index columns, const double* A, const double* B, double* out) {
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < n; ++k) {
      const double a = A[i * n + k];
      if (a == 0) continue;
      for (Index c = 0; c < columns; ++c) out[i * columns + c] += a * B[k * columns + c];
    }
}

}  // namespace derivatives

struct ContactDerivatives::Impl {
  Impl(const Model& of, const ConstraintSet& set, const SimulationSettings& with, const Scene& scene)
      : motion(of, set, with, &scene),
        model(motion.model),
        nv(model.nv()),
        columns(3 * nv),
        terms(model),
        response(model),
        axes(model.tree<double>(), UnturnedAxes::holds(motion.set)),
        data(model),
        from(model.nq(), nv),
        to(from),
        by_q(derivatives::place(nv * columns)),
        by_v(derivatives::place(nv * columns)),
        results(derivatives::place(6 * nv * nv)),
        v_now(derivatives::place(nv)),
        products(derivatives::place(3 * nv)) {
    make();
  }
  void make() {
    stepper = integrator_row(Integrator::contact).make(motion);
    stepper->record(&record);
  }

  const ContactStepDerivatives& begin(const SimulationInput& input);
  const ContactStepDerivatives& go();
  const ContactStepDerivatives& fail(Status status, std::string why);
  bool differentiate();
  bool are_of_scene(const std::vector<ContactRow>& rows);
  bool free_flight(double h);
  bool with_contact(double h);
  derivatives::Numbers varied_rows(double h, bool touching) const;
  bool take_apart(const ContactRecord::Apart& pass);
  bool kinetic_inverse(const double* q, derivatives::Numbers& B);
  bool solve(const double* q, const double* v, const double* torque);
  double speed_of(const double* q, const double* v) {
    return std::sqrt(2 * kinetic_energy(model, data, vector_in(q, model.nq()), vector_in(v, nv)));
  }
  bool refuse(std::string why) {
    motion.fail(Status::not_differentiable, std::move(why));
    return false;
  }
  void publish();
  void clear() {
    out.status = Status::ok;
    out.reason.clear();
    out.borders.clear();
    out.is_free = out.is_unique = true;
    out.geometry_error = out.taken_apart = out.left_out = 0;
  }
  void begin_motion(const SimulationInput& input) {
    motion.begin(input);
    stepper->begin();
    if (input.tau.size() > 0)
      tau.assign(input.tau.data(), input.tau.data() + nv);
    else
      tau.assign(derivatives::place(nv), 0.0);
  }
  void check(const std::string& call, std::initializer_list<std::pair<const char*, ConstVector>> given) const {
    const std::string function = "ContactDerivatives::" + call;
    if (!is_there || out.status != Status::ok) throw std::logic_error(function + ": the last step has no derivatives");
    for (const auto& [name, x] : given) {
      if (x.size() != 0 && x.size() != nv) detail::throw_size(function.c_str(), name, x.size(), nv);
      for (Index k = 0; k < x.size(); ++k)
        if (!std::isfinite(x.data()[k]))
          throw std::invalid_argument(function + ": argument '" + name + "' has an entry that is not finite");
    }
  }

  Movement motion;
  const Model model;
  const Index nv, columns;
  std::unique_ptr<Stepper> stepper;
  ContactRecord record;
  ContactTerms terms;
  ContactResponse response;
  const UnturnedAxes axes;
  Data data;
  MovementState from, to;
  derivatives::Numbers by_q, by_v;          ///< [nv x columns] of the state so far, row by row
  derivatives::Numbers A_q, A_v, A_tau, a;  ///< of the last solve, row by row
  derivatives::Numbers results, v_now, products, tau;
  SimulationReport report;
  ContactStepDerivatives out;
  bool is_there = false;
};

}  // namespace zwang
