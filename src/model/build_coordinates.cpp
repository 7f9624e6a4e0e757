// SPDX-License-Identifier: BSD-3-Clause
// Step 3: coordinates. Every body has its own run of q and v in the spanning tree; the model keeps one coordinate for
// each group of joints that follow each other (mimic): q_s = G y + g0 with constant G.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "model/build_steps.hpp"

namespace zwang::building {
namespace {

/// Numbers in q and v of every edge's joint, and whether q + dq holds for all of them.
struct Sizes {
  Index nq = 0, nv = 0;
  bool additive = true;
};

std::vector<Sizes> sizes_of(const Order& order, const Bodies& bodies) {
  std::vector<Sizes> sizes(order.edges.size());
  for (const BodySource& s : bodies.source) {
    if (s.edge < 0) continue;
    Sizes& e = sizes[static_cast<std::size_t>(s.edge)];
    e.nq += s.type.nq;
    e.nv += s.type.nv;
    e.additive = e.additive && s.type.additive;
  }
  return sizes;
}

/// The edge that each edge follows directly; -1 where it moves on its own.
std::vector<Index> direct_leaders(const Order& order, const std::vector<Sizes>& sizes, Diagnostics& found) {
  std::unordered_map<std::string, Index> edge_of;
  std::vector<Index> direct(order.edges.size(), -1);
  const auto can_follow = [&](Index e) {
    const Sizes& s = sizes[static_cast<std::size_t>(e)];
    return s.nq == 1 && s.nv == 1 && s.additive;
  };
  const auto follows = [](const Edge& e) {
    return e.joint != nullptr && !e.joint->mimic.leader.empty() && e.joint->type != "fixed";
  };
  if (std::none_of(order.edges.begin(), order.edges.end(), follows)) return direct;
  for (std::size_t i = 0; i < order.edges.size(); ++i)
    if (order.edges[i].joint != nullptr) edge_of.emplace(order.edges[i].joint->name, static_cast<Index>(i));
  for (std::size_t i = 0; i < order.edges.size(); ++i) {
    if (!follows(order.edges[i])) continue;
    const JointDescription& joint = *order.edges[i].joint;
    const auto leader = edge_of.find(joint.mimic.leader);
    if (leader == edge_of.end() || !can_follow(leader->second) || !can_follow(static_cast<Index>(i)))
      refuse(found, "E_MIMIC", joint, "a mimic of '" + joint.mimic.leader + "'",
             "two joints of one additive coordinate each");
    else
      direct[i] = leader->second;
  }
  return direct;
}

/// Follows chains to the joint that moves on its own: q = m1 (m2 y + o2) + o1.
void resolve_chains(const Order& order, const std::vector<Index>& direct, Coordinates& out, Diagnostics& found) {
  const std::size_t n = direct.size();
  out.leader.resize(n);
  out.multiplier.assign(n, 1.0);
  out.offset.assign(n, 0.0);
  std::vector<char> state(n, 0);  // 1 on the walk, 2 resolved
  std::vector<std::size_t> walk;
  for (std::size_t start = 0; start < n; ++start) {
    std::size_t i = start;
    for (; state[i] == 0 && direct[i] >= 0; i = static_cast<std::size_t>(direct[i])) {
      state[i] = 1;
      walk.push_back(i);
    }
    if (state[i] == 1) {
      refuse(found, "E_MIMIC", *order.edges[i].joint, "a mimic that leads back to itself",
             "a chain that ends in a joint of its own");
      return;
    }
    if (direct[i] < 0) out.leader[i] = static_cast<Index>(i);
    state[i] = 2;
    for (; !walk.empty(); walk.pop_back()) {
      const std::size_t k = walk.back(), up = static_cast<std::size_t>(direct[k]);
      const Mimic& m = order.edges[k].joint->mimic;
      out.leader[k] = out.leader[up];
      out.multiplier[k] = m.multiplier * out.multiplier[up];
      out.offset[k] = m.multiplier * out.offset[up] + m.offset;
      state[k] = 2;
    }
  }
}

/// The deepest body whose subtree holds two bodies (a <= b): numbers of a subtree are contiguous.
Index meeting(const std::vector<Body<double>>& body, Index a, Index b) {
  while (b >= body[static_cast<std::size_t>(a)].last) a = body[static_cast<std::size_t>(a)].parent;
  return a;
}

/// Groups of columns that share a coordinate.
void fill_shared(const std::vector<Body<double>>& body, std::vector<Column<double>>& column, Index nv,
                 ModelArrays& arrays) {
  struct Group {
    Index columns = 0, first = 0, last = 0;
  };
  std::vector<Group> group(static_cast<std::size_t>(nv));
  for (const Column<double>& c : column) {
    Group& g = group[static_cast<std::size_t>(c.v)];
    g.first = g.columns == 0 ? c.body : std::min(g.first, c.body);
    g.last = std::max(g.last, c.body);
    ++g.columns;
  }
  for (Column<double>& c : column) c.deferred = group[static_cast<std::size_t>(c.v)].columns > 1;
  for (Index v = 0; v < nv; ++v) {
    const Group& g = group[static_cast<std::size_t>(v)];
    if (g.columns < 2) continue;
    const Index meet = meeting(body, g.first, g.last);
    // The body where all subtrees meet belongs to the group only if it is the first of the group.
    arrays.shared.push_back({v, meet, meet == g.first});
  }
  std::sort(arrays.shared.begin(), arrays.shared.end(),
            [](const auto& a, const auto& b) { return a.body != b.body ? a.body < b.body : a.v < b.v; });
  arrays.shared_of.assign(static_cast<std::size_t>(nv), -1);
  for (std::size_t i = 0; i < arrays.shared.size(); ++i)
    arrays.shared_of[static_cast<std::size_t>(arrays.shared[i].v)] = static_cast<Index>(i);
}

}  // namespace

Coordinates coordinates(const BuildOptions& options, const Order& order, const Bodies& bodies, Diagnostics& found) {
  Coordinates out;
  const std::size_t n = order.edges.size();
  const std::vector<Sizes> sizes = sizes_of(order, bodies);
  std::vector<Index> direct(n, -1);
  if (!options.expand_mimic) direct = direct_leaders(order, sizes, found);
  resolve_chains(order, direct, out, found);
  out.q.resize(n);
  out.v.resize(n);
  if (out.leader.size() != n || !found.empty()) return out;
  for (std::size_t i = 0; i < n; ++i) {
    if (out.leader[i] != static_cast<Index>(i)) continue;
    out.q[i] = {out.nq, sizes[i].nq};
    out.v[i] = {out.nv, sizes[i].nv};
    out.nq += sizes[i].nq;
    out.nv += sizes[i].nv;
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.q[i] = out.q[static_cast<std::size_t>(out.leader[i])];
    out.v[i] = out.v[static_cast<std::size_t>(out.leader[i])];
  }
  return out;
}

void fill_columns(const Coordinates& coordinates, Bodies& bodies, ModelArrays& arrays) {
  TreeArrays<double>& a = arrays.in_double;
  Index q = 0, v = 0, angle = 0;
  std::size_t nq = 0;
  for (const Body<double>& b : bodies.body) nq += static_cast<std::size_t>(b.nq);
  arrays.q_source.reserve(nq);
  a.q_multiplier.reserve(nq);
  a.q_offset.reserve(nq);
  a.column.reserve(nq);
  std::vector<Index> last_column(bodies.body.size(), -1);  // of the path to each body, itself included
  for (std::size_t i = 0; i < bodies.body.size(); ++i) {
    Body<double>& b = bodies.body[i];
    const BodySource& s = bodies.source[i];
    b.q = q;
    b.v = v;
    b.angle = angle;
    if (s.edge < 0) continue;
    const auto e = static_cast<std::size_t>(s.edge);
    for (Index k = 0; k < b.nq; ++k) {
      arrays.q_source.push_back(coordinates.q[e].first + s.local_q + k);
      a.q_multiplier.push_back(coordinates.multiplier[e]);
      a.q_offset.push_back(coordinates.offset[e]);
      if ((s.type.angles >> k) & 1) {
        arrays.angle_q.push_back(q + k);
        ++angle;
      }
    }
    Index previous = last_column[static_cast<std::size_t>(b.parent)];
    for (Index k = 0; k < b.nv; ++k) {
      Column<double> c{};
      c.armature = 0;
      c.body = static_cast<Index>(i);
      c.v = coordinates.v[e].first + s.local_v + k;
      c.multiplier = coordinates.multiplier[e];
      c.deferred = false;
      c.parent = previous;
      previous = v + k;
      a.column.push_back(c);
    }
    last_column[i] = previous;
    q += b.nq;
    v += b.nv;
  }
  for (Column<double>& c : a.column) {
    const auto last = static_cast<std::size_t>(bodies.body[static_cast<std::size_t>(c.body)].last);
    c.end = last < bodies.body.size() ? bodies.body[last].v : v;
  }
  fill_shared(bodies.body, a.column, coordinates.nv, arrays);
  if (!arrays.shared.empty()) {
    arrays.row_parent = elimination_tree(bodies.body, a.column, coordinates.nv);
  } else {  // without mimic groups nothing fills in: the previous column of the path
    arrays.row_parent.reserve(a.column.size());
    for (const Column<double>& c : a.column) arrays.row_parent.push_back(c.parent);
  }
  arrays.row_first.reserve(arrays.row_parent.size());
  for (const Index parent : arrays.row_parent) {
    const Index k = static_cast<Index>(arrays.row_first.size());
    arrays.row_first.push_back(k > 0 && parent == k - 1 ? arrays.row_first.back() : k);
  }
}

std::vector<Index> elimination_tree(const std::vector<Body<double>>& body, const std::vector<Column<double>>& column,
                                    Index nv) {
  // M_ij != 0 where a column of i and a column of j lie on one path to the root: every path makes a clique of its
  // coordinates. The elimination tree depends only on which coordinates >= t hang together, for every t (Liu 1990,
  // sections 2 and 3), so that a clique may be replaced by the chain of its coordinates in ascending order: on
  // entering a column only the edges to the nearest smaller and greater coordinate of its path are new.
  std::vector<std::vector<Index>> greater(static_cast<std::size_t>(nv));
  std::set<Index> path;
  std::vector<std::pair<Index, std::size_t>> entered;  // body, how many of its coordinates were new
  std::vector<Index> added;                            // coordinates on the path in the order of entering
  for (std::size_t i = 1; i < body.size(); ++i) {
    while (!entered.empty() && entered.back().first != body[i].parent) {
      for (std::size_t k = entered.back().second; k > 0; --k, added.pop_back()) path.erase(added.back());
      entered.pop_back();
    }
    std::size_t fresh = 0;
    for (Index k = 0; k < body[i].nv; ++k) {
      const Index v = column[static_cast<std::size_t>(body[i].v + k)].v;
      const auto [at, is_new] = path.insert(v);
      if (!is_new) continue;
      ++fresh;
      added.push_back(v);
      if (at != path.begin()) greater[static_cast<std::size_t>(*std::prev(at))].push_back(v);
      if (std::next(at) != path.end()) greater[static_cast<std::size_t>(v)].push_back(*std::next(at));
    }
    entered.emplace_back(static_cast<Index>(i), fresh);
  }
  // Liu's algorithm from the last coordinate to the first, with path compression: `top` leads to the root of each
  // part so far.
  std::vector<Index> parent(static_cast<std::size_t>(nv), -1), top(static_cast<std::size_t>(nv), -1);
  for (Index v = nv; v-- > 0;) {
    for (Index k : greater[static_cast<std::size_t>(v)]) {
      while (k != v) {
        const Index up = top[static_cast<std::size_t>(k)];
        top[static_cast<std::size_t>(k)] = v;
        if (up < 0) parent[static_cast<std::size_t>(k)] = v;
        k = up < 0 ? v : up;
      }
    }
  }
  return parent;
}

}  // namespace zwang::building
