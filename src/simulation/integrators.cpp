// SPDX-License-Identifier: BSD-3-Clause
// The list of integrators as rows, and the words of the settings.
#include "simulation/stepper.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

#define ZWANG_ADDRESS(name) &integrator::name,
constexpr const IntegratorRow* k_integrators[] = {ZWANG_INTEGRATORS(ZWANG_ADDRESS)};
#undef ZWANG_ADDRESS
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
  for (const IntegratorRow* row : k_integrators) names.emplace_back(row->name);
  return names;
}
const IntegratorRow& integrator_row(Integrator integrator) { return *k_integrators[static_cast<int>(integrator)]; }
bool is_integrator(Integrator integrator) {
  const int k = static_cast<int>(integrator);
  return k >= 0 && k < static_cast<int>(std::size(k_integrators));
}
const char* name_of(Integrator integrator) { return integrator_row(integrator).name; }
Integrator integrator_of(const std::string& word) {
  for (std::size_t k = 0; k < std::size(k_integrators); ++k)
    if (word == k_integrators[k]->name) return static_cast<Integrator>(k);
  detail::throw_unknown("integrator", word, integrators());
}

Keep keep_of(const std::string& word) { return of_word<Keep>("keep", k_keep, word); }
const char* name_of(Keep keep) { return k_keep[static_cast<int>(keep)]; }
Crossing crossing_of(const std::string& word) { return of_word<Crossing>("crossing", k_crossing, word); }

}  // namespace zwang
