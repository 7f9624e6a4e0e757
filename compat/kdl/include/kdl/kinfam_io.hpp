// SPDX-License-Identifier: BSD-3-Clause
// Joints, segments, chains, trees and numbers of joints as text.
#pragma once
#include <iostream>
#include <string>

#include "chain.hpp"
#include "frames_io.hpp"
#include "jacobian.hpp"
#include "jntarray.hpp"
#include "jntspaceinertiamatrix.hpp"
#include "tree.hpp"

namespace KDL {

std::ostream& operator<<(std::ostream& os, const Joint& joint);
std::ostream& operator<<(std::ostream& os, const Segment& segment);
std::ostream& operator<<(std::ostream& os, const Chain& chain);
std::ostream& operator<<(std::ostream& os, const Tree& tree);
std::ostream& operator<<(std::ostream& os, SegmentMap::const_iterator it);
std::ostream& operator<<(std::ostream& os, const JntArray& array);
std::ostream& operator<<(std::ostream& os, const Jacobian& jac);
std::ostream& operator<<(std::ostream& os, const JntSpaceInertiaMatrix& matrix);

/// The numbers that << writes. An array takes as many as it has room for. Throws Error_BasicIO for other text.
std::istream& operator>>(std::istream& is, JntArray& array);
std::istream& operator>>(std::istream& is, Jacobian& jac);
std::istream& operator>>(std::istream& is, JntSpaceInertiaMatrix& matrix);
/// There is no format to read: they throw Error_Not_Implemented.
std::istream& operator>>(std::istream& is, Joint& joint);
std::istream& operator>>(std::istream& is, Segment& segment);
std::istream& operator>>(std::istream& is, Chain& chain);
std::istream& operator>>(std::istream& is, Tree& tree);

/// A line for each segment, children behind their parent and further to the right.
std::string tree2str(const Tree& tree, const std::string& separator = "\n", const std::string& preamble = "  ");
std::string tree2str(SegmentMap::const_iterator it, const std::string& separator, const std::string& preamble,
                     unsigned int level);

}  // namespace KDL
