// SPDX-License-Identifier: BSD-3-Clause
// Chains and parts of them.
#include <kdl/chain.hpp>
#include <stdexcept>

namespace KDL {

bool Chain::takes(const std::string& name) const {
  unsigned int there;
  return !unique_names_ || name == "NoName" || !find(name, there);
}

bool Chain::addSegment(const Segment& segment) {
  if (!takes(segment.getName())) return false;
  segments.push_back(Segment(segment));  // a copy: the argument may be one of ours
  return true;
}

bool Chain::addChain(const Chain& chain) {
  const std::vector<Segment> added = chain.segments;
  const std::size_t before = segments.size();
  for (const Segment& segment : added) {
    if (addSegment(segment)) continue;
    segments.resize(before, segment);
    return false;
  }
  return true;
}

unsigned int Chain::getNrOfJoints() const {
  unsigned int count = 0;
  for (const Segment& segment : segments) count += segment.getJoint().getType() != Joint::Fixed;
  return count;
}

void Chain::throw_out_of_range(unsigned int nr) const {
  throw std::out_of_range("KDL::Chain::getSegment: there is no segment " + std::to_string(nr) + ", the chain has " +
                          std::to_string(segments.size()));
}

bool Chain::find(const std::string& name, unsigned int& nr) const {
  for (nr = 0; nr < segments.size(); ++nr)
    if (segments[nr].getName() == name) return true;
  return false;
}

bool Chain::getSegment(unsigned int nr, Segment& segment) const {
  if (nr >= segments.size()) return false;
  segment = segments[nr];
  return true;
}

bool Chain::getSegment(const std::string& name, Segment& segment) const {
  unsigned int nr;
  return find(name, nr) && getSegment(nr, segment);
}

bool Chain::getLeafSegment(Segment& segment) const {
  return !segments.empty() && getSegment(getNrOfSegments() - 1, segment);
}

bool Chain::getSegments(std::vector<Segment>& out) const {
  out = segments;
  return true;
}

bool Chain::part_of(unsigned int begin, unsigned int end, Chain& part) const {
  if (begin > end || end > segments.size()) return false;
  part.segments = std::vector<Segment>(segments.begin() + begin, segments.begin() + end);
  return true;
}

bool Chain::getChain_Including(unsigned int from, unsigned int to, Chain& part) const {
  return from <= to && to < segments.size() && part_of(from, to + 1, part);
}
bool Chain::getChain_Including(const std::string& from, const std::string& to, Chain& part) const {
  unsigned int begin, end;
  return find(from, begin) && find(to, end) && getChain_Including(begin, end, part);
}
bool Chain::getChain_Excluding(unsigned int from, unsigned int to, Chain& part) const {
  return from <= to && to < segments.size() && part_of(from + 1, to + 1, part);
}
bool Chain::getChain_Excluding(const std::string& from, const std::string& to, Chain& part) const {
  unsigned int begin, end;
  return find(from, begin) && find(to, end) && getChain_Excluding(begin, end, part);
}

bool Chain::copy(unsigned int end, Chain& part) const { return end < segments.size() && part_of(0, end, part); }
bool Chain::copy(const std::string& end, Chain& part) const {
  unsigned int nr;
  return find(end, nr) && copy(nr, part);
}

}  // namespace KDL
