// SPDX-License-Identifier: BSD-3-Clause
// The list of integrators as rows, and the words of the settings.
#include "core/words.hpp"
#include "simulation/stepper.hpp"

namespace zwang {
namespace {

#define ZWANG_ADDRESS(name) &integrator::name,
constexpr const IntegratorRow* k_integrators[] = {ZWANG_INTEGRATORS(ZWANG_ADDRESS)};
#undef ZWANG_ADDRESS

}  // namespace

Stepper::~Stepper() = default;
SimulationControl::~SimulationControl() = default;
EventFunction::~EventFunction() = default;

std::vector<std::string> integrators() {
  constexpr auto all = words_of(Type<Integrator>());
  return {all.begin(), all.end()};
}
const IntegratorRow& integrator_row(Integrator integrator) { return *k_integrators[static_cast<int>(integrator)]; }
bool is_integrator(Integrator integrator) {
  const int k = static_cast<int>(integrator);
  return k >= 0 && k < static_cast<int>(std::size(k_integrators));
}
Integrator integrator_of(const std::string& word) { return words::value_of<Integrator>("integrator", word); }
Keep keep_of(const std::string& word) { return words::value_of<Keep>("keep", word); }
Crossing crossing_of(const std::string& word) { return words::value_of<Crossing>("crossing", word); }

}  // namespace zwang
