// SPDX-License-Identifier: BSD-3-Clause
// Chains, trees and numbers of joints as text.
#include <kdl/utilities/utility_io.h>
#include <iomanip>
#include <kdl/kinfam_io.hpp>
#include <sstream>

namespace KDL {

namespace {

constexpr int width = 12;

/// In columns; a blank comes before a number that fills its own, or two would be read as one.
void write(std::ostream& os, double number) {
  std::ostringstream text;
  text.copyfmt(os);
  text << std::setw(width) << number;
  if (text.str().front() != ' ') os << ' ';
  os << text.str();
}

/// `[a b ...`, rows on lines of their own, `]`.
template <class Matrix> std::ostream& write_matrix(std::ostream& os, const Matrix& m) {
  os << "[";
  for (unsigned int i = 0; i < m.rows(); ++i) {
    for (unsigned int j = 0; j < m.columns(); ++j) write(os, m(i, j));
    os << "\n";
  }
  return os << "]";
}

double read_number(std::istream& is) {
  Eat(is, "");  // blanks and comments
  if (is.peek() == ',' || is.peek() == ';') is.get();
  Eat(is, "");
  double number = 0;
  if (!(is >> number)) throw Error_BasicIO_File();
  return number;
}

template <class Matrix> std::istream& read(std::istream& is, Matrix& out) {
  Matrix numbers(out);
  Eat(is, '[');
  for (unsigned int i = 0; i < numbers.rows(); ++i)
    for (unsigned int j = 0; j < numbers.columns(); ++j) numbers(i, j) = read_number(is);
  Eat(is, ']');
  out = numbers;
  return is;
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const Joint& joint) {
  return os << joint.getName() << ":[" << joint.getTypeName() << ", axis: " << joint.JointAxis() << ", origin"
            << joint.JointOrigin() << "]";
}
std::ostream& operator<<(std::ostream& os, const Segment& segment) {
  return os << segment.getName() << ":[" << segment.getJoint() << ",\n tip: \n" << segment.getFrameToTip() << "]";
}
std::ostream& operator<<(std::ostream& os, const Chain& chain) {
  os << "[";
  for (const Segment& segment : chain.segments) os << segment << "\n";
  return os << "]";
}
std::ostream& operator<<(std::ostream& os, const Tree& tree) { return os << tree.getRootSegment(); }
std::ostream& operator<<(std::ostream& os, SegmentMap::const_iterator it) { return os << tree2str(it, "\n", "\t", 0); }
std::ostream& operator<<(std::ostream& os, const JntArray& array) {
  os << "[";
  for (unsigned int i = 0; i < array.rows(); ++i) write(os, array(i));
  return os << "]";
}
std::ostream& operator<<(std::ostream& os, const Jacobian& jac) { return write_matrix(os, jac); }
std::ostream& operator<<(std::ostream& os, const JntSpaceInertiaMatrix& matrix) { return write_matrix(os, matrix); }

std::istream& operator>>(std::istream& is, JntArray& array) {
  JntArray numbers(array.rows());
  Eat(is, '[');
  for (unsigned int i = 0; i < numbers.rows(); ++i) numbers(i) = read_number(is);
  Eat(is, ']');
  array = numbers;
  return is;
}
std::istream& operator>>(std::istream& is, Jacobian& jac) { return read(is, jac); }
std::istream& operator>>(std::istream& is, JntSpaceInertiaMatrix& matrix) { return read(is, matrix); }

std::istream& operator>>(std::istream&, Joint&) { throw Error_Not_Implemented(); }
std::istream& operator>>(std::istream&, Segment&) { throw Error_Not_Implemented(); }
std::istream& operator>>(std::istream&, Chain&) { throw Error_Not_Implemented(); }
std::istream& operator>>(std::istream&, Tree&) { throw Error_Not_Implemented(); }

/// Without recursion: a tree may be a long chain.
std::string tree2str(SegmentMap::const_iterator it, const std::string& separator, const std::string& preamble,
                     unsigned int level) {
  std::ostringstream out;
  std::vector<std::pair<SegmentMap::const_iterator, unsigned int>> open{{it, level}};
  while (!open.empty()) {
    const auto [element, depth] = open.back();
    open.pop_back();
    for (unsigned int i = 0; i < depth; ++i) out << preamble;
    out << element->first << "(q_nr: " << element->second.q_nr << ")" << separator;
    const auto& children = element->second.children;
    for (auto child = children.rbegin(); child != children.rend(); ++child) open.emplace_back(*child, depth + 1);
  }
  return out.str();
}
std::string tree2str(const Tree& tree, const std::string& separator, const std::string& preamble) {
  return tree2str(tree.getRootSegment(), separator, preamble, 0);
}

}  // namespace KDL
