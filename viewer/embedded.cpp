// SPDX-License-Identifier: BSD-3-Clause
// The files that a page is made of, as bytes of the program: the assembler reads them.
#include "viewer/embedded.hpp"

#define ZWANG_EMBED(symbol, file)                                                                                      \
  __asm__(".pushsection .rodata\n" #symbol "_begin:\n.incbin \"" file "\"\n" #symbol "_end:\n.byte 0\n.popsection\n"); \
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
