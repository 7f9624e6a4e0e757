// SPDX-License-Identifier: BSD-3-Clause
#include "rows/row_layout.hpp"

#include <algorithm>
#include <climits>

namespace zwang {
namespace {

constexpr Index k_lanes = page::RowNumbers<double>::lanes;

/// The most room that the rows can need: all of them active at once. `count` holds the rows of each body, then the
/// strands of each subtree, then the strands that start at a further body of a row.
page::RowRoom room_of(const Tree<double>& tree, const std::vector<Constraint>& constraints, Buffer<Index>& count) {
  Index* const own = count.data();
  Index* const strands = own + tree.n + 1;
  Index* const further = strands + tree.n + 1;
  for (Index& c : count) c = 0;
  page::RowRoom room;
  for (const Constraint& c : constraints) {
    const Index blocks = (c.size() + k_lanes - 1) / k_lanes;
    if (c.relation != nullptr) {  // they need blocks of their own if they are eliminated early
      strands[first_body(c)] += blocks;
      room.blocks += blocks;
    } else {
      own[first_body(c)] += c.size();
    }
    room.rows += c.size();
    room.early = room.early || c.policy == Policy::early;
    for (std::size_t p = 1; p < part_count(c); ++p) {
      further[body_of_part(c, static_cast<Index>(p))] += blocks + 1;
      room.further += c.size();
    }
  }
  for (Index i = tree.n; i >= 0; --i) {
    const Index blocks = (own[i] + k_lanes - 1) / k_lanes;  // plus those of relations
    strands[i] += blocks + further[i];
    room.blocks += blocks;
    room.groups += (own[i] > 1 ? 1 : 0) + further[i];  // soft and hard rows are in separate groups
    if (i == 0) break;
    room.w += static_cast<long>(strands[i]) * tree.body[i].nv;
    room.lists += strands[i];
    strands[tree.body[i].parent] += strands[i];
  }
  room.groups += room.blocks;
  return room;
}

void add_spare(page::RowRoom& room, Index spare_rows, const Tree<double>& tree) {
  room.rows += spare_rows;
  room.blocks += spare_rows;
  room.groups += 4 * spare_rows;  // each spare row may act between two bodies
  room.w += 2 * static_cast<long>(spare_rows) * tree.spanning_nv;
  room.lists += 2 * static_cast<long>(spare_rows) * tree.n;
  room.further += spare_rows;
}

}  // namespace

RowLayout::RowLayout(const Model& m, const ConstraintSet& given, Index spare_rows, bool may_be_early)
    : model(m),
      set(ConstraintSet::Sharing::with(given)),
      capacity(given.rows() + spare_rows),
      constraint_capacity(given.size() + spare_rows),
      scratch(3 * (m.bodies() + 1)) {
  const Tree<double>& tree = model.tree<double>();
  check_bodies();
  room = room_of(tree, given.constraints(), scratch);
  add_spare(room, spare_rows, tree);
  room.early = room.early || may_be_early || spare_rows > 0;
  const long lambda_packs = static_cast<long>(room.blocks) * room.blocks * k_lanes;
  if (room.rows > k_most_rows || lambda_packs > INT_MAX || room.w > INT_MAX || room.lists > INT_MAX)
    throw std::invalid_argument("Solver: " + std::to_string(room.rows) + " rows on " + std::to_string(room.blocks) +
                                " bodies are more than a solver takes");
  part_capacity = constraint_capacity + spare_rows;
  part_row_capacity = capacity + room.further;
  for (const Constraint& c : given.constraints()) part_capacity += static_cast<Index>(part_count(c)) - 1;
  const auto most = static_cast<std::size_t>(constraint_capacity);
  parts.reserve(static_cast<std::size_t>(part_capacity));
  names.reserve(most);
  bodies.reserve(most);
  relations.reserve(most);
  first_row.reserve(most + 1);
  follow();
}

bool RowLayout::is_same() const {
  bool same = known && set.version() == version && set.model().id() == model.id() && set.size() == count;
  for (Index c = 0; same && c < count; ++c) {
    const auto k = static_cast<std::size_t>(c);
    const Constraint& x = constraint(c);
    same = x.relation == relations[k] && first_body(x) == bodies[k] && knows(c);
  }
  return same;
}

bool RowLayout::follow() {
  if (is_same()) return false;
  known = false;
  check_fits();
  arrange();
  known = true;
  return true;
}

void RowLayout::check_bodies() const {
  for (const Constraint& x : constraints())
    if (first_body(x) < 0 || body_of_part(x, static_cast<Index>(part_count(x)) - 1) > model.bodies())
      throw std::invalid_argument(std::string(owner) + ": constraint '" + x.name.value() +
                                  "' is on a body that the model does not have");
}

void RowLayout::check_fits() {
  const std::string who = std::string(owner) + ": ";
  if (set.model().id() != model.id())
    throw WorkspaceMismatch(who + "the set was replaced by one of another model ('" + set.model().name() + "')");
  if (set.rows() > capacity || set.size() > constraint_capacity)
    throw WorkspaceMismatch(who + "the set has grown to " + std::to_string(set.rows()) + " rows, there is room for " +
                            std::to_string(capacity) + ": " + remedy);
  check_bodies();
  std::size_t part_total = 0;
  for (const Constraint& x : constraints()) part_total += part_count(x);
  const page::RowRoom needed = room_of(model.tree<double>(), constraints(), scratch);
  if (needed.blocks > room.blocks || needed.groups > room.groups || needed.w > room.w || needed.lists > room.lists ||
      needed.further > room.further || part_total > static_cast<std::size_t>(part_capacity))
    throw WorkspaceMismatch(who + "rows were moved to other bodies and do not fit any more: " + remedy);
}

void RowLayout::arrange() {
  ++arrangement;
  count = set.size();
  version = set.version();
  first_row.clear();
  parts.clear();
  bodies.clear();
  relations.clear();
  const auto rank = [&](const Part& y) {
    return 3 * y.body + (y.which > 0 ? 0 : constraint(y.constraint).relation == nullptr ? 1 : 2);
  };
  Index row = 0;
  for (Index c = 0; c < count; ++c) {
    const Constraint& x = constraint(c);
    first_row.push_back(row);
    row += x.size();
    if (names.size() <= static_cast<std::size_t>(c)) names.emplace_back();
    names[static_cast<std::size_t>(c)] = x.name.value();  // a name that stays allocates nothing
    bodies.push_back(first_body(x));
    relations.push_back(x.relation);
    for (std::size_t p = 0; p < part_count(x); ++p) {
      const Index which = static_cast<Index>(p);
      parts.push_back({body_of_part(x, which), c, which});
      for (std::size_t b = parts.size() - 1; b > 0; --b) {  // insertion sort: stable, no allocation
        if (rank(parts[b - 1]) <= rank(parts[b])) break;
        std::swap(parts[b - 1], parts[b]);
      }
    }
  }
  first_row.push_back(row);
}

}  // namespace zwang
