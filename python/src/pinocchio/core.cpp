// SPDX-License-Identifier: BSD-3-Clause
// CoreObject: a robot of zwang, and the coordinates of each library in the order of the other.
#include <algorithm>
#include <cmath>

#include "robot.hpp"

namespace zwang::python::pinocchio {

CoreObject::CoreObject(const nb::object& given)
    : object(given),
      model(nb::cast<const Robot&>(given).model),
      scratch(model),
      factor(model),
      terms(model) {}

namespace {

/// `size` numbers to length 1; of length 0: the first `last` ones.
void bring_to_length_one(double* x, int size, const double* none) {
  double n = 0;
  for (int k = 0; k < size; ++k) n += x[k] * x[k];
  if ((n - 1 > -1e-12 && n - 1 < 1e-12) || !(n < 1e300)) return;
  const double length = std::sqrt(n);
  for (int k = 0; k < size; ++k) x[k] = n > 0 ? x[k] / length : none[k];
}

}  // namespace

void CoreObject::read_own_q(nb::handle q, double* out) const {
  static constexpr double k_no_rotation[] = {0, 0, 0, 1}, k_no_angle[] = {1, 0};
  read(q, nq, "q", out);
  for (const Index k : quaternions) bring_to_length_one(out + k, 4, k_no_rotation);
  for (const Index k : circles) bring_to_length_one(out + k, 2, k_no_angle);
}

void CoreObject::read_q(nb::handle q, double* out) const {
  if (same_q) return read_own_q(q, out);
  read_own_q(q, own_q.data());
  q_to_zwang(own_q.data(), out);
}

void CoreObject::q_to_zwang(const double* own, double* out) const {
  for (const Piece& p : pieces) {
    const double* const x = own + p.own;
    std::copy_n(x, p.planar ? 2 : p.size, out + p.there);
    if (p.planar) out[p.there + 2] = std::atan2(x[3], x[2]);
  }
}

void CoreObject::q_back(const double* z, double* out) const {
  if (same_q) {
    std::copy_n(z, nq, out);
    return;
  }
  for (const Piece& p : pieces) {
    const double* const x = z + p.there;
    double* const own = out + p.own;
    std::copy_n(x, p.planar ? 2 : p.size, own);
    if (p.planar) own[2] = std::cos(x[2]), own[3] = std::sin(x[2]);
  }
}

void CoreObject::read_v(nb::handle v, const char* what, double* out) const {
  if (at_v.empty()) return read(v, nv, what, out);
  read(v, nv, what, room.data());
  for (Index k = 0; k < nv; ++k) out[at_v[static_cast<std::size_t>(k)]] = room[static_cast<std::size_t>(k)];
}
void CoreObject::v_back(const double* z, double* out) const {
  if (at_v.empty())
    std::copy_n(z, nv, out);
  else
    for (Index k = 0; k < nv; ++k) out[k] = z[at_v[static_cast<std::size_t>(k)]];
}
nb::object CoreObject::vector(const double* z) const {
  const Fresh out = fresh(nv);
  v_back(z, out.numbers);
  return out.array;
}

void CoreObject::permute_columns(double* numbers, Index rows) const {
  const std::vector<double> from(numbers, numbers + rows * nv);
  for (Index k = 0; k < nv; ++k)
    std::copy_n(from.data() + at_v[static_cast<std::size_t>(k)] * rows, rows, numbers + k * rows);
}
void CoreObject::permute_rows(double* numbers, Index columns) const {
  for (Index j = 0; j < columns; ++j) {
    double* const column = numbers + j * nv;
    std::copy_n(column, nv, room.data());
    v_back(room.data(), column);
  }
}

Externals CoreObject::externals(nb::handle forces) const {
  Externals list;
  if (forces.is_none()) return list;
  const Py_ssize_t size = PySequence_Size(forces.ptr());
  if (size < 0) nb::raise_python_error();
  if (size != count())
    throw std::invalid_argument("fext has " + std::to_string(size) + " forces, expected " + std::to_string(count()) +
                                ", one per joint");
  for (Py_ssize_t k = 0; k < size; ++k) {
    const nb::object force = nb::steal(PySequence_GetItem(forces.ptr(), k));
    if (!force.is_valid()) nb::raise_python_error();
    const Six* const six = six_of(force);
    if (six == nullptr || !is_force(force))
      throw nb::type_error(
          ("fext[" + std::to_string(k) + "] has type " + type_text(force) + ", expected Force").c_str());
    if (k == 0) continue;  // the universe
    ExternalWrench wrench{joints[static_cast<std::size_t>(k)], {}, Reference::local};
    std::copy_n(six->at, 6, wrench.wrench);
    list.push_back(wrench);
  }
  return list;
}

}  // namespace zwang::python::pinocchio
