// SPDX-License-Identifier: BSD-3-Clause
// What properties named status, statuses and report give of N states.
#pragma once
#include <nanobind/nanobind.h>

#include "zwang/core/status.hpp"

namespace zwang {
enum class PoseStatus;
}

namespace zwang::python {

namespace nb = nanobind;

/// An array of numbers as zwang.Statuses, whose entries are Status, one of no dimension as a Status;
/// anything else as it is.
nb::object as_statuses(const nb::object& given);
/// A list of reports as zwang.Reports, which prints as a count.
nb::object as_reports(const nb::object& list);
/// Among those of Python's Status, which has a word more.
Status status_of(PoseStatus status);

}  // namespace zwang::python
