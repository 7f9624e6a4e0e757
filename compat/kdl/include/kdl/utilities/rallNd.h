// SPDX-License-Identifier: BSD-3-Clause
// RallNd<N>: N derivatives, as a dual number whose parts are RallNd<N - 1>.
#pragma once
#include "rall1d.h"
#include "rall1d_io.h"
#include "rall2d.h"
#include "rall2d_io.h"

namespace KDL {

template <int N> class RallNd : public Rall1d<RallNd<N - 1>, RallNd<N - 1>, double> {
  typedef Rall1d<RallNd<N - 1>, RallNd<N - 1>, double> Base;

 public:
  RallNd() = default;
  RallNd(const Base& value) : Base(value) {}
  RallNd(double value) : Base(RallNd<N - 1>(value)) {}
  RallNd(const RallNd<N - 1>& value, const RallNd<N - 1>& derivative) : Base(value, derivative) {}
};

template <> class RallNd<1> : public Rall1d<double> {
  typedef Rall1d<double> Base;

 public:
  RallNd() = default;
  RallNd(const Base& value) : Base(value) {}
  RallNd(double value) : Base(value) {}
  RallNd(double value, double derivative) : Base(value, derivative) {}
};

}  // namespace KDL
