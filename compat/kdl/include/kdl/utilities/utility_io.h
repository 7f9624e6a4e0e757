// SPDX-License-Identifier: BSD-3-Clause
// Reading text word by word. Blanks, line ends and comments (// to the end of the line,
// /* to */) may stand anywhere between.
#pragma once
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

#include "error.h"

namespace KDL {

/// Throws Error_BasicIO_File where the stream has failed or ended.
void _check_istream(std::istream& is);
/// Skips blanks and comments, then the character `delim`; Error_BasicIO_Exp_Delim where another one stands there.
void Eat(std::istream& is, int delim);
/// Skips blanks and comments, then the word `descript` (letters of either case).
void Eat(std::istream& is, const char* descript);
/// Skips everything up to and with the character `delim`.
void EatEnd(std::istream& is, int delim);
/// Reads a word in capitals, up to the first character of `delim`, which stays; at most maxsize - 1 characters.
void EatWord(std::istream& is, const char* delim, char* storage, int maxsize);

/// A stack of what is being read, to be printed where an error is caught. A stack for each thread.
void IOTrace(const std::string& description);
void IOTracePop();
void IOTracePopStr(char* buffer, int size);
void IOTraceOutput(std::ostream& os);

}  // namespace KDL
