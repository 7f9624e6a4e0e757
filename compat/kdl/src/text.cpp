// SPDX-License-Identifier: BSD-3-Clause
// Reading text word by word.
#include <kdl/utilities/utility_io.h>
#include <cctype>
#include <cstring>
#include <vector>

namespace KDL {

namespace {

using Traits = std::istream::traits_type;

/// The next character that is neither blank nor in a comment, which stays in the stream.
int next_character(std::istream& is) {
  for (;;) {
    is >> std::ws;
    const int c = is.peek();
    if (c != '/') {
      if (c == Traits::eof()) throw Error_BasicIO_File();
      return c;
    }
    is.get();
    const int kind = is.get();
    if (kind == '/') {
      while (is.good() && is.get() != '\n') {}
    } else if (kind == '*') {
      int before = 0, now = is.get();
      while (now != Traits::eof() && !(before == '*' && now == '/')) {
        before = now;
        now = is.get();
      }
    } else {
      throw Error_BasicIO_Unexpected();
    }
  }
}

std::vector<std::string>& trace() {
  thread_local std::vector<std::string> stack;
  return stack;
}

}  // namespace

void _check_istream(std::istream& is) {
  if (!is.good()) throw Error_BasicIO_File();
}

void Eat(std::istream& is, int delim) {
  _check_istream(is);
  if (next_character(is) != delim) throw Error_BasicIO_Exp_Delim();
  is.get();
}

void Eat(std::istream& is, const char* descript) {
  _check_istream(is);
  next_character(is);
  for (const char* c = descript; *c != 0; ++c) {
    const int read = is.get();
    if (std::toupper(read) != std::toupper(static_cast<unsigned char>(*c))) throw Error_BasicIO_Exp_Delim();
  }
}

void EatEnd(std::istream& is, int delim) {
  _check_istream(is);
  while (is.peek() != delim) {
    if (is.get() == Traits::eof()) throw Error_BasicIO_File();
  }
  is.get();
}

void EatWord(std::istream& is, const char* delim, char* storage, int maxsize) {
  _check_istream(is);
  int c = next_character(is);
  int size = 0;
  while (c != Traits::eof() && std::strchr(delim, c) == nullptr) {
    if (size >= maxsize - 1) throw Error_BasicIO_ToBig();
    storage[size++] = static_cast<char>(std::toupper(is.get()));
    c = is.peek();
  }
  is.clear(is.rdstate() & ~std::ios::eofbit & ~std::ios::failbit);
  storage[size] = 0;
}

void IOTrace(const std::string& description) { trace().push_back(description); }
void IOTracePop() {
  if (!trace().empty()) trace().pop_back();
}
void IOTracePopStr(char* buffer, int size) {
  if (size <= 0) return;
  buffer[0] = 0;
  if (trace().empty()) return;
  std::strncpy(buffer, trace().back().c_str(), static_cast<std::size_t>(size));
  buffer[size - 1] = 0;
  trace().pop_back();
}
void IOTraceOutput(std::ostream& os) {
  while (!trace().empty()) {
    os << trace().back() << "\n";
    trace().pop_back();
  }
}

}  // namespace KDL
