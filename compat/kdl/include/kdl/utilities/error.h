// SPDX-License-Identifier: BSD-3-Clause
// Errors that paths and readers of text throw: a sentence and a number. Those of paths: 31xx.
#pragma once
#include <exception>
#include <string>

#include "utility.h"

namespace KDL {

/// Of all of them; they are std::exceptions, too.
class Error : public std::exception {
 public:
  virtual const char* Description() const = 0;
  virtual int GetType() const = 0;
  const char* what() const noexcept override { return Description(); }
};

class Error_IO : public Error {
 public:
  explicit Error_IO(const std::string& message = "Unspecified I/O Error", int type = 0)
      : message_(message),
        type_(type) {}
  const char* Description() const override { return message_.c_str(); }
  int GetType() const override { return type_; }

 private:
  std::string message_;
  int type_;
};

class Error_BasicIO : public Error_IO {
 public:
  Error_BasicIO() = default;
};
class Error_FrameIO : public Error_IO {
 public:
  Error_FrameIO() = default;
};
class Error_MotionIO : public Error_IO {
 public:
  Error_MotionIO() = default;
};
class Error_MotionPlanning : public Error {};

/// An error with a sentence and a number of its own.
#define KDL_ERROR(name, base, sentence, number)                   \
  class name : public base {                                      \
   public:                                                        \
    const char* Description() const override { return sentence; } \
    int GetType() const override { return number; }               \
  };
KDL_ERROR(Error_BasicIO_File, Error_BasicIO, "Error while reading stream", 1)
KDL_ERROR(Error_BasicIO_Exp_Delim, Error_BasicIO, "Expected Delimiter not encountered", 2)
KDL_ERROR(Error_BasicIO_Not_A_Space, Error_BasicIO, "Expected space,tab or newline not encountered", 3)
KDL_ERROR(Error_BasicIO_Unexpected, Error_BasicIO, "Unexpected character", 4)
KDL_ERROR(Error_BasicIO_ToBig, Error_BasicIO, "Word that is read out of stream is bigger than maxsize", 5)
KDL_ERROR(Error_BasicIO_Not_Opened, Error_BasicIO, "File cannot be opened", 6)
KDL_ERROR(Error_Frame_Vector_Unexpected_id, Error_FrameIO,
          "Unexpected identifier, expecting a vector (explicit or ZERO)", 101)
KDL_ERROR(Error_Frame_Frame_Unexpected_id, Error_FrameIO, "Unexpected identifier, expecting a Frame (explicit or DH)",
          102)
KDL_ERROR(Error_Frame_Rotation_Unexpected_id, Error_FrameIO,
          "Unexpected identifier, expecting a Rotation (explicit or EULERZYX, EULERZYZ, RPY,ROT,IDENTITY)", 103)
KDL_ERROR(Error_Not_Implemented, Error, "The requested object/method/function is not implemented", 7000)
KDL_ERROR(Error_MotionIO_Unexpected_MotProf, Error_MotionIO, "Wrong keyword while reading motion profile", 2001)
KDL_ERROR(Error_MotionIO_Unexpected_Traj, Error_MotionIO, "Trajectory type keyword not known", 2002)
KDL_ERROR(Error_MotionPlanning_Circle_ToSmall, Error_MotionPlanning, "Circle : radius is to small", 3001)
KDL_ERROR(Error_MotionPlanning_Circle_No_Plane, Error_MotionPlanning,
          "Circle : Plane for motion is not properly defined", 3002)
KDL_ERROR(Error_MotionPlanning_Incompatible, Error_MotionPlanning,
          "Acceleration of a rectangular velocityprofile cannot be used", 3003)
KDL_ERROR(Error_Criterium_Unexpected_id, Error_IO, "Unexpected identifier, expecting a criterium", 4001)
KDL_ERROR(Error_Limits_Unexpected_id, Error_IO, "Unexpected identifier, expecting a jointlimits", 4002)
#undef KDL_ERROR

/// A motion that its parameters do not allow; the number (31xx) says why.
class Error_MotionPlanning_Not_Feasible : public Error_MotionPlanning {
 public:
  explicit Error_MotionPlanning_Not_Feasible(int reason) : reason_(reason) {}
  const char* Description() const override { return "Motion Profile with requested parameters is not feasible"; }
  int GetType() const override { return 3100 + reason_; }

 private:
  int reason_;
};
class Error_MotionPlanning_Not_Applicable : public Error_MotionPlanning {
 public:
  const char* Description() const override { return "Method is not applicable for this derived object"; }
  int GetType() const override { return 3004; }
};

}  // namespace KDL
