// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/check_settings.hpp"

#include <cmath>
#include <stdexcept>

#include "simulation/stepper.hpp"

namespace zwang {

const SimulationSettings& checked_settings(const SimulationSettings& s) {
  const auto refuse = [](const char* what, const std::string& got) {
    throw std::invalid_argument(std::string("Simulator: ") + what + "; got " + got);
  };
  if (!(s.time > 0) || !std::isfinite(s.time)) refuse("time is > 0 and finite [s]", std::to_string(s.time));
  if (!(s.dt > 0) || !std::isfinite(s.dt)) refuse("dt is > 0 and finite [s]", std::to_string(s.dt));
  if (s.time / s.dt > 1e15) refuse("time / dt is at most 1e15 steps", std::to_string(s.time / s.dt));
  if (!(s.tolerance > 0) || !std::isfinite(s.tolerance))
    refuse("tolerance is > 0 and finite", std::to_string(s.tolerance));
  if (!(s.accuracy > 0) || !std::isfinite(s.accuracy)) refuse("accuracy is > 0 and finite", std::to_string(s.accuracy));
  if (!(s.contact_accuracy > 0) || !std::isfinite(s.contact_accuracy))
    refuse("contact_accuracy is > 0 and finite", std::to_string(s.contact_accuracy));
  if (!(s.drift_tolerance > 0)) refuse("drift_tolerance is > 0", std::to_string(s.drift_tolerance));
  if (s.every < 1) refuse("every is at least 1", std::to_string(s.every));
  if (!is_integrator(s.integrator))
    refuse("integrator is one of integrators()", std::to_string(static_cast<int>(s.integrator)));
  if (s.keep < Keep::automatic || s.keep > Keep::projection)
    refuse("keep is automatic, stabilisation or projection", std::to_string(static_cast<int>(s.keep)));
  return s;
}

}  // namespace zwang
