// SPDX-License-Identifier: BSD-3-Clause
// ContactPairs: which pairs of shapes of a scene may touch, and their points at a configuration.
#pragma once
#include <vector>

#include "zwang/core/buffer.hpp"
#include "zwang/model/data.hpp"
#include "zwang/simulation/scene.hpp"

namespace zwang {

/// How the surfaces of a pair act on each other, all that is not given filled in; units as of a ContactLaw.
struct TouchLaw {
  double friction = 0, restitution = 0, stiffness = unlimited, damping = 0;
};

/// A point of contact: its pair, and what geometry says of it.
struct TouchingPoint {
  Index pair = 0;
  SurfacePair at = {};
};

class ContactPairs {
 public:
  struct Pair {
    Index a, b;  ///< shapes of the scene
    Index body_a, body_b;
    TouchLaw law;
    bool of_robot;  ///< both belong to one branch of the tree, not to loose bodies
  };
  /// rows_touch: other things than shapes may touch, too, so that a robot without shapes is no mistake.
  ContactPairs(const Scene& scene, bool rows_touch);

  bool any() const { return !pairs_.empty(); }
  const std::vector<Pair>& pairs() const { return pairs_; }
  const Scene& scene() const { return scene_; }
  /// What is left out, in sentences.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The shapes where `data` has its bodies, with their speeds if they are there.
  void place(const Data& data, bool moving);
  /// The points whose gap is at most the margin of their pair: `least`, or what the two come closer in a time of
  /// `ahead` at twice their speeds. Allocates only where there are more of them than ever.
  void find(double least, double ahead, std::vector<TouchingPoint>& out);
  /// Pairs of the robot's own shapes that overlap now by more than `depth` are not looked at from now on; says so.
  void leave_out_overlaps(double depth, std::vector<std::string>& notes);
  std::vector<bool>& left_out() { return pair_is_out_; }  ///< [pairs] those of leave_out_overlaps()

 private:
  struct Placed {
    Index body = 0;
    Transform<double> in_body, pose;
    double radius = 0;
    double top = 0;  ///< of half spaces and height fields: nothing is higher, along z of the pose
    Vec3<double> velocity = {0, 0, 0}, turning = {0, 0, 0};  ///< of its origin [m/s], [rad/s]
  };
  /// A sphere about a shape, and a bound of the speed of its points: enough to see that most pairs are far apart.
  struct Bubble {
    Vec3<double> centre = {0, 0, 0};
    double radius = 0, speed = 0;
  };
  bool are_far(const Pair& pair, double least, double ahead) const;
  bool are_close(const Placed& a, const Placed& b, double least, double ahead, double& margin) const;
  Scene scene_;
  std::vector<Placed> placed_;
  std::vector<Bubble> bubbles_;  ///< of them
  std::vector<Pair> pairs_;
  std::vector<bool> pair_is_out_;
  std::vector<std::string> notes_;
  std::vector<SurfacePair> found_;
};

}  // namespace zwang
