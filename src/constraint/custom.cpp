// SPDX-License-Identifier: BSD-3-Clause
// CustomConstraint: the user's rows on the columns of their coordinates.
#include <mutex>

#include "constraint/bind.hpp"
#include "constraint/joint_columns.hpp"

namespace zwang {
namespace {

/// Arrays of numbers, one per call. Several threads share a relation: each takes its own array, and a new one is made
/// only when more threads are at work than ever before.
class Arrays {
 public:
  explicit Arrays(std::size_t size) : size_(size) { free_.push_back(std::make_unique<double[]>(size)); }
  std::unique_ptr<double[]> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) {
      free_.reserve(++count_);  // so that returning an array allocates nothing
      return std::make_unique<double[]>(size_);
    }
    std::unique_ptr<double[]> array = std::move(free_.back());
    free_.pop_back();
    return array;
  }
  void give_back(std::unique_ptr<double[]> array) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(array));
  }

 private:
  std::mutex mutex_;
  std::size_t size_, count_ = 1;
  std::vector<std::unique_ptr<double[]>> free_;
};

class CustomRelation final : public Relation {
 public:
  CustomRelation(std::vector<page::CoordinateColumn> coordinates, std::shared_ptr<const CustomRows> custom, Index rows)
      : Relation(rows, detail::bodies_of(coordinates)),
        coordinates_(std::move(coordinates)),
        custom_(std::move(custom)),
        arrays_(static_cast<std::size_t>(rows) * coordinates_.size()) {
    detail::find_places(coordinates_, bodies());
  }

  void evaluate(const Data& data, const double* q, const double* v, const RowValues& out) const override {
    const Index n = rows(), width = static_cast<Index>(coordinates_.size());
    struct Loan {
      Arrays& from;
      std::unique_ptr<double[]> array;
      ~Loan() { from.give_back(std::move(array)); }
    } J{arrays_, arrays_.take()};
    for (Index k = 0; k < n * width; ++k) J.array[static_cast<std::size_t>(k)] = 0;
    for (Index r = 0; r < n; ++r) {
      out.phi[r] = std::nan("");
      out.gamma[r] = 0;
    }
    custom_->evaluate(q, v, out.phi, J.array.get(), out.gamma);
    for (Index k = 0; k < n * static_cast<Index>(bodies().size()); ++k) out.K[k] = Force<double>::zero();
    for (Index k = 0; k < 6 * n; ++k) out.as_given[k] = 0;
    for (Index k = 0; k < width; ++k) {
      const page::CoordinateColumn& c = coordinates_[static_cast<std::size_t>(k)];
      Force<double>* const child = out.K + c.child_place * n;
      Force<double>* const parent = c.parent_place < 0 ? nullptr : out.K + c.parent_place * n;
      for (Index r = 0; r < n; ++r) {
        const double slope = J.array[static_cast<std::size_t>(r * width + k)];
        if (slope == 0) continue;
        out.gamma[r] -= page::add_coordinate(data, c, slope, child + r, parent == nullptr ? nullptr : parent + r);
      }
    }
  }

 private:
  std::vector<page::CoordinateColumn> coordinates_;
  std::shared_ptr<const CustomRows> custom_;
  mutable Arrays arrays_;
};

}  // namespace

CustomRows::~CustomRows() = default;

Constraint bind(const Model& model, const CustomConstraint& f) {
  Constraint c = detail::begin(f, "");
  if (f.rows == nullptr) throw std::invalid_argument("constraint '" + c.name + "': rows: none are given");
  const Index n = f.rows->rows();
  if (n < 1)
    throw std::invalid_argument("constraint '" + c.name + "': rows: there is at least 1; got " + std::to_string(n));
  detail::check_row_count(c.name, static_cast<std::size_t>(n));
  std::vector<std::string> names = f.row_names;
  for (Index r = 0; r < n && f.row_names.empty(); ++r) names.push_back("row[" + std::to_string(r) + "]");
  if (static_cast<Index>(names.size()) != n)
    detail::throw_size(("constraint '" + c.name + "'").c_str(), "row_names", static_cast<long>(names.size()), n);
  std::vector<page::CoordinateColumn> coordinates;
  for (std::size_t i = 0; i < f.coordinates.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (f.coordinates[i] == f.coordinates[j])
        throw std::invalid_argument("constraint '" + c.name + "': coordinate '" + f.coordinates[i] +
                                    "' is named twice");
    coordinates.push_back(detail::find_coordinate(model, f.coordinates[i], f.name));
  }
  for (Index k = 0; k < model.nv() && f.coordinates.empty(); ++k)
    coordinates.push_back(detail::coordinate_column(model, k));
  if (coordinates.empty()) throw std::invalid_argument("constraint '" + c.name + "': coordinates: the model has none");
  detail::set_rows(c, names);
  c.relation = std::make_shared<CustomRelation>(std::move(coordinates), f.rows, n);
  return c;
}

template Constraint& ConstraintSet::add(const CustomConstraint&);
template const CustomConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
