// SPDX-License-Identifier: BSD-3-Clause
// Pinocchio behind plain numbers: its headers and zwang's meet in no translation unit.
#pragma once
#include <memory>
#include <vector>

/// One body of the tree, canonical frames: revolute and prismatic joints turn about and slide along local z.
struct PeerBody {
  int parent;                          ///< 0: the ground
  char joint;                          ///< r, p, or f (free)
  double R[9], p[3];                   ///< placement in the parent, row by row
  double mass, centre[3], inertia[6];  ///< about the centre: xx xy xz yy yz zz
  double armature;
};
struct PeerContact {
  int body;
  int rows;  ///< 3 or 6
  double at[3];
};

class Peer {
 public:
  Peer(const std::vector<PeerBody>& bodies, const std::vector<PeerContact>& contacts, int states);
  ~Peer();
  void set_state(int i, const double* q, const double* v, const double* a, const double* tau);
  int nv() const;
  enum Task { fk, rnea, aba, crba, constrained_kkt, constrained_pv, constrained_aba, count };
  static const char* name(Task task);
  void run(Task task, int state);         ///< one call
  const double* result(Task task) const;  ///< nv numbers of the last call (rnea, aba, constrained)
  double mass_entry(int row, int column) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
