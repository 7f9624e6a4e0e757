// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/model/spline_joint.hpp"

#include <cmath>

#include "zwang/model/user_joint.hpp"
#include "zwang/spatial/exp_log.hpp"
#include "zwang/spatial/rpy.hpp"

namespace zwang {
namespace {

// Parameters: step, number of poses n, n times R (by rows) and p, then Omega_1 ... Omega_(n-1).
constexpr std::size_t k_head = 2, k_pose = 12, k_twist = 6, k_fewest = 4;
constexpr std::size_t parameters_of(std::size_t poses) { return k_head + k_pose * poses + k_twist * (poses - 1); }

/// The segment at q: its pose, and for each of the three factors Omega, b and its derivatives by q.
template <class S> struct Segment {
  struct Factor {
    Motion<S> omega;
    S b, rate, second;
  };
  Transform<S> start;
  Factor factor[3];

  Segment(const S& q, const Uniform<S>* parameters) {
    using T = Uniform<S>;
    const T step = parameters[0];
    const int poses = static_cast<int>(parameters[1]);
    const double place = std::floor(value_of(q) / static_cast<double>(step));
    // A q that is not a number stays one: t is NaN in any segment.
    const int k = place > 0 ? static_cast<int>(std::fmin(place, poses - 4)) : 0;
    const T* const x = parameters + k_head + k_pose * static_cast<std::size_t>(k);
    start = {{{S(x[0]), S(x[1]), S(x[2])}, {S(x[3]), S(x[4]), S(x[5])}, {S(x[6]), S(x[7]), S(x[8])}},
             {S(x[9]), S(x[10]), S(x[11])}};
    const T* const twists = parameters + k_head + k_pose * static_cast<std::size_t>(poses);
    for (int j = 0; j < 3; ++j) {
      const T* const w = twists + k_twist * static_cast<std::size_t>(k + j);
      factor[j].omega = {{S(w[0]), S(w[1]), S(w[2])}, {S(w[3]), S(w[4]), S(w[5])}};
    }
    const T per = T(1) / step, sixth = T(1) / T(6), half = T(0.5);
    const S t = q * per - S(static_cast<T>(k)), tt = t * t;
    const T by_step[] = {per, per * per};
    const S one(1);
    set(0, (S(5) + t * T(3) - tt * T(3) + tt * t) * sixth, (one - t - t + tt) * half, t - one, by_step);
    set(1, (one + t * T(3) + tt * T(3) - tt * t * T(2)) * sixth, (one + t + t - tt - tt) * half, one - t - t, by_step);
    set(2, tt * t * sixth, tt * half, t, by_step);
  }
  void set(int j, const S& b, const S& rate, const S& second, const Uniform<S>* per) {
    factor[j].b = b, factor[j].rate = rate * per[0], factor[j].second = second * per[1];
  }
};

struct Spline {
  template <class S> static void transform(const S* q, const Uniform<S>* parameters, Transform<S>& X) {
    const Segment<S> segment(q[0], parameters);
    X = segment.start;
    for (const auto& f : segment.factor) X = X * exp_se3(Motion<S>(f.omega * f.b));
  }
  template <class S> static void along(const S& q, const Uniform<S>* parameters, Motion<S>& s, Motion<S>& rate) {
    s = rate = Motion<S>::zero();
    for (const auto& f : Segment<S>(q, parameters).factor) {
      const Transform<S> A = exp_se3(Motion<S>(f.omega * f.b));
      const Motion<S> carried = inverse_times(A, s), step = f.omega * f.rate;
      rate = inverse_times(A, rate) + cross(carried, step) + f.omega * f.second;
      s = carried + step;
    }
  }
  template <class S> static void columns(const S* q, const Uniform<S>* parameters, Motion<S>* s) {
    Motion<S> rate;
    along(q[0], parameters, s[0], rate);
  }
  template <class S> static void rates(const S* q, const S* v, const Uniform<S>* parameters, Motion<S>* r) {
    Motion<S> s, rate;
    along(q[0], parameters, s, rate);
    r[0] = rate * v[0];
  }
  static constexpr const char* name = "spline";
  static constexpr int nq = 1, nv = 1;
};

template <class... S> UserJoint table_of() {
  static_assert(sizeof...(S) <= UserJoint::k_scalars);
  UserJoint u;
  u.name = Spline::name;
  u.nq = Spline::nq;
  u.nv = Spline::nv;
  UserJointFunctions* f = u.functions;
  ((*f++ = impl::functions_of<Spline, S>()), ...);
  return u;
}

Transform<double> pose_at(const double* x) {
  return {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}, {x[9], x[10], x[11]}};
}

/// The way from one pose to the next; false where it is none: not finite, or half a turn.
bool way(const Transform<double>& from, const Transform<double>& to, Motion<double>& omega) {
  constexpr double half_turn = 3.14159265358979323846;
  omega = log_se3(Transform<double>(inverse_times(from, to)));
  return dot(omega.w, omega.w) < (half_turn - 1e-6) * (half_turn - 1e-6) && is_finite(dot(omega.v, omega.v));
}

}  // namespace

