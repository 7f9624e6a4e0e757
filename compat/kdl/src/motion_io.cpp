// SPDX-License-Identifier: BSD-3-Clause
// Paths, velocity profiles and trajectories from text: `NAME[ ... ]`. A Read() owns what it has read until it is whole.
#include <kdl/utilities/utility_io.h>
#include <cstring>
#include <kdl/frames_io.hpp>
#include <kdl/motion.hpp>
#include <memory>
#include <string>

namespace KDL {

namespace {

/// The word before `[`, in capitals.
std::string read_name(std::istream& is) {
  char name[64];
  EatWord(is, "[", name, sizeof name);
  std::string out(name);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  while (!out.empty() && (out.back() == ' ' || out.back() == '\n' || out.back() == '\t')) out.pop_back();
  return out;
}

template <class T> T read(std::istream& is) {
  is >> std::ws;
  if (is.peek() == ',') is.get();
  T out;
  if (!(is >> out)) throw Error_BasicIO_File();
  return out;
}

template <class T> T read_geometry(std::istream& is) {
  T out;
  is >> out;
  return out;
}

}  // namespace

RotationalInterpolation* RotationalInterpolation::Read(std::istream& is) {
  if (read_name(is) != "SINGLEAXIS") throw Error_MotionIO_Unexpected_Traj();
  Eat(is, '[');
  EatEnd(is, ']');
  return new RotationalInterpolation_SingleAxis();
}

namespace {

/// Paths of paths: deeper ones are no text that a program wrote.
constexpr int k_deepest = 100;

Path* read_path(std::istream& is, int depth) {
  if (depth > k_deepest) throw Error_MotionIO_Unexpected_Traj();
  const std::string name = read_name(is);
  Eat(is, '[');
  std::unique_ptr<Path> out;
  if (name == "LINE") {
    const Frame start = read_geometry<Frame>(is), end = read_geometry<Frame>(is);
    std::unique_ptr<RotationalInterpolation> orient(RotationalInterpolation::Read(is));
    const double eqradius = read<double>(is);
    out = std::make_unique<Path_Line>(start, end, orient.release(), eqradius);
  } else if (name == "CIRCLE") {
    const Frame start = read_geometry<Frame>(is);
    const Vector centre = read_geometry<Vector>(is), towards = read_geometry<Vector>(is);
    const Rotation end = read_geometry<Rotation>(is);
    const double alpha = read<double>(is) * deg2rad;
    std::unique_ptr<RotationalInterpolation> orient(RotationalInterpolation::Read(is));
    const double eqradius = read<double>(is);
    out = std::make_unique<Path_Circle>(start, centre, towards, end, alpha, orient.release(), eqradius);
  } else if (name == "POINT") {
    out = std::make_unique<Path_Point>(read_geometry<Frame>(is));
  } else if (name == "COMPOSITE") {
    auto composite = std::make_unique<Path_Composite>();
    for (int count = read<int>(is); count > 0; --count) composite->Add(read_path(is, depth + 1));
    out = std::move(composite);
  } else if (name == "CYCLIC_CLOSED") {
    std::unique_ptr<Path> part(read_path(is, depth + 1));
    const int times = read<int>(is);
    out = std::make_unique<Path_Cyclic_Closed>(part.release(), times);
  } else {
    throw Error_MotionIO_Unexpected_Traj();
  }
  EatEnd(is, ']');
  return out.release();
}

}  // namespace

Path* Path::Read(std::istream& is) { return read_path(is, 0); }

VelocityProfile* VelocityProfile::Read(std::istream& is) {
  const std::string name = read_name(is);
  Eat(is, '[');
  std::unique_ptr<VelocityProfile> out;
  if (name == "CONSTVEL") {
    out = std::make_unique<VelocityProfile_Rectangular>(read<double>(is));
  } else if (name == "TRAPEZOIDAL") {
    const double maxvel = read<double>(is), maxacc = read<double>(is);
    out = std::make_unique<VelocityProfile_Trap>(maxvel, maxacc);
  } else if (name == "TRAPEZOIDALHALF") {
    const double maxvel = read<double>(is), maxacc = read<double>(is);
    out = std::make_unique<VelocityProfile_TrapHalf>(maxvel, maxacc, read<int>(is) != 0);
  } else if (name == "DIRACVEL") {
    out = std::make_unique<VelocityProfile_Dirac>();
  } else if (name == "SPLINE") {
    auto spline = std::make_unique<VelocityProfile_Spline>();
    const double duration = read<double>(is);
    double c[6];
    for (double& number : c) number = read<double>(is);
    spline->set(c[0], c[1], c[2], c[3], c[4], c[5], duration);
    out = std::move(spline);
  } else {
    throw Error_MotionIO_Unexpected_MotProf();
  }
  EatEnd(is, ']');
  return out.release();
}

namespace {

Trajectory* read_trajectory(std::istream& is, int depth) {
  if (depth > k_deepest) throw Error_MotionIO_Unexpected_Traj();
  const std::string name = read_name(is);
  Eat(is, '[');
  std::unique_ptr<Trajectory> out;
  if (name == "SEGMENT") {
    std::unique_ptr<Path> path(Path::Read(is));
    std::unique_ptr<VelocityProfile> profile(VelocityProfile::Read(is));
    if (dynamic_cast<VelocityProfile_Spline*>(profile.get()) == nullptr) profile->SetProfile(0, path->PathLength());
    out = std::make_unique<Trajectory_Segment>(path.release(), profile.release());
  } else if (name == "STATIONARY") {
    const double duration = read<double>(is);
    out = std::make_unique<Trajectory_Stationary>(duration, read_geometry<Frame>(is));
  } else if (name == "COMPOSITE") {
    auto composite = std::make_unique<Trajectory_Composite>();
    for (int count = read<int>(is); count > 0; --count) composite->Add(read_trajectory(is, depth + 1));
    out = std::move(composite);
  } else {
    throw Error_MotionIO_Unexpected_Traj();
  }
  EatEnd(is, ']');
  return out.release();
}

}  // namespace

Trajectory* Trajectory::Read(std::istream& is) { return read_trajectory(is, 0); }

}  // namespace KDL
