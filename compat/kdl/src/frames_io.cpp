// SPDX-License-Identifier: BSD-3-Clause
// Geometry as text.
#include <kdl/utilities/utility_io.h>
#include <cstring>
#include <iomanip>
#include <kdl/frames_io.hpp>

namespace KDL {

namespace {

constexpr int width = 12;  // columns of a number

template <class... Numbers> std::ostream& write(std::ostream& os, double first, Numbers... rest) {
  os << "[" << std::setw(width) << first;
  ((os << "," << std::setw(width) << rest), ...);
  return os << "]";
}

double read_number(std::istream& is) {
  double number = 0;
  Eat(is, "");  // blanks and comments
  if (!(is >> number)) throw Error_BasicIO_File();
  return number;
}

/// `[a, b, ...]`
template <std::size_t count> void read(std::istream& is, double (&numbers)[count]) {
  Eat(is, '[');
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) Eat(is, ',');
    numbers[i] = read_number(is);
  }
  Eat(is, ']');
}

/// The word before a bracket, empty where the bracket comes at once.
std::string read_word(std::istream& is) {
  char word[16];
  EatWord(is, "[ \t\r\n,;]", word, sizeof word);
  return word;
}

void skip_comma(std::istream& is) {
  Eat(is, "");
  if (is.peek() == ',') is.get();
}

/// Numbers are read into a copy, so that a wrong text changes nothing.
template <class Type, class Read>
std::istream& read_whole(std::istream& is, const char* name, Type& out, Read read_into) {
  IOTrace(std::string("Stream input ") + name);
  Type value;
  read_into(value);
  out = value;
  IOTracePop();
  return is;
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const Vector& v) { return write(os, v(0), v(1), v(2)); }
std::ostream& operator<<(std::ostream& os, const Twist& t) { return write(os, t(0), t(1), t(2), t(3), t(4), t(5)); }
std::ostream& operator<<(std::ostream& os, const Wrench& w) { return write(os, w(0), w(1), w(2), w(3), w(4), w(5)); }
std::ostream& operator<<(std::ostream& os, const Vector2& v) { return write(os, v(0), v(1)); }
std::ostream& operator<<(std::ostream& os, const Rotation& R) {
  os << "[";
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) os << std::setw(width) << R(i, j) << (j < 2 ? "," : i < 2 ? ";\n " : "]");
  return os;
}
std::ostream& operator<<(std::ostream& os, const Frame& F) { return os << "[" << F.M << "\n" << F.p << "]"; }
std::ostream& operator<<(std::ostream& os, const Rotation2& R) { return os << "[" << R.GetRot() * rad2deg << "]"; }
std::ostream& operator<<(std::ostream& os, const Frame2& F) { return os << F.M << F.p; }

std::istream& operator>>(std::istream& is, Vector& v) {
  return read_whole(is, "Vector", v, [&](Vector& out) {
    const std::string word = read_word(is);
    if (word.empty()) return read(is, out.data);
    if (word != "ZERO") throw Error_Frame_Vector_Unexpected_id();
  });
}

std::istream& operator>>(std::istream& is, Twist& t) {
  return read_whole(is, "Twist", t, [&](Twist& out) {
    double a[6];
    read(is, a);
    out = Twist(Vector(a[0], a[1], a[2]), Vector(a[3], a[4], a[5]));
  });
}

std::istream& operator>>(std::istream& is, Wrench& w) {
  return read_whole(is, "Wrench", w, [&](Wrench& out) {
    double a[6];
    read(is, a);
    out = Wrench(Vector(a[0], a[1], a[2]), Vector(a[3], a[4], a[5]));
  });
}

std::istream& operator>>(std::istream& is, Vector2& v) {
  return read_whole(is, "Vector2", v, [&](Vector2& out) { read(is, out.data); });
}

std::istream& operator>>(std::istream& is, Rotation& R) {
  return read_whole(is, "Rotation", R, [&](Rotation& out) {
    const std::string word = read_word(is);
    double a[3];
    if (word.empty()) {
      Eat(is, '[');
      for (int i = 0; i < 9; ++i) {
        if (i > 0) Eat(is, i % 3 == 0 ? ';' : ',');
        out.data[i] = read_number(is);
      }
      Eat(is, ']');
    } else if (word == "EULERZYX") {
      read(is, a);
      out = Rotation::EulerZYX(a[0] * deg2rad, a[1] * deg2rad, a[2] * deg2rad);
    } else if (word == "EULERZYZ") {
      read(is, a);
      out = Rotation::EulerZYZ(a[0] * deg2rad, a[1] * deg2rad, a[2] * deg2rad);
    } else if (word == "RPY") {
      read(is, a);
      out = Rotation::RPY(a[0] * deg2rad, a[1] * deg2rad, a[2] * deg2rad);
    } else if (word == "ROT") {
      Vector axis;
      Eat(is, '[');
      is >> axis;
      skip_comma(is);
      const double angle = read_number(is);
      Eat(is, ']');
      out = Rotation::Rot(axis, angle * deg2rad);
    } else if (word != "IDENTITY") {
      throw Error_Frame_Rotation_Unexpected_id();
    }
  });
}

std::istream& operator>>(std::istream& is, Frame& F) {
  return read_whole(is, "Frame", F, [&](Frame& out) {
    const std::string word = read_word(is);
    if (word.empty()) {
      Eat(is, '[');
      is >> out.M;
      skip_comma(is);
      is >> out.p;
      Eat(is, ']');
    } else if (word == "DH") {
      double a[4];
      read(is, a);
      out = Frame::DH(a[0], a[1] * deg2rad, a[2], a[3] * deg2rad);
    } else if (word != "IDENTITY") {
      throw Error_Frame_Frame_Unexpected_id();
    }
  });
}

std::istream& operator>>(std::istream& is, Rotation2& R) {
  return read_whole(is, "Rotation2", R, [&](Rotation2& out) {
    double angle[1];
    read(is, angle);
    out = Rotation2(angle[0] * deg2rad);
  });
}

std::istream& operator>>(std::istream& is, Frame2& F) {
  return read_whole(is, "Frame2", F, [&](Frame2& out) {
    is >> out.M;
    skip_comma(is);
    is >> out.p;
  });
}

}  // namespace KDL
