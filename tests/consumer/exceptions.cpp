// SPDX-License-Identifier: BSD-3-Clause
// Exceptions that the library throws are caught by their own classes in a program, also across a shared library that
// hides all other names; a class of the program is called by the library.
#include <zwang/zwang.hpp>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

int failures = 0;

struct OfTheProgram : std::domain_error {
  using std::domain_error::domain_error;
};

class Refusing : public zwang::CustomRows {
 public:
  zwang::Index rows() const override { return 1; }
  void evaluate(const double*, const double*, double*, double*, double*) const override {
    throw OfTheProgram("not at this state");
  }
};

template <class Error, class Call> void expect(const char* what, Call&& call) {
  try {
    call();
    std::printf("%s: nothing was thrown\n", what);
    ++failures;
  } catch (const Error& e) {
    if (dynamic_cast<const Error*>(static_cast<const std::exception*>(&e)) == nullptr ||
        std::string(e.what()).empty()) {
      std::printf("%s: caught something else\n", what);
      ++failures;
    }
  } catch (const std::exception& e) {
    std::printf("%s: not of the class that was expected: %s\n", what, e.what());
    ++failures;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const zwang::Model arm = zwang::load(argv[1]);
  zwang::Data data(arm);
  const Eigen::VectorXd q = zwang::neutral(arm);
  const Eigen::VectorXd v = zwang::zero(arm);
  const Eigen::VectorXd big = Eigen::VectorXd::Constant(arm.nv(), 1e300);
  expect<zwang::ModelError>("a file that is not there", [] { zwang::load("there is no such file.urdf"); });
  expect<zwang::ArithmeticOverflowError>("velocities beyond double", [&] { zwang::bias_forces(arm, data, q, big); });
  expect<std::invalid_argument>("an unknown frame", [&] { zwang::frame_pose(arm, data, q, "no such frame"); });
  zwang::ConstraintSet constraints(arm);
  constraints.add(zwang::CustomConstraint{.name = "mine", .rows = std::make_shared<Refusing>()});
  zwang::Solver solver(arm, constraints);
  expect<OfTheProgram>("an exception of the program, through the library",
                       [&] { solver.solve({.q = q, .v = v, .tau = v}); });
  std::puts(failures == 0 ? "exceptions ok" : "exceptions FAILED");
  return failures;
}
