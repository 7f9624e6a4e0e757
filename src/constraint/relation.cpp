// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "constraint/page_relation.hpp"

namespace zwang {

Relation::~Relation() = default;
const RelationPage* Relation::page() const { return nullptr; }
bool Relation::position_is_free() const { return false; }

Relation::Relation(Index rows, std::vector<Index> bodies) : rows_(rows), bodies_(detail::in_order(std::move(bodies))) {}

std::vector<Index> detail::in_order(std::vector<Index> bodies) {
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  if (bodies.size() > 1 && bodies.front() == 0) bodies.erase(bodies.begin());
  return bodies;
}

namespace {

/// Any page of the list, with its own copies of arrays.
class PageRelation final : public Relation {
 public:
  PageRelation(Index rows, std::vector<Index> bodies, const RelationPage& page)
      : Relation(rows, std::move(bodies)),
        page_(keep(page)) {}
  PageRelation(const PageRelation&) = delete;
  PageRelation& operator=(const PageRelation&) = delete;

  void evaluate(const Data& data, const double* q, const double* v, const RowValues& out) const override {
    zwang::evaluate(page_, data, q, v, shape(), out);
  }
  const RelationPage* page() const override { return &page_; }
  bool position_is_free() const override {
    bool free = false;
    page_.visit([&](const auto& page) { free = page.position_is_free; });
    return free;
  }

 private:
  RelationPage keep(RelationPage page) {
    page.visit([&](auto& own) { own.for_each_array([&](auto& array) { keep_array(array); }); });
    return page;
  }
  template <class T> void keep_array(ConstArray<T>& array) {
    auto copy = std::make_shared<std::vector<T>>(array.data, array.data + array.size);
    array.data = copy->data();
    arrays_.push_back(std::move(copy));
  }

  std::vector<std::shared_ptr<const void>> arrays_;
  RelationPage page_;
};

}  // namespace

std::shared_ptr<const Relation> detail::relation_of(Index rows, std::vector<Index> bodies, const RelationPage& page) {
  return std::make_shared<PageRelation>(rows, std::move(bodies), page);
}

}  // namespace zwang
