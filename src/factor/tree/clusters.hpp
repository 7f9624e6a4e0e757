// SPDX-License-Identifier: BSD-3-Clause
// Clusters: the bodies of a tree in groups, such that every row couples joints of one group only.
//
// Jain 2012, "Multibody graph transformations and analysis: part II", sec. 3 (aggregation); Chignoli et al. 2023, sec.
// IV. The bodies on the paths of a row, from its bodies up to their lowest common ancestor, form one cluster; clusters
// that share a body are merged. If the wrenches of a row do not balance at that ancestor (a contact or a frame), the
// row also depends on that body's motion: its paths go on to the ground. Joints that share a coordinate (mimic) are
// joined like those of a loop.
//
// A cluster has one parent body outside of it; all other parents of its bodies are inside. So the
// clusters form a tree. They are recomputed only if other rows are active than before:
// O(n + rows x path). Allocates nothing after construction.
#pragma once
#include "zwang/model/stages.hpp"
#include "zwang/rows/page/row_numbers.hpp"

namespace zwang {

class Clusters {
 public:
  Clusters(const Tree<double>& tree, const page::RowRoom& room);
  void find(const Data& data, const page::RowNumbers<double>& rows);

  /// In the order of their first bodies: a cluster comes before its children.
  Index count() const { return count_; }
  Index parent(Index c) const { return parent_[c]; }
  Index of(Index body) const { return of_[body]; }
  bool any_loose() const { return any_loose_; }  ///< some row acts on no joint at all

  struct Span {
    const Index *first, *last;
    const Index* begin() const { return first; }
    const Index* end() const { return last; }
    Index size() const { return static_cast<Index>(last - first); }
    Index operator[](Index k) const { return first[k]; }
  };
  Span bodies(Index c) const { return span(body_, body_begin_, c); }  ///< ascending
  /// Coordinates of the model.
  Span coordinates(Index c) const { return span(coordinate_, coordinate_begin_, c); }
  Index first_coordinate(Index c) const { return coordinate_begin_[c]; }
  Index place(Index v) const { return place_[v]; }  ///< index of a coordinate of the model in its cluster
  /// Rows of the stage that couple joints: hard ones, and soft ones between bodies.
  Span hard_rows(Index c) const { return {row_.data() + row_begin_[c], row_.data() + soft_begin_[c]}; }
  Span soft_rows(Index c) const { return {row_.data() + soft_begin_[c], row_.data() + row_begin_[c + 1]}; }
  /// A cluster of one body without rows.
  bool is_free(Index c) const { return row_begin_[c] == row_begin_[c + 1] && body_begin_[c] + 1 == body_begin_[c + 1]; }
  Index first_row(Index c) const { return row_begin_[c]; }
  /// f(body, K) for every body that row k acts on, without the ground.
  template <class F> void for_each_part(Index k, F&& f) const {
    for (Index p = part_begin_[k]; p < part_begin_[k + 1]; ++p)
      if (part_body_[p] > 0) f(part_body_[p], part_K_[p]);
  }

 private:
  Span span(const Buffer<Index>& list, const Buffer<Index>& begin, Index c) const {
    return {list.data() + begin[c], list.data() + begin[c + 1]};
  }
  bool are_known(const page::RowNumbers<double>& rows) const;
  void take_parts(const page::RowNumbers<double>& rows);
  bool reach_further(const Data& data, const page::RowNumbers<double>& rows);
  void arrange(const Tree<double>& tree, const page::RowNumbers<double>& rows);
  void bind_row(const Tree<double>& tree, Index k);
  void bind_shared(const Tree<double>& tree);
  void number_bodies(const Tree<double>& tree);
  void number_coordinates(const Tree<double>& tree);
  void number_rows(const page::RowNumbers<double>& rows);
  void bind_path(const Tree<double>& tree, Index body, Index top, Index& bound);
  Index first_of(Index body);

  Index count_ = 0, rows_ = 0, further_ = 0;
  bool any_loose_ = false;
  Buffer<Index> of_, body_, body_begin_, parent_, coordinate_, coordinate_begin_, place_;
  Buffer<Index> row_, row_begin_, soft_begin_;
  Buffer<Index> part_begin_, part_body_, part_place_;
  Buffer<Force<double>> part_K_;  ///< wrenches in the stage now, side by side
  /// The rows at the time when the clusters were computed.
  struct Known {
    Buffer<Index> row_place, further_row, further_place, further_body;
  } known_;
  Buffer<Index> row_body_, bound_;  ///< [rows] first body; a body of the row's cluster; 0: loose; -1: in its body
  Buffer<unsigned char> is_soft_, to_ground_;  ///< [rows]
  Buffer<Index> top_, shared_bound_;           ///< [shared coordinates]
};

}  // namespace zwang
