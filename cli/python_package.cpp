// SPDX-License-Identifier: BSD-3-Clause
#include "python_package.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "failure.hpp"
#include "program_path.hpp"

namespace zwang::cli {
namespace {

/// Says what is missing in the words of this program. The folder in which the user stands is not searched: a folder
/// called zwang may be there.
const char* const k_start =
    "import json, sys\n"
    "if sys.path[:1] == ['']: del sys.path[0]\n"
    "def stop(why):\n"
    "    why = sys.argv[1] + ' needs the Python package zwang, and ' + sys.executable + ' ' + why"
    " + '; ZWANG_PYTHON may name another Python'\n"
    "    if '--json' in sys.argv: print(json.dumps({'status': 'io', 'message': why, 'diagnostics': []}))\n"
    "    else: print('zwang: ' + why, file=sys.stderr)\n"
    "    sys.exit(5)\n"
    "try: import zwang\n"
    "except ImportError as error: stop('cannot import it (' + str(error) + ')')\n"
    "try: from zwang.__main__ import run\n"
    "except ModuleNotFoundError as error:\n"
    "    if error.name != 'zwang.__main__': raise\n"
    "    stop('has zwang ' + zwang.__version__ + ', which has no ' + sys.argv[1])\n"
    "sys.exit(run(sys.argv[1:]))\n";

/// The Python of the checkout that this program was built in, <checkout>/build/bin/zwang,
/// into which `make python` puts the package.
std::optional<std::string> python_of_checkout() {
  const std::filesystem::path self = program_path();
  if (self.empty()) return std::nullopt;
  const std::filesystem::path checkout = self.parent_path().parent_path().parent_path();
  const std::string python = (checkout / ".venv" / "bin" / "python").string();
  std::error_code error;
  const bool is_checkout = std::filesystem::exists(checkout / "python" / "zwang" / "__init__.py", error);
  return is_checkout && ::access(python.c_str(), X_OK) == 0 ? std::optional(python) : std::nullopt;
}

}  // namespace

void become_python(const Arguments& a) {
  const char* const chosen = std::getenv("ZWANG_PYTHON");
  std::string python = chosen != nullptr && *chosen != '\0' ? chosen : python_of_checkout().value_or("python3");
  std::vector<std::string> words = {python, "-c", k_start, a.command};
  const auto give = [&words](const char* option, const std::optional<std::string>& value) {
    if (value) words.push_back(std::string(option) + '=' + *value);
  };
  const auto number = [&words](const char* option, const auto& value) {
    if (value) words.push_back(std::string(option) + '=' + std::to_string(*value));
  };
  const auto flag = [&words](const char* option, bool given) {
    if (given) words.emplace_back(option);
  };
  give("--against", a.against);
  give("--root", a.root);
  give("--mode", a.mode);
  give("--gravity", a.gravity);
  number("--samples", a.samples);
  number("--seed", a.seed);
  flag("--expand-mimic", a.expand_mimic);
  give("--out", a.folder);
  give("--engine", a.engine);
  number("--threads", a.threads);
  flag("--fail-fast", a.fail_fast);
  flag("--check", a.check_blocks);
  flag("--dry-run", a.dry_run);
  flag("--json", a.json);
  flag("--quiet", a.quiet);
  words.insert(words.end(), {"--", a.file});
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  ::execvp(python.c_str(), list.data());
  throw IoError(a.command + " needs Python with the package zwang: " + python +
                " cannot be started: " + std::strerror(errno) + "; ZWANG_PYTHON may name another Python");
}

}  // namespace zwang::cli
