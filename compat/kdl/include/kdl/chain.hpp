// SPDX-License-Identifier: BSD-3-Clause
// Chain: segments one after the other.
#pragma once
#include <string>
#include <vector>

#include "segment.hpp"

namespace KDL {

class Chain {
 public:
  std::vector<Segment> segments;

  /// With `unique_names`, addSegment() and addChain() refuse a name that is there already, but "NoName".
  explicit Chain(bool unique_names = false) : unique_names_(unique_names) {}

  /// Adds a copy at the end; false where the name is refused.
  bool addSegment(const Segment& segment);
  /// Adds copies of all segments, or, where a name is refused, of none.
  bool addChain(const Chain& chain);

  unsigned int getNrOfJoints() const;  ///< that move
  unsigned int getNrOfSegments() const { return static_cast<unsigned int>(segments.size()); }

  /// Throws std::out_of_range beyond the end. A change is seen by the solvers that were made for the chain.
  const Segment& getSegment(unsigned int nr) const { return segments[checked(nr)]; }
  Segment& getSegment(unsigned int nr) { return segments[checked(nr)]; }

  // The interface that KDL discussed as 1.1: the result is the last argument, false says that there is none.
  bool getSegment(unsigned int nr, Segment& segment) const;
  bool getSegment(const std::string& name, Segment& segment) const;  ///< the first of that name
  bool getRootSegment(Segment& segment) const { return getSegment(0u, segment); }
  bool getLeafSegment(Segment& segment) const;
  bool getSegments(std::vector<Segment>& out) const;
  /// The part from one segment to another, both included.
  bool getChain_Including(unsigned int from, unsigned int to, Chain& part) const;
  bool getChain_Including(const std::string& from, const std::string& to, Chain& part) const;
  /// The same without the first of them.
  bool getChain_Excluding(unsigned int from, unsigned int to, Chain& part) const;
  bool getChain_Excluding(const std::string& from, const std::string& to, Chain& part) const;
  /// What comes before a segment.
  bool copy(unsigned int end, Chain& part) const;
  bool copy(const std::string& end, Chain& part) const;

 private:
  unsigned int checked(unsigned int nr) const {
    if (nr >= segments.size()) throw_out_of_range(nr);
    return nr;
  }
  [[noreturn]] void throw_out_of_range(unsigned int nr) const;
  bool find(const std::string& name, unsigned int& nr) const;
  bool takes(const std::string& name) const;
  bool part_of(unsigned int begin, unsigned int end, Chain& part) const;
  bool unique_names_;
};

}  // namespace KDL
