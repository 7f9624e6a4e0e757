// SPDX-License-Identifier: BSD-3-Clause
// Planar four-bars closed by hinges, five rows of which two count, beside the two rows that count: N of them in a row
// on the ground, where neighbours share a rod, and along a chain, each on a link that the last one carries.
#include <benchmark/benchmark.h>

#include <memory>

#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/solve/solver.hpp"

namespace {

std::string link(const std::string& name, const std::string& centre) {
  return "<link name='" + name + "'><inertial><origin xyz='" + centre +
         "'/><mass value='1'/><inertia ixx='.08' iyy='.08' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link>";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child, const std::string& at,
                  const std::string& axis = "0 1 0") {
  return "<joint name='" + name + "' type='continuous'><origin xyz='" + at + "'/><parent link='" + parent +
         "'/><child link='" + child + "'/><axis xyz='" + axis + "'/></joint>";
}
/// A massless link fixed to another: a frame.
std::string frame(const std::string& name, const std::string& parent, const std::string& at) {
  return "<link name='" + name + "'/><joint name='at_" + name + "' type='fixed'><origin xyz='" + at +
         "'/><parent link='" + parent + "'/><child link='" + name + "'/></joint>";
}
std::string rod(const std::string& name, const std::string& parent, const std::string& k, const std::string& at) {
  return link(name, "0 0 .5") + joint(name, parent, name, at) + frame(name + "_top", name, "0 0 1") +
         (k.empty() ? ""
                    : link("bar" + k, ".5 0 0") + joint("b" + k, name, "bar" + k, "0 0 1") +
                          frame("end" + k, "bar" + k, "1 0 0"));
}
zwang::Model linkages(int count, bool on_ground) {
  std::string s = "<link name='base'/>", before = "base";
  for (int i = 0; i < count + (on_ground ? 1 : 0); ++i) {
    const std::string k = std::to_string(i);
    if (on_ground) {
      s += rod("rod" + k, "base", i < count ? k : "", k + " 0 0");
      continue;
    }
    s += link("spine" + k, "0 .1 .5") + joint("spine" + k, before, "spine" + k, "0 0 1", "1 0 0");
    before = "spine" + k;
    s += rod("left" + k, before, k, "0 0 0") + rod("rod" + k, before, "", "1 0 0");
  }
  return zwang::loads("<robot name='linkages'>" + s + "</robot>");
}

struct Case {
  Case(int count, bool on_ground, bool hinges, const std::string& method)
      : model(linkages(count, on_ground)),
        set(model),
        q(zwang::neutral(model)) {
    for (int i = 0; i < count; ++i)
      set.add(zwang::LoopConstraint{.name = "loop" + std::to_string(i),
                                    .frame = "rod" + std::to_string(on_ground ? i + 1 : i) + "_top",
                                    .other = "end" + std::to_string(i),
                                    .rows = zwang::rows(hinges ? "linear angular.x angular.z" : "linear.x linear.z")});
    solver = std::make_unique<zwang::Solver>(model, set, zwang::SolverSettings{.method = method});
  }
  zwang::Model model;
  zwang::ConstraintSet set;
  Eigen::VectorXd q;
  std::unique_ptr<zwang::Solver> solver;
};

void add(int count, bool on_ground, bool hinges, const std::string& method) {
  const std::string name = std::string(on_ground ? "ground" : "chain") + "/" + std::to_string(count) +
                           (hinges ? "/hinges/" : "/rows_that_count/") + method;
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Case c(count, on_ground, hinges, method);
    for (auto _ : state) {
      const zwang::SolveReport& r = c.solver->solve({.q = c.q}).report;
      if (r.status != zwang::Status::ok || r.rank != 2 * count) state.SkipWithError("not solved");
    }
    state.SetLabel(c.solver->solve({.q = c.q}).report.method);
  });
}

}  // namespace

int main(int argc, char** argv) {
  for (const bool on_ground : {true, false})
    for (const int count : {10, 20, 40, 160}) {
      add(count, on_ground, true, "automatic");
      for (const char* method : {"automatic", "loop_aba", "embedding"}) add(count, on_ground, false, method);
    }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
