// SPDX-License-Identifier: BSD-3-Clause
#include "factor/factor.hpp"

namespace zwang {

void take_first(const RightHandSides& sides, Answer& answer) {
  for (Index y = 0; y < answer.acceleration.size(); ++y) {
    answer.acceleration[y] = sides.acceleration[y][0];
    answer.given_torque[y] = sides.given_torque[y][0];
    answer.articulated[y] = sides.articulated[y][0];
  }
  for (Index k = 0; k < answer.lambda.size(); ++k) answer.lambda[k] = sides.lambda[k][0];
}

void Factor::leave_drivers_out(Problem&, Answer& answer) {
  for (double& x : answer.left_out) x = 0;
}

}  // namespace zwang