std::shared_ptr<const UserJoint> spline_functions() {
  // No packs: the segment differs from lane to lane.
  static const auto once = std::make_shared<const UserJoint>(
      table_of<double, float, long double, std::complex<double>, Dual<double>, Dual<Dual<double>>, Dual<float>>());
  return once;
}

std::vector<double> spline_parameters(std::span<const Transform<double>> poses, double step) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("spline_joint: " + what); };
  if (poses.size() < k_fewest || poses.size() > (1 << 20))
    refuse("argument 'poses' has " + std::to_string(poses.size()) + " poses, expected 4 to 1048576");
  if (!(step > 0) || !is_finite(step)) refuse("argument 'step' is " + std::to_string(step) + ", expected more than 0");
  std::vector<double> x{step, static_cast<double>(poses.size())};
  x.reserve(parameters_of(poses.size()));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const Transform<double>& X = poses[k];
    for (const Vec3<double>& row : {X.R.r0, X.R.r1, X.R.r2, X.p}) x.insert(x.end(), {row.x, row.y, row.z});
    if (!is_rotation(X.R, 1e-6) || !is_finite(X.p.x + X.p.y + X.p.z)) refuse("pose " + std::to_string(k) + " is none");
  }
  for (std::size_t k = 1; k < poses.size(); ++k) {
    Motion<double> w;
    if (!way(poses[k - 1], poses[k], w))
      refuse("poses " + std::to_string(k - 1) + " and " + std::to_string(k) + " are half a turn apart");
    x.insert(x.end(), {w.v.x, w.v.y, w.v.z, w.w.x, w.w.y, w.w.z});
  }
  return x;
}

JointDescription spline_joint(JointDescription joint, std::span<const Transform<double>> poses, double step) {
  joint.parameters = spline_parameters(poses, step);
  joint.type = Spline::name;
  joint.user = spline_functions();
  joint.lower = {0.0};
  joint.upper = {static_cast<double>(poses.size() - 3) * step};
  return joint;
}

std::string spline_fault(std::span<const double> x) {
  if (x.size() < parameters_of(k_fewest)) return std::to_string(x.size()) + " parameters";
  for (const double number : x)
    if (!is_finite(number)) return "a parameter that is not finite";
  const auto poses = (x.size() + k_twist - k_head) / (k_pose + k_twist);
  if (parameters_of(poses) != x.size() || x[1] != static_cast<double>(poses))
    return std::to_string(x.size()) + " parameters for " + std::to_string(x[1]) + " poses";
  if (!(x[0] > 0)) return "a step of " + std::to_string(x[0]);
  const double* const pose = x.data() + k_head;
  for (std::size_t k = 0; k < poses; ++k) {
    if (!is_rotation(pose_at(pose + k_pose * k).R, 1e-6)) return "pose " + std::to_string(k) + " without a rotation";
    if (k == 0) continue;
    Motion<double> w;
    const double* const given = pose + k_pose * poses + k_twist * (k - 1);
    bool same = way(pose_at(pose + k_pose * (k - 1)), pose_at(pose + k_pose * k), w);
    for (int i = 0; i < 6; ++i) same = same && std::fabs(w[i] - given[i]) <= 1e-9 * (1 + std::fabs(w[i]));
    if (!same) return "another way between poses " + std::to_string(k - 1) + " and " + std::to_string(k);
  }
  return {};
}

}  // namespace zwang
