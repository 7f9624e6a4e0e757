// SPDX-License-Identifier: BSD-3-Clause
// ConstVector: a vector that a call reads, which may be left out.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "zwang/core/config.hpp"

namespace zwang {

/// A view of a vector: from any Eigen vector, std::vector or pointer and size.
class ConstVector {
 public:
  ConstVector() = default;
  ConstVector(const double* data, Index size) : data_(data), size_(size) {}
  ConstVector(const Eigen::VectorXd& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  ConstVector(const Eigen::Ref<const Eigen::VectorXd>& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  ConstVector(const Eigen::Map<const Eigen::VectorXd>& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  ConstVector(const std::vector<double>& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  const double* data() const { return data_; }
  Index size() const { return size_; }

 private:
  const double* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace zwang
