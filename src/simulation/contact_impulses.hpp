// SPDX-License-Identifier: BSD-3-Clause
// ContactImpulses: the impulses of what touches at a configuration: in a step, in a shock, and, as lengths, those that
// take overlaps apart.
#pragma once
#include "simulation/contact_metric.hpp"
#include "simulation/contact_record.hpp"
#include "simulation/movement.hpp"

namespace zwang {

/// The order of contacts by what they are, whatever they do.
bool is_before(const ContactState& a, const ContactState& b);

class ContactImpulses {
 public:
  explicit ContactImpulses(Movement& motion);

  ContactRows rows;
  ContactTotals totals;  ///< since it was cleared

  double kinetic_energy(const double* q, const double* v);
  /// The rows at a configuration: those that `speed` may close in `ahead`, or, without it, those that are as close as
  /// `least`. `data()` is there then, with the velocities `v` if they are given.
  void find(const double* q, const double* v, const double* speed, double least, double ahead);
  /// Rows of which keep(row) holds, with their J.
  template <class F> void keep(F&& keep) {
    rows.keep(keep);
    rows.form(data_);
  }

  /// The impulses of a step: v, before them, becomes the velocity after them. Rows of the last solve hold. `last`:
  /// contacts of the step before, whose impulses are tried first. False: Movement says why.
  bool step(double h, const double* q, std::span<const ContactState> last, double* v);
  /// The impulses of an instant: what approaches faster than `rest` bounces.
  bool shock(const double* q, double rest, double* v);
  /// The nearest configuration in the metric of M at which no rigid gap is negative; rows of the last solve stay as
  /// they are to first order. By Newton's method on the gaps: min 1/2 |d|^2_M, gap + J d >= 0, until none is below
  /// -`allowed` or `passes` are done.
  /// What is left is in `totals.penetration`, and its row in `deepest`.
  bool take_apart(double* q, double allowed, int passes) {
    return take_apart(
        q, allowed, passes, [](const ContactRow&) { return true; }, [](const double*) {});
  }
  /// The same of rigid rows of which counts(row) holds; moved(d) is told each displacement [nv].
  template <class F, class G> bool take_apart(double* q, double allowed, int passes, F&& counts, G&& moved) {
    const double before = totals.penetration;
    for (int pass = 0;; ++pass) {
      find(q, nullptr, nullptr, k_beside, 0);
      rows.keep([&](const ContactRow& x) { return !x.gives_way() && counts(x); });
      bool done = false;
      if (!move_apart(q, allowed, before, pass == passes, done)) return false;
      if (pass == 0 && totals.penetration > k_deep && doubt.about == nullptr) doubt = {"overlap", deepest};
      if (done) return true;
      moved(row_.data());
    }
  }
  ContactRow deepest;
  /// Whether a damper would take more than its coordinate's speed in a step of length h: at most the rates that M has
  /// beside D, by the factor's diagonal.
  bool has_fast_dampers(double h, const double* q);

  /// What users should know of an answer that holds, once for a motion: it may not be the only one, an impulse is no
  /// collision's, an impact has made energy.
  struct Doubt {
    const char* about = nullptr;  ///< nullptr: none
    ContactRow row = {};
  };
  Doubt doubt;   ///< the first since it was cleared, or energy that an impact has made
  int hard = 0;  ///< steps in a row that took the last stages
  /// Of the last step(): each contact, sorted; `multipliers` of the user's rows among them.
  void publish(double h, std::vector<ContactState>& contacts, double* multipliers) const;
  void add_torques(double h, double* torque) const;  ///< likewise: += J^T lambda / h
  ContactRecord* record = nullptr;                   ///< where it is written what is done; nullptr: nowhere
  void note_step(const double* v) const;

 private:
  static constexpr double k_deep = 1e-4;    ///< overlap after a step that is said [m, rad]
  static constexpr double k_beside = 1e-3;  ///< gap of what is moved beside what overlaps [m, rad]
  bool move_apart(double* q, double allowed, double before, bool is_last, bool& done);
  using Row = ContactRow;
  bool factor(const double* q);
  void begin_cones();
  bool solve(ContactSolver& by, bool is_soft, bool is_warm, const ContactReport*& report);
  void take_warm(double h, const Row& x, std::span<const ContactState> last);

  Movement& motion_;
  const Model& model_;
  const JointEffects effects_;
  Data data_;
  ContactMetric metric_;
  ContactSolver solver_, lengths_;  ///< of impulses; of what takes overlaps apart, which does not look for long
  Buffer<double> row_, before_, J_;
  std::vector<ContactCone> cones_;
  std::vector<double> offset_, compliance_, warm_;
};

}  // namespace zwang
