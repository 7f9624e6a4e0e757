// SPDX-License-Identifier: BSD-3-Clause
// The impulse of a Solver: its problem is that of a solve at rest without gravity, in which the right-hand sides of
// rows are changes of their velocities (Shock), the torques are impulses and the accelerations changes of velocity. It
// is solved, certified and differentiated by the same code; this is what comes before and after.
//
//   J v- of the rows → changes by the law of restitution → solve → energies
#pragma once
#include "question/derivatives/result_memory.hpp"
#include "question/impulse/restitution_velocities.hpp"
#include "solve/solver_parts.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang {

struct ImpulseParts final : Question {
  explicit ImpulseParts(Owned<SolverParts> parts);
  void forget() override { parts->factors.forget(); }

  // impulse.cpp
  /// Takes settings, inertias and payloads of the solver, and the set as it is now; throws as SolverParts::read().
  void read(const SolverParts& of);
  void solve(const ImpulseInput& input);
  // For a batch that solves by itself, after read():
  /// J v-, the energy before, and the changes that Newton's restitution requires of the rows: shock.change.
  void enter(const ImpulseInput& input);
  /// J v and the energy of the velocities that were found.
  void leave(const double* q, const double* velocity);
  void refuse(Status status, const char* argument);
  double energy_of(Index constraint) const;
  // impulse_derivatives.cpp
  const ImpulseDerivatives& differentiate();
  const ImpulseInputGradient& from_the_left(const ImpulseGradient& of);
  const ImpulseVariation& from_the_right(const ImpulseInputVariation& along);

  Owned<SolverParts> parts;  ///< at rest
  Data moving;               ///< the state before; after a solve that after
  Buffer<double> v, after;   ///< [nv]
  struct Rows {              ///< [rows of the set]
    explicit Rows(Index n) : velocity(n), after(n), target(n), restitution(n), change(n), share(n), leaves(n) {}
    Buffer<double> velocity, after, target, restitution;
    Buffer<double> change, share;  ///< Shock
    Buffer<unsigned char> leaves;  ///< a row with a sense, before the impact
    bool at_kink = false;          ///< a row with a sense and restitution neither comes nor leaves
  } rows;
  Shock shock;
  std::unique_ptr<RestitutionVelocities> others;  ///< of the models other than Newton's; made when first asked for
  Restitution model = Restitution::newton;        ///< of the last impulse
  Impulse result;

 private:
  void take(const ImpulseInput& input);
  void find_row_velocities(const double* q, const double* velocity, double* out);
  double kinetic_energy(const double* velocity);
  void ask(bool with_restitution);
  void run(const ImpulseInput& input);
  bool restitute(const ImpulseInput& input);
  void publish(const ImpulseInput& input);
  void check_custom_rows();
  void warn_of_energy();
  void warn_of_entering();
  void clear();
  std::string_view why_not() const;
  /// d change / d E of a row
  double bounce(Index row) const { return rows.leaves[row] ? 0.0 : rows.target[row] - rows.velocity[row]; }

  ImpulseDerivatives derivatives_;
  ImpulseInputGradient gradient_;
  ImpulseVariation variation_;
  ResultMemory of_derivatives_, of_gradient_, of_variation_;
};

}  // namespace zwang
