// SPDX-License-Identifier: BSD-3-Clause
// The matrices behind JntArray, Jacobian and JntSpaceInertiaMatrix.
//
// Eigen allocates memory for its own types by rules that follow the compiler's options. A program built
// with -march=native and a library built without it would free each other's memory wrongly. These types ask for no
// alignment: they use malloc and free alone, in every program.
#pragma once
#include <Eigen/Core>

namespace KDL {

typedef Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign> VectorStorage;
typedef Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign> MatrixStorage;
typedef Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::DontAlign> JacobianStorage;

}  // namespace KDL
