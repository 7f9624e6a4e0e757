// SPDX-License-Identifier: BSD-3-Clause
// The pieces of a profile, and the numbers by which it is stored.
#include <cmath>
#include <stdexcept>
#include <string>

#include "zwang/path/motion_profile.hpp"

namespace zwang {

const MotionProfile::Piece& MotionProfile::piece(Index k) const {
  if (k < 0 || k >= count_)
    throw std::invalid_argument("MotionProfile::piece: there is no piece " + std::to_string(k) + ", expected 0 to " +
                                std::to_string(count_ - 1));
  return pieces_[static_cast<std::size_t>(k)];
}

std::vector<double> MotionProfile::numbers() const {
  std::vector<double> x{duration_, end_.position,    end_.velocity,       end_.acceleration,
                        end_.jerk, beyond_.velocity, beyond_.acceleration};
  for (std::size_t k = 0; k < static_cast<std::size_t>(count_); ++k) {
    const Piece& p = pieces_[k];
    x.insert(x.end(), {p.duration, p.start.position, p.start.velocity, p.start.acceleration, p.start.jerk});
  }
  return x;
}

MotionProfile MotionProfile::from_numbers(const std::vector<double>& x) {
  MotionProfile out;
  constexpr std::size_t k_head = 7;
  bool known = x.size() >= k_head && (x.size() - k_head) % 5 == 0 && x.size() <= k_head + 5 * out.pieces_.size();
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool is_size = k == 0 || k == 5 || k == 6 || (k >= k_head && (k - k_head) % 5 == 0);  // durations and excess
    known = known && std::isfinite(x[k]) && (!is_size || x[k] >= 0);
  }
  if (!known)
    throw std::invalid_argument(
        "MotionProfile::from_numbers: argument 'numbers' is not what numbers() gives of a profile");
  out.duration_ = x[0];
  out.end_ = {x[1], x[2], x[3], x[4]};
  out.beyond_ = {x[5], x[6]};
  for (std::size_t k = k_head; k < x.size(); k += 5)
    out.pieces_[static_cast<std::size_t>(out.count_++)] = {x[k], {x[k + 1], x[k + 2], x[k + 3], x[k + 4]}};
  return out;
}

}  // namespace zwang
