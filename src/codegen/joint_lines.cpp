// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/joint_lines.hpp"

#include <type_traits>
#include <utility>

#include "codegen/prune.hpp"
#include "codegen/recording.hpp"
#include "codegen/refusals.hpp"
#include "zwang/model/joint_types.hpp"

namespace zwang::codegen {
namespace {

using Symbols = std::vector<Symbol>;

/// One recording with its arguments.
class Lines {
 public:
  Symbols input(const std::string& name, Index size) {
    FormulaArgument x{name, size, 1, false, "", {}};
    Symbols all;
    for (Index k = 0; k < size; ++k) all.push_back(record_.input());
    for (const Symbol& s : all) x.nodes.push_back(s.node);
    f_.inputs.push_back(std::move(x));
    return all;
  }
  void output(const std::string& name, const Symbols& x) {
    FormulaArgument out{name, static_cast<Index>(x.size()), 1, false, "", {}};
    for (const Symbol& s : x) out.nodes.push_back(s.node);
    f_.outputs.push_back(std::move(out));
  }
  Formula finish() {
    f_.nodes = record_.nodes();
    return prune(std::move(f_));
  }

 private:
  Recording record_;
  Formula f_;
};

void put(const Vec3<Symbol>& x, Symbols& out) { out.insert(out.end(), {x.x, x.y, x.z}); }
void put(const Motion<Symbol>& m, Symbols& out) { put(m.v, out), put(m.w, out); }

template <class J> void normalize(Symbols& q) {
  normalize_or_refuse(q.data(), J::nq, [](Symbol* x) { J::normalize(x); });
}

template <class J> void record_motion(const Body<double>& body, const JointResults& wanted, Lines& lines) {
  Body<double> at = body;
  at.placement = Transform<double>::identity();
  Symbols q = lines.input("q", J::nq), pose, columns, rates;
  const Symbols u = lines.input("u", J::nv);
  normalize<J>(q);
  Symbols sine, cosine;
  for (int k = 0; k < J::nq; ++k)
    if ((J::angles >> k & 1) != 0) {
      const SinCos<Symbol> x = sincos(q[static_cast<std::size_t>(k)]);
      sine.push_back(x.sin), cosine.push_back(x.cos);
    }
  const JointInput<Symbol> in{q.data(), sine.data(), cosine.data(), body.parameters, nullptr};
  Transform<Symbol> X;
  J::place(at, in, X);
  for (const Vec3<Symbol>& row : {X.R.r0, X.R.r1, X.R.r2, X.p}) put(row, pose);
  lines.output("joint", pose);
  constexpr int k_room = J::nv > 0 ? J::nv : 1;
  Motion<Symbol> s[k_room];
  if (wanted.columns) {
    J::columns(in, s);
    for (int k = 0; k < J::nv; ++k) put(s[k], columns);
    lines.output("s", columns);
  }
  if constexpr (!J::constant_columns) {
    if (!wanted.rates) return;
    Motion<Symbol> sum = Motion<Symbol>::zero();
    J::rates(in, u.data(), s);
    for (int k = 0; k < J::nv; ++k) sum += s[k] * u[static_cast<std::size_t>(k)];
    put(sum, rates);
    lines.output("c", rates);
  }
}

}  // namespace

Formula joint_motion(const Body<double>& body, const JointResults& wanted) {
  Lines lines;
  visit(body.kind, [&](auto joint) {
    using J = decltype(joint);
    if constexpr (!std::is_same_v<J, User>) record_motion<J>(body, wanted, lines);
  });
  return lines.finish();
}

std::vector<bool> without_turning(const Tree<double>& tree) {
  std::vector<bool> all(static_cast<std::size_t>(tree.n) + 1, true);
  for (Index i = 1; i <= tree.n; ++i) {
    const Body<double>& b = tree.body[i];
    const bool slides = b.nv == 0 || b.kind == kind_of<Prismatic> || b.kind == kind_of<Translation>;
    all[static_cast<std::size_t>(i)] = slides && b.user == nullptr && all[static_cast<std::size_t>(b.parent)];
  }
  return all;
}

Formula joint_step(Index kind) {
  Lines lines;
  visit(kind, [&](auto joint) {
    using J = decltype(joint);
    if constexpr (!std::is_same_v<J, User>) {
      Symbols q = lines.input("q", J::nq), out(static_cast<std::size_t>(J::nq));
      const Symbols d = lines.input("d", J::nv);
      normalize<J>(q);
      J::integrate(q.data(), d.data(), out.data());
      lines.output("out", out);
    }
  });
  return lines.finish();
}

Formula joint_way(Index kind) {
  Lines lines;
  visit(kind, [&](auto joint) {
    using J = decltype(joint);
    if constexpr (!std::is_same_v<J, User>) {
      Symbols q0 = lines.input("q0", J::nq), q1 = lines.input("q1", J::nq), d(static_cast<std::size_t>(J::nv));
      normalize<J>(q0), normalize<J>(q1);
      J::difference(q0.data(), q1.data(), d.data());
      lines.output("d", d);
    }
  });
  return lines.finish();
}

Formula ball_way() {
  Lines lines;
  const Symbols r = lines.input("rest", 4);
  Symbols q = lines.input("q", 4), phi;
  normalize<Spherical>(q);
  const Quat<Symbol> from{r[0], r[1], r[2], r[3]}, to{q[0], q[1], q[2], q[3]};
  put(log_so3(Quat<Symbol>(conjugate(from) * to)), phi);
  lines.output("phi", phi);
  return lines.finish();
}

Formula rotation_vector() {
  Lines lines;
  const Symbols r = lines.input("R", 9);
  Symbols phi;
  const Mat3<Symbol> R{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
  put(log_so3(R), phi);
  phi[0] *= one_of_rotation(R);
  lines.output("phi", phi);
  return lines.finish();
}

}  // namespace zwang::codegen
