// SPDX-License-Identifier: BSD-3-Clause
// The files that a page is made of, as bytes of the program: the assembler reads them.
#include "viewer/embedded.hpp"

// Where constants stand, and what a name of C++ becomes, is the object format's.
#if defined(__APPLE__)
#define ZWANG_CONSTANTS ".section __TEXT,__const\n"
#define ZWANG_CODE ".text\n"
#define ZWANG_NAME "_"
#elif defined(_WIN32)
#define ZWANG_CONSTANTS ".section .rdata,\"dr\"\n"
#define ZWANG_CODE ".text\n"
#define ZWANG_NAME ""
#else
#define ZWANG_CONSTANTS ".pushsection .rodata\n"
#define ZWANG_CODE ".popsection\n"
#define ZWANG_NAME ""
#endif
#define ZWANG_EMBED(symbol, file)                                                                 \
  __asm__(ZWANG_CONSTANTS ZWANG_NAME #symbol "_begin:\n.incbin \"" file "\"\n" ZWANG_NAME #symbol \
                                             "_end:\n.byte 0\n" ZWANG_CODE);                      \
  extern "C" __attribute__((visibility("hidden"))) const char symbol##_begin[], symbol##_end[];

ZWANG_EMBED(zwang_player_js, ZWANG_PLAYER_JS)
ZWANG_EMBED(zwang_page_css, ZWANG_PAGE_CSS)
#ifdef ZWANG_THREE_JS
ZWANG_EMBED(zwang_three_js, ZWANG_THREE_JS)
#endif

namespace zwang::viewer {

std::string_view player_script() { return {zwang_player_js_begin, zwang_player_js_end}; }
std::string_view page_style() { return {zwang_page_css_begin, zwang_page_css_end}; }
std::string_view three_script() {
#ifdef ZWANG_THREE_JS
  return {zwang_three_js_begin, zwang_three_js_end};
#else
  return {};
#endif
}

}  // namespace zwang::viewer
