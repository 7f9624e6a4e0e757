// SPDX-License-Identifier: BSD-3-Clause
// Configurations: along velocities, differences, random ones, in Pinocchio's numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "robot.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/manifold/page/manifold.hpp"

namespace zwang::python::pinocchio {
namespace {

std::mt19937_64 generator(0);

/// In [0, 1), a multiple of 2^-53.
double uniform() { return static_cast<double>(generator() >> 11) * 0x1p-53; }
/// Mean 0, variance 1 (Box & Muller 1958).
double normal() {
  constexpr double k_two_pi = 6.283185307179586;
  const double length = std::sqrt(-2 * std::log(1 - uniform()));
  return length * std::cos(k_two_pi * uniform());
}

CoreObject& core_of(ModelArgument model) { return core_in(model.p->core(model.h)); }
nb::object q_array(const CoreObject& core, const double* z) {
  const Fresh out = fresh(core.nq);
  core.q_back(z, out.numbers);
  return out.array;
}
/// Room for three configurations or velocities.
struct Room {
  explicit Room(const CoreObject& core) : size(std::max(core.model.nq(), core.nv)) {
    if (3 * size <= k_size) return;
    more.resize(static_cast<std::size_t>(3 * size));
    at = more.data();
  }
  double* operator[](int k) { return at + k * size; }
  static constexpr Index k_size = 192;
  Index size;
  double own[k_size];
  std::vector<double> more;
  double* at = own;
};

/// Of quaternions and circles of length 1. What is not finite is refused by the library's own call.
void write_integral(const CoreObject& core, const double* q, const double* v, double* out) {
  const Index nq = core.model.nq();
  page::integrate(core.model.tree<double>(), q, v, out);
  double sum = 0;
  for (Index k = 0; k < nq; ++k) sum += out[k] * 0;
  if (sum == 0) return;
  integrate(core.model, ConstVector(q, nq), ConstVector(v, core.nv), Vector(out, nq));
}

nb::object integrated(ModelArgument model, nb::handle q, nb::handle v) {
  const CoreObject& core = core_of(model);
  Room room(core);
  core.read_q(q, room[0]);
  core.read_v(v, "v", room[1]);
  if (!core.same_q) {
    write_integral(core, room[0], room[1], room[2]);
    return q_array(core, room[2]);
  }
  const Fresh out = fresh(core.nq);
  write_integral(core, room[0], room[1], out.numbers);
  return out.array;
}

/// Endless: infinite, or as large as limits that mean it; the square of such a number is too large itself.
bool is_endless(double x) { return std::abs(x) >= 1e150; }

/// The difference where some numbers are endless: of a joint with one such number it is infinite (of one freedom), or
/// NaN; the other joints have theirs.
nb::object endless_difference(const CoreObject& core, double* x, double* y) {
  Fresh out = fresh(core.nv);
  std::vector<double> value(static_cast<std::size_t>(core.nv), 0.0);
  std::vector<char> known(value.size(), '\0');
  for (const Span& s : core.spans) {
    bool endless = false;
    for (Index k = s.q; k < s.q + s.nq; ++k) endless = endless || is_endless(x[k]) || is_endless(y[k]);
    if (!endless) continue;
    for (Index k = s.v; k < s.v + s.nv; ++k) {
      value[static_cast<std::size_t>(k)] =
          s.nq == 1 && s.nv == 1 ? y[s.q] - x[s.q] : std::numeric_limits<double>::quiet_NaN();
      known[static_cast<std::size_t>(k)] = 1;
    }
    for (double* const z : {x, y}) std::copy_n(core.neutral.data() + s.q, s.nq, z + s.q);
  }
  std::vector<double> a(static_cast<std::size_t>(core.model.nq())), b(a.size()), d(value.size());
  core.q_to_zwang(x, a.data());
  core.q_to_zwang(y, b.data());
  difference(core.model, ConstVector(a.data(), core.model.nq()), ConstVector(b.data(), core.model.nq()),
             Vector(d.data(), core.nv));
  core.v_back(d.data(), out.numbers);
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] != 0) out.numbers[k] = value[k];
  return out.array;
}

/// Of quaternions and circles of length 1. What is not finite is refused by the library's own call.
void write_difference(const CoreObject& core, const double* a, const double* b, double* out) {
  page::difference(core.model.tree<double>(), a, b, out);
  double sum = 0;
  for (Index k = 0; k < core.nv; ++k) sum += out[k] * 0;
  if (sum == 0) return;
  difference(core.model, ConstVector(a, core.model.nq()), ConstVector(b, core.model.nq()), Vector(out, core.nv));
}

