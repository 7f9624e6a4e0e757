// SPDX-License-Identifier: BSD-3-Clause
// zwang, the program: chooses the command and turns what stops it into an exit code and a message.
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "bench.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "library_words.hpp"
#include "out_of_memory.hpp"
#include "python_package.hpp"
#include "vectors.hpp"

namespace zwang::cli {
namespace {

int run(const Arguments& a, Diagnostics& found) {
  if (a.command == "info") return run_info(a, found);
  if (a.command == "check") return run_check(a, found);
  if (a.command == "convert") return run_convert(a, found);
  if (a.command == "generate") return run_generate(a, found);
  if (a.command == "id") return run_inverse_dynamics(a, found);
  if (a.command == "fd") return run_forward_dynamics(a, found);
  if (a.command == "quantities") return run_quantities(a, found);
  if (a.command == "solve") return run_solve(a, found);
  if (a.command == "impulse") return run_impulse(a, found);
  if (a.command == "mobility") return run_mobility(a, found);
  if (a.command == "ik") return run_inverse_kinematics(a, found);
  if (a.command == "assemble") return run_assemble(a, found);
  if (a.command == "simulate") return run_simulate(a, found);
  if (a.command == "move") return run_move(a, found);
  if (a.command == "view") return run_view(a, found);
  if (a.command == "verify" || a.command == "study") become_python(a);
  throw UsageError("unknown command '" + a.command + "'");
}

/// What stopped a command: a document with --json, a line on standard error without. `check` always says what became
/// of the model.
int stop(ExitCode code, const char* status, const std::string& message, bool json, const Arguments* a,
         const Diagnostics& found) {
  if (!json) {
    // Of a refused model all that was found; otherwise the model is not what stopped the command.
    const bool quiet = a != nullptr && a->quiet;
    print_diagnostics(found,
                      quiet               ? Severity::error
                      : code == k_refused ? Severity::note
                                          : Severity::warning,
                      a != nullptr && a->command == "check");
    const bool named = message.rfind("zwang ", 0) == 0;  // the command is named already
    if (!message.empty()) std::fprintf(stderr, "%s%s\n", named ? "" : "zwang: ", message.c_str());
    return code;
  }
  Document document = {{"status", status}};
  if (a && (a->command == "check" || a->command == "info") && code != k_usage) document["model"] = nullptr;
  if (!message.empty()) document["message"] = message;
  document["diagnostics"] = to_json(found);
  try {
    print_json(document);
  } catch (const IoError&) { return k_io; }
  return code;
}

/// The command line itself may be what is wrong: then --json is looked for by hand.
bool wants_json(int count, char** words) {
  for (int k = 1; k < count; ++k)
    if (std::strcmp(words[k], "--json") == 0) return true;
  return false;
}

int guarded(int count, char** words) {
  const bool json = wants_json(count, words);
  answer_in_json(json);
  std::optional<Arguments> a;
  Diagnostics found;
  const Arguments* known = nullptr;
  const auto said = [&](const std::exception& error) {
    return known != nullptr ? in_words_of_program(error.what(), *known) : error.what();
  };
  try {
    if (count > 1 && std::strcmp(words[1], "bench") == 0) become_bench(words + 2);
    a = read_arguments(count, words);
    if (!a) return count > 1 ? k_ok : k_usage;  // without a command the help is the answer
    known = &*a;
    say_questions(a->speaks());
    return run(*a, found);
  } catch (const UsageError& error) {
    return stop(k_usage, "usage", error.what(), json, known, found);
  } catch (const IoError& error) {
    return stop(k_io, "io", error.what(), json, known, found);
  } catch (const ModelError& error) {
    const bool unreadable = error.code() == "E_FILE";
    if (found.empty()) found = error.diagnostics();
    return stop(unreadable ? k_io : k_refused, "refused",
                json         ? ""
                : unreadable ? "the file cannot be read"
                             : "the model was refused",
                json, known, found);
  } catch (const SingularMassError& error) {
    return stop(k_not_ok, name_of(Status::singular_mass), said(error), json, known, found);
  } catch (const ArithmeticOverflowError& error) {
    return stop(k_not_ok, name_of(Status::overflow), said(error), json, known, found);
  } catch (const std::invalid_argument& error) {
    return stop(k_usage, "usage", said(error), json, known, found);
  } catch (const std::bad_alloc&) {
    out_of_memory();                          // of what does not use `new`
  } catch (const std::system_error& error) {  // no thread, or no look at a folder
    return stop(k_io, "io", error.what(), json, known, found);
  } catch (const std::exception& error) {  // an error of the library, said instead of an abort
    return stop(k_not_ok, "error", said(error), json, known, found);
  }
}

}  // namespace
}  // namespace zwang::cli

int main(int count, char** words) { return zwang::cli::guarded(count, words); }
