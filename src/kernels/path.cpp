// SPDX-License-Identifier: BSD-3-Clause
// Rows of one state at the ends of their own paths, at one instruction set.
#include "kernels/path_response.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

bool sweep(void* data, void* rows, void* stage, const void* entries, void (*relations)(void*), void* context,
           const double* q, const double* v, const double* tau, double* qdd) {
  return path_rows::sweep(*static_cast<BasicData<double>*>(data), *static_cast<page::RowNumbers<double>*>(rows),
                          *static_cast<PathStage*>(stage), static_cast<const page::ActiveRows<double>*>(entries),
                          relations, context, q, v, tau, qdd);
}
bool publish(void* data, const void* rows, void* stage, const double* qdd, double* torque, double& energy) {
  return path_rows::publish(*static_cast<BasicData<double>*>(data), *static_cast<const page::RowNumbers<double>*>(rows),
                            *static_cast<PathStage*>(stage), qdd, torque, energy);
}

bool respond(const void* data, const void* rows, void* stage, const double* tau, const double* b, double* x,
             double* lambda) {
  return path_rows::respond(*static_cast<const BasicData<double>*>(data),
                            *static_cast<const page::RowNumbers<double>*>(rows), *static_cast<PathStage*>(stage), tau,
                            b, x, lambda);
}

}  // namespace

extern const PathKernels path_kernels;
const PathKernels path_kernels{static_cast<int>(sizeof(PathStage)), sweep, publish, respond};

}  // namespace ZWANG_ISA
}  // namespace zwang