nb::object differed(ModelArgument model, nb::handle q1, nb::handle q2) {
  const CoreObject& core = core_of(model);
  std::vector<double> more;
  double room[2 * Room::k_size];
  double *x = room, *y = room + Room::k_size;
  if (core.nq > Room::k_size) more.resize(static_cast<std::size_t>(2 * core.nq)), x = more.data(), y = x + core.nq;
  core.read_own_q(q1, x);
  core.read_own_q(q2, y);
  bool endless = false;
  for (Index k = 0; k < core.nq; ++k) endless |= is_endless(x[k]) | is_endless(y[k]);
  if (endless) return endless_difference(core, x, y);
  Room z(core);
  const double *a = x, *b = y;
  if (!core.same_q) core.q_to_zwang(x, z[0]), core.q_to_zwang(y, z[1]), a = z[0], b = z[1];
  if (core.at_v.empty()) {
    const Fresh out = fresh(core.nv);
    write_difference(core, a, b, out.numbers);
    return out.array;
  }
  write_difference(core, a, b, z[2]);
  return core.vector(z[2]);
}

nb::object between(ModelArgument model, nb::handle q1, nb::handle q2, double alpha) {
  const CoreObject& core = core_of(model);
  Room room(core);
  core.read_q(q1, room[0]);
  core.read_q(q2, room[1]);
  const Index nq = core.model.nq();
  interpolate(core.model, ConstVector(room[0], nq), ConstVector(room[1], nq), alpha, Vector(room[2], nq));
  return q_array(core, room[2]);
}

nb::object normalized(ModelArgument model, nb::handle q) {
  const CoreObject& core = core_of(model);
  const Fresh out = fresh(core.nq);
  core.read_own_q(q, out.numbers);
  return out.array;
}

nb::object neutral_of(ModelArgument model) {
  const CoreObject& core = core_of(model);
  const Fresh out = fresh(core.nq);
  std::copy(core.neutral.begin(), core.neutral.end(), out.numbers);
  return out.array;
}

nb::object random_of(ModelArgument model, nb::handle lower, nb::handle upper) {
  const CoreObject& core = core_of(model);
  const Fresh out = fresh(core.nq);
  std::vector<double> low(static_cast<std::size_t>(core.nq)), high(low.size());
  read(lower.is_none() ? nb::object(model.h.attr("lowerPositionLimit")) : nb::borrow(lower), core.nq, "lower_bound",
       low.data());
  read(upper.is_none() ? nb::object(model.h.attr("upperPositionLimit")) : nb::borrow(upper), core.nq, "upper_bound",
       high.data());
  std::fill_n(out.numbers, core.nq, std::numeric_limits<double>::quiet_NaN());
  const auto on_sphere = [&](Index first, Index size) {
    double n = 0;
    for (Index k = first; k < first + size; ++k) out.numbers[k] = normal(), n += out.numbers[k] * out.numbers[k];
    for (Index k = first; k < first + size; ++k) out.numbers[k] /= std::sqrt(n);
  };
  for (const Index k : core.quaternions) on_sphere(k, 4);
  for (const Index k : core.circles) on_sphere(k, 2);
  constexpr double k_largest = std::numeric_limits<double>::max();
  for (Index k = 0; k < core.nq; ++k) {
    if (!std::isnan(out.numbers[k])) continue;
    const double a = low[static_cast<std::size_t>(k)], b = high[static_cast<std::size_t>(k)];
    if (!(std::abs(a) < k_largest && std::abs(b) < k_largest))
      throw std::invalid_argument("randomConfiguration: number " + std::to_string(k) +
                                  " of q has no bounds; give lower_bound and upper_bound");
    out.numbers[k] = a + (b - a) * uniform();
  }
  return out.array;
}

}  // namespace

void bind_configurations(nb::module_& m) {
  m.def(
      "seed", [](std::uint64_t number) { generator.seed(number); }, nb::arg("number"));
  m.def("neutral", &neutral_of, nb::arg("model"), "No translation, no rotation.");
  m.def("randomConfiguration", &random_of, nb::arg("model"), nb::arg("lower_bound").none() = nb::none(),
        nb::arg("upper_bound").none() = nb::none(),
        "Between the limits of the model, or these; rotations of quaternions and circles of every direction alike.\n\n"
        "Raises ValueError where a number that has bounds has none. pin.seed starts the numbers again.");
  m.def("integrate", &integrated, nb::arg("model"), nb::arg("q"), nb::arg("v"),
        "Where the velocity v leads in unit time.");
  m.def(
      "difference", &differed, nb::arg("model"), nb::arg("q1"), nb::arg("q2"),
      "The velocity that leads from q1 to q2 in unit time. Limits may be an argument: where one is endless, the number "
      "is\ninfinite, or NaN in a joint of several freedoms or on a circle.");
  m.def("interpolate", &between, nb::arg("model"), nb::arg("q1"), nb::arg("q2"), nb::arg("alpha"),
        "q1 at alpha = 0, q2 at alpha = 1.");
  m.def("normalize", &normalized, nb::arg("model"), nb::arg("q"),
        "q with quaternions and (cos, sin) of length 1; those of length 0 become no rotation.");
}

}  // namespace zwang::python::pinocchio
