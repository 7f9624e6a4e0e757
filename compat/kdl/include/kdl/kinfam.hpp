// SPDX-License-Identifier: BSD-3-Clause
// Chains, trees and what they are made of.
#pragma once
#include "chain.hpp"
#include "joint.hpp"
#include "segment.hpp"
#include "tree.hpp"
