// SPDX-License-Identifier: BSD-3-Clause
// ContactRows: what may act by impulses in a step: points of contact, limits of joints, dry friction, as rows of J and
// as cones.
//
//   point       sigma = v of b - v of a at the point, along t1, t2 and the normal (from a to b)
//   limit       sigma = v_k or -v_k, gap = q_k - lower or upper - q_k
//   friction    sigma = v_k, |impulse| <= F h
//   the user's rows with a sense (sided_rows.hpp)
#pragma once
#include <vector>

#include "simulation/one_sided_rows.hpp"
#include "zwang/contact/contact_solver.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

class ContactRows {
 public:
  explicit ContactRows(Movement& motion);

  /// All rows at q, where `data` is. Points are found whose gap is at most `least`, or what twice the velocities of
  /// `data` close in `ahead`; limits likewise by `speed` [nv]. Without `speed` nothing moves, and friction is left out.
  void find(const Data& data, const double* q, const double* speed, double least, double ahead);
  /// Keeps the rows of which keep(row) holds, and numbers them.
  template <class F> void keep(F&& keep) {
    std::erase_if(list_, [&](const ContactRow& x) { return !keep(x); });
    number();
  }
  /// Fills J for the rows there are.
  void form(const Data& data);

  const std::vector<ContactRow>& list() const { return list_; }
  Index rows() const { return rows_; }
  /// J, a row after the other [rows x nv].
  const double* row(Index r) const { return J_.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(nv_); }
  /// sigma_n of a row at a velocity.
  double approach(const ContactRow& x, const double* v) const;
  const ContactPairs::Pair& pair_of(const ContactRow& x) const {
    return pairs_.pairs()[static_cast<std::size_t>(x.pair)];
  }
  ContactPairs& pairs() { return pairs_; }
  const ContactPairs& pairs() const { return pairs_; }
  OneSidedRows& sided() { return sided_; }
  const OneSidedRows& sided() const { return sided_; }
  const std::vector<std::string>& notes() const { return notes_; }  ///< on limits that are not kept
  std::string name(const ContactRow& x) const;
  std::string explain(const ContactReport& report) const;  ///< in the names of shapes and joints

 private:
  struct Limit {
    Index v, q;
    double lower, upper;
  };
  struct DryFriction {
    Index v;
    double bound;
  };
  void number();
  void add_point_row(const Data& data, const ContactRow& x, Index body, double sign);
  Model model_;
  ContactPairs pairs_;
  OneSidedRows sided_;
  Index nv_, rows_ = 0;
  std::vector<Limit> limits_;
  std::vector<DryFriction> friction_;
  std::vector<std::string> notes_;
  std::vector<ContactRow> list_;
  std::vector<TouchingPoint> points_;
  std::vector<double> J_;
};

}  // namespace zwang
