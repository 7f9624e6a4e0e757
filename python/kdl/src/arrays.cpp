// SPDX-License-Identifier: BSD-3-Clause
// Numbers of joints: arrays, Jacobians, mass matrices. `data` is a view of NumPy. As of a bytearray, the size cannot
// change while there is a view: BufferError.
#include <kdl/jacobian.hpp>
#include <kdl/jntarray.hpp>
#include <kdl/jntarrayacc.hpp>
#include <kdl/jntarrayvel.hpp>
#include <kdl/jntspaceinertiamatrix.hpp>
#include <kdl/kinfam_io.hpp>

#include <unordered_map>

#include "bind.hpp"

namespace zwang::python::kdl {

using namespace KDL;

namespace {

using Array = nb::ndarray<nb::numpy, double>;

/// How many views of NumPy show an array's numbers. Under Python's lock.
std::unordered_map<const void*, int>& views() {
  static std::unordered_map<const void*, int> counts;
  return counts;
}

/// Keeps an array alive as long as a view of it.
struct View {
  nb::object array;
  const void* place;
};
template <class T> nb::capsule owner_of(T& array) {
  ++views()[&array];
  return nb::capsule(new View{nb::find(array), &array}, [](void* pointer) noexcept {
    auto* view = static_cast<View*>(pointer);
    if (--views()[view->place] == 0) views().erase(view->place);
    delete view;
  });
}
template <class T> void need_no_view(const T& array) {
  if (views().count(&array) != 0)
    throw nb::buffer_error("the size cannot change while an array of NumPy shows the numbers");
}
/// resize(size), where nobody looks.
template <class T> void resize(T& array, unsigned int size) {
  need_no_view(array);
  array.resize(size);
}
template <class T> void assign(T& array, const T& other) {
  if (array.rows() != other.rows() || array.columns() != other.columns()) need_no_view(array);
  array = other;
}

void bind_array(nb::module_& m) {
  nb::class_<JntArray> type(m, "JntArray");
  type.def(nb::init<>())
      .def(nb::init<unsigned int>())
      .def(nb::init<const JntArray&>())
      .def(
          "__init__",
          [](JntArray* self, const std::vector<double>& numbers) {
            new (self) JntArray(static_cast<unsigned int>(numbers.size()));
            for (std::size_t i = 0; i < numbers.size(); ++i) self->data[static_cast<Eigen::Index>(i)] = numbers[i];
          },
          "numbers"_a)
      .def("rows", &JntArray::rows)
      .def("columns", &JntArray::columns)
      .def("resize", &resize<JntArray>)
      .def("__len__", &JntArray::rows)
      .def("__getitem__",
           [](const JntArray& q, int i) {
             return q(static_cast<unsigned int>(index_of(i, static_cast<int>(q.rows()), "JntArray")));
           })
      .def("__setitem__",
           [](JntArray& q, int i, double x) {
             q(static_cast<unsigned int>(index_of(i, static_cast<int>(q.rows()), "JntArray"))) = x;
           })
      .def_prop_ro(
          "data", [](JntArray& q) { return Array(q.data.data(), {q.rows()}, owner_of(q)); }, nb::rv_policy::automatic);
  value_type(type);
  pickles(
      type, [](const JntArray& q) { return std::vector<double>(q.data.data(), q.data.data() + q.data.size()); },
      [](const std::vector<double>& n) {
        JntArray q(static_cast<unsigned int>(n.size()));
        std::copy(n.begin(), n.end(), q.data.data());
        return q;
      });
}

template <class T> void matrix(nb::class_<T>& type, const char* name) {
  const std::string what = name;
  const auto at = [what](const T& M, const std::tuple<int, int>& ij) {
    return std::pair(static_cast<unsigned int>(index_of(std::get<0>(ij), static_cast<int>(M.rows()), what.c_str())),
                     static_cast<unsigned int>(index_of(std::get<1>(ij), static_cast<int>(M.columns()), what.c_str())));
  };
  type.def(nb::init<>())
      .def(nb::init<unsigned int>())
      .def(nb::init<const T&>())
      .def("rows", &T::rows)
      .def("columns", &T::columns)
      .def("resize", &resize<T>)
      .def("__getitem__",
           [at](const T& M, std::tuple<int, int> ij) {
             const auto [i, j] = at(M, ij);
             return M(i, j);
           })
      .def("__setitem__",
           [at](T& M, std::tuple<int, int> ij, double x) {
             const auto [i, j] = at(M, ij);
             M(i, j) = x;
           })
      .def_prop_ro(
          "data",
          [](T& M) {
            return Array(M.data.data(), {M.rows(), M.columns()}, owner_of(M), {1, static_cast<std::int64_t>(M.rows())});
          },
          nb::rv_policy::automatic);
  value_type(type);
}

void bind_rates_of_joints(nb::module_& m) {
  nb::class_<JntArrayVel>(m, "JntArrayVel")
      .def(nb::init<>())
      .def(nb::init<unsigned int>())
      .def(nb::init<const JntArray&, const JntArray&>(), "q"_a, "qdot"_a)
      .def(nb::init<const JntArray&>())
      .def(nb::init<const JntArrayVel&>())
      .def_prop_rw(
          "q", [](JntArrayVel& x) -> JntArray& { return x.q; },
          [](JntArrayVel& x, const JntArray& q) { assign(x.q, q); })
      .def_prop_rw(
          "qdot", [](JntArrayVel& x) -> JntArray& { return x.qdot; },
          [](JntArrayVel& x, const JntArray& qdot) { assign(x.qdot, qdot); })
      .def("resize",
           [](JntArrayVel& x, unsigned int size) {
             need_no_view(x.q);
             need_no_view(x.qdot);
             x.resize(size);
           })
      .def("value", [](const JntArrayVel& x) { return x.value(); })
      .def("deriv", [](const JntArrayVel& x) { return x.deriv(); });
  nb::class_<JntArrayAcc>(m, "JntArrayAcc")
      .def(nb::init<>())
      .def(nb::init<unsigned int>())
      .def(nb::init<const JntArray&, const JntArray&, const JntArray&>(), "q"_a, "qdot"_a, "qdotdot"_a)
      .def_prop_rw(
          "q", [](JntArrayAcc& x) -> JntArray& { return x.q; },
          [](JntArrayAcc& x, const JntArray& q) { assign(x.q, q); })
      .def_prop_rw(
          "qdot", [](JntArrayAcc& x) -> JntArray& { return x.qdot; },
          [](JntArrayAcc& x, const JntArray& qdot) { assign(x.qdot, qdot); })
      .def_prop_rw(
          "qdotdot", [](JntArrayAcc& x) -> JntArray& { return x.qdotdot; },
          [](JntArrayAcc& x, const JntArray& qdotdot) { assign(x.qdotdot, qdotdot); })
      .def("resize", [](JntArrayAcc& x, unsigned int size) {
        need_no_view(x.q);
        need_no_view(x.qdot);
        need_no_view(x.qdotdot);
        x.resize(size);
      });
}

void need(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(std::string(what) + ": sizes do not fit");
}

void bind_operations(nb::module_& m) {
  const auto same = [](const JntArray& a, const JntArray& b, const JntArray& c) {
    return a.rows() == b.rows() && a.rows() == c.rows();
  };
  m.def("Add", [same](const JntArray& a, const JntArray& b, JntArray& out) {
    need(same(a, b, out), "Add");
    Add(a, b, out);
  });
  m.def("Subtract", [same](const JntArray& a, const JntArray& b, JntArray& out) {
    need(same(a, b, out), "Subtract");
    Subtract(a, b, out);
  });
  m.def("Multiply", [](const JntArray& a, double x, JntArray& out) {
    need(a.rows() == out.rows(), "Multiply");
    Multiply(a, x, out);
  });
  m.def("Divide", [](const JntArray& a, double x, JntArray& out) {
    need(a.rows() == out.rows(), "Divide");
    Divide(a, x, out);
  });
  const auto same_vel = [](const JntArrayVel& a, const JntArrayVel& b) {
    return a.q.rows() == b.q.rows() && a.qdot.rows() == b.qdot.rows() && a.q.rows() == a.qdot.rows();
  };
  m.def("Add", [same_vel](const JntArrayVel& a, const JntArrayVel& b, JntArrayVel& out) {
    need(same_vel(a, b) && same_vel(a, out), "Add");
    Add(a, b, out);
  });
  m.def("Add", [same_vel](const JntArrayVel& a, const JntArray& b, JntArrayVel& out) {
    need(a.q.rows() == b.rows() && same_vel(a, out), "Add");
    Add(a, b, out);
  });
  m.def("Subtract", [same_vel](const JntArrayVel& a, const JntArrayVel& b, JntArrayVel& out) {
    need(same_vel(a, b) && same_vel(a, out), "Subtract");
    Subtract(a, b, out);
  });
  m.def("Subtract", [same_vel](const JntArrayVel& a, const JntArray& b, JntArrayVel& out) {
    need(a.q.rows() == b.rows() && same_vel(a, out), "Subtract");
    Subtract(a, b, out);
  });
  m.def("Multiply", [same_vel](const JntArrayVel& a, double x, JntArrayVel& out) {
    need(same_vel(a, out), "Multiply");
    Multiply(a, x, out);
  });
  m.def("Multiply", [same_vel](const JntArrayVel& a, const doubleVel& x, JntArrayVel& out) {
    need(same_vel(a, out), "Multiply");
    Multiply(a, x, out);
  });
  m.def("Divide", [same_vel](const JntArrayVel& a, double x, JntArrayVel& out) {
    need(same_vel(a, out), "Divide");
    Divide(a, x, out);
  });
  m.def("Divide", [same_vel](const JntArrayVel& a, const doubleVel& x, JntArrayVel& out) {
    need(same_vel(a, out), "Divide");
    Divide(a, x, out);
  });
  using Mass = JntSpaceInertiaMatrix;
  const auto same_mass = [](const Mass& a, const Mass& b) { return a.rows() == b.rows(); };
  m.def("Add", [same_mass](const Mass& a, const Mass& b, Mass& out) {
    need(same_mass(a, b) && same_mass(a, out), "Add");
    Add(a, b, out);
  });
  m.def("Subtract", [same_mass](const Mass& a, const Mass& b, Mass& out) {
    need(same_mass(a, b) && same_mass(a, out), "Subtract");
    Subtract(a, b, out);
  });
  m.def("Multiply", [same_mass](const Mass& a, double x, Mass& out) {
    need(same_mass(a, out), "Multiply");
    Multiply(a, x, out);
  });
  m.def("Multiply", [](const Mass& a, const JntArray& v, JntArray& out) {
    need(a.columns() == v.rows() && a.rows() == out.rows(), "Multiply");
    Multiply(a, v, out);
  });
  m.def("Divide", [same_mass](const Mass& a, double x, Mass& out) {
    need(same_mass(a, out), "Divide");
    Divide(a, x, out);
  });
  m.def("MultiplyJacobian", [](const Jacobian& J, const JntArray& v, Twist& out) {
    need(J.columns() == v.rows(), "MultiplyJacobian");
    MultiplyJacobian(J, v, out);
  });
  m.def(
      "Equal", [](const JntArray& a, const JntArray& b, double eps) { return Equal(a, b, eps); }, "src1"_a, "src2"_a,
      "eps"_a = epsilon);
  m.def(
      "Equal", [](const JntArrayVel& a, const JntArrayVel& b, double eps) { return Equal(a, b, eps); }, "src1"_a,
      "src2"_a, "eps"_a = epsilon);
  m.def(
      "Equal", [](const Mass& a, const Mass& b, double eps) { return Equal(a, b, eps); }, "src1"_a, "src2"_a,
      "eps"_a = epsilon);
  m.def("SetToZero", [](Jacobian& J) { SetToZero(J); });
  m.def("SetToZero", [](JntArray& q) { SetToZero(q); });
  m.def("SetToZero", [](JntArrayVel& q) { SetToZero(q); });
  m.def("SetToZero", [](Mass& M) { SetToZero(M); });
  m.def("changeRefPoint",
        [](const Jacobian& J, const Vector& v, Jacobian& out) { need(changeRefPoint(J, v, out), "changeRefPoint"); });
  m.def("changeBase",
        [](const Jacobian& J, const Rotation& R, Jacobian& out) { need(changeBase(J, R, out), "changeBase"); });
  m.def("changeRefFrame",
        [](const Jacobian& J, const Frame& F, Jacobian& out) { need(changeRefFrame(J, F, out), "changeRefFrame"); });
}

}  // namespace

void bind_arrays(nb::module_& m) {
  bind_array(m);
  bind_rates_of_joints(m);
  nb::class_<Jacobian> jacobian(m, "Jacobian");
  matrix(jacobian, "Jacobian");
  const auto column = [](const Jacobian& J, int i) {
    return static_cast<unsigned int>(index_of(i, static_cast<int>(J.columns()), "Jacobian"));
  };
  jacobian.def("getColumn", [column](const Jacobian& J, int i) { return J.getColumn(column(J, i)); })
      .def("setColumn", [column](Jacobian& J, int i, const Twist& t) { J.setColumn(column(J, i), t); })
      .def("changeRefPoint", [](Jacobian& J, const Vector& v) { J.changeRefPoint(v); })
      .def("changeBase", [](Jacobian& J, const Rotation& R) { J.changeBase(R); })
      .def("changeRefFrame", [](Jacobian& J, const Frame& F) { J.changeRefFrame(F); });
  nb::class_<JntSpaceInertiaMatrix> mass(m, "JntSpaceInertiaMatrix");
  matrix(mass, "JntSpaceInertiaMatrix");
  bind_operations(m);
}

}  // namespace zwang::python::kdl
