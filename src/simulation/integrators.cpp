// SPDX-License-Identifier: BSD-3-Clause
// THE list of integrators, and the words of the settings.
#include <limits>

#include "simulation/stepper.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

constexpr double k_any = std::numeric_limits<double>::infinity();

/// In the order of the enumeration. The midpoint rule keeps a damper stable at any step, but beyond 2 the velocity
/// changes its sign in every step. Its springs are stable; what its iteration cannot solve it says itself.
constexpr IntegratorRow k_integrators[] = {{"semi_implicit", make_semi_implicit, k_any, 2},
                                           {"rk4", make_rk4, 2.785, 2.828},
                                           {"half_explicit", make_half_explicit, 5.365, 3.276},
                                           {"variational", make_variational, 2, k_any},
                                           {"dormand_prince", make_dormand_prince, 64 * 3.3, 64}};
constexpr const char* k_keep[] = {"automatic", "stabilisation", "projection"};
constexpr const char* k_crossing[] = {"falling", "rising", "both"};

template <class Enum, std::size_t N>
Enum of_word(const char* kind, const char* const (&words)[N], const std::string& word) {
  for (std::size_t k = 0; k < N; ++k)
    if (word == words[k]) return static_cast<Enum>(k);
  detail::throw_unknown(kind, word, {words, words + N});
}

}  // namespace

Stepper::~Stepper() = default;
SimulationControl::~SimulationControl() = default;
EventFunction::~EventFunction() = default;

std::vector<std::string> integrators() {
  std::vector<std::string> names;
  for (const IntegratorRow& row : k_integrators) names.emplace_back(row.name);
  return names;
}
const IntegratorRow& integrator_row(Integrator integrator) { return k_integrators[static_cast<int>(integrator)]; }
const char* name_of(Integrator integrator) { return integrator_row(integrator).name; }
Integrator integrator_of(const std::string& word) {
  for (std::size_t k = 0; k < std::size(k_integrators); ++k)
    if (word == k_integrators[k].name) return static_cast<Integrator>(k);
  detail::throw_unknown("integrator", word, integrators());
}

Keep keep_of(const std::string& word) { return of_word<Keep>("keep", k_keep, word); }
const char* name_of(Keep keep) { return k_keep[static_cast<int>(keep)]; }
Crossing crossing_of(const std::string& word) { return of_word<Crossing>("crossing", k_crossing, word); }

}  // namespace zwang
