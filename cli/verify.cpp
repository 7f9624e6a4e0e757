// SPDX-License-Identifier: BSD-3-Clause
#include "verify.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "failure.hpp"

namespace zwang::cli {
namespace {

/// Says what is missing in the words of this program. The folder in which the user stands is not searched: a folder
/// called zwang may be there.
const char* const k_start =
    "import json, sys\n"
    "if sys.path[:1] == ['']: del sys.path[0]\n"
    "def stop(why):\n"
    "    why = 'verify needs the Python package zwang, and ' + sys.executable + ' ' + why"
    " + '; ZWANG_PYTHON may name another Python'\n"
    "    if '--json' in sys.argv: print(json.dumps({'status': 'io', 'message': why, 'diagnostics': []}))\n"
    "    else: print('zwang: ' + why, file=sys.stderr)\n"
    "    sys.exit(5)\n"
    "try: import zwang\n"
    "except ImportError as error: stop('cannot import it (' + str(error) + ')')\n"
    "try: from zwang.__main__ import run\n"
    "except ModuleNotFoundError as error:\n"
    "    if error.name != 'zwang.__main__': raise\n"
    "    stop('has zwang ' + zwang.__version__ + ', which cannot verify')\n"
    "sys.exit(run(sys.argv[1:]))\n";

}  // namespace

void become_verify(const Arguments& a) {
  const char* const chosen = std::getenv("ZWANG_PYTHON");
  std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  std::vector<std::string> words = {python, "-c", k_start, "verify"};
  const auto give = [&words](const char* option, const std::optional<std::string>& value) {
    if (value) words.push_back(std::string(option) + '=' + *value);
  };
  give("--against", a.against);
  give("--root", a.root);
  give("--mode", a.mode);
  give("--gravity", a.gravity);
  if (a.samples) give("--samples", std::to_string(*a.samples));
  if (a.seed) give("--seed", std::to_string(*a.seed));
  if (a.expand_mimic) words.push_back("--expand-mimic");
  if (a.json) words.push_back("--json");
  if (a.quiet) words.push_back("--quiet");
  words.insert(words.end(), {"--", a.file});
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  ::execvp(python.c_str(), list.data());
  throw IoError("verify needs Python with the package zwang: " + python +
                " cannot be started: " + std::strerror(errno) + "; ZWANG_PYTHON may name another Python");
}

}  // namespace zwang::cli
