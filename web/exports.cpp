// SPDX-License-Identifier: BSD-3-Clause
// What the module exports: sessions by number, texts and arrays in its memory. No exception leaves it: a call that
// fails returns 0 (-1 where 0 is a count), and zwang_error() says why. zwang.js makes errors of JavaScript of that.
#include <map>
#include <new>

#include "cli/failure.hpp"
#include "web/session.hpp"
#include "zwang/core/error.hpp"
#include "zwang/core/instruction_set.hpp"

#define ZWANG_EXPORT extern "C" __attribute__((visibility("default"), used))

namespace {

using zwang::web::Session;

struct Module {
  std::map<int, std::unique_ptr<Session>> sessions;
  int last = 0;
  std::string text, kind, message;  // of the last call
};
Module& module() {
  static Module one;
  return one;
}

template <class R, class F> R guarded(R failed, F&& f) noexcept {
  Module& m = module();
  const auto say = [&](const char* kind, const std::string& what) {
    m.kind = kind;
    m.message = what;
    return failed;
  };
  try {
    m.kind.clear();
    m.message.clear();
    return f();
  } catch (const zwang::ModelError& e) { return say("ModelError", e.what()); } catch (const zwang::JsonError& e) {
    return say("JsonError", e.what());
  } catch (const zwang::cli::UsageError& e) {
    return say("UsageError", e.what());
  } catch (const zwang::cli::IoError& e) { return say("IoError", e.what()); } catch (const std::invalid_argument& e) {
    return say("InvalidArgument", e.what());
  } catch (const std::bad_alloc&) {
    return say("OutOfMemory", "zwang: there is not enough memory");
  } catch (const std::exception& e) { return say("Error", e.what()); }
}

Session& session(int number) {
  const auto found = module().sessions.find(number);
  if (found == module().sessions.end()) throw std::invalid_argument("zwang: this problem has been closed");
  return *found->second;
}
const char* kept(std::string text) {
  module().text = std::move(text);
  return module().text.c_str();
}

}  // namespace

ZWANG_EXPORT const char* zwang_error_kind() { return module().kind.c_str(); }
ZWANG_EXPORT const char* zwang_error() { return module().message.c_str(); }
/// {"version": "0.1.0", "lanes": 2}: how many doubles a register of the kernels holds.
ZWANG_EXPORT const char* zwang_about() {
  return kept("{\"version\": \"" ZWANG_VERSION "\", \"kernels\": \"" + zwang::instruction_set() +
              "\", \"lanes\": " + std::to_string(zwang::native_lanes<double>) + "}");
}

ZWANG_EXPORT int zwang_open(const char* path, const char* command) {
  return guarded(0, [&] {
    auto made = std::make_unique<Session>(path, command);
    Module& m = module();
    m.sessions.emplace(++m.last, std::move(made));
    return m.last;
  });
}
ZWANG_EXPORT void zwang_close(int number) { module().sessions.erase(number); }

ZWANG_EXPORT const char* zwang_describe(int n) {
  return guarded(static_cast<const char*>(nullptr), [&] { return kept(session(n).describe()); });
}
ZWANG_EXPORT const char* zwang_picture(int n) {
  return guarded(static_cast<const char*>(nullptr), [&] { return kept(session(n).picture()); });
}
ZWANG_EXPORT const char* zwang_solve(int n) {
  return guarded(static_cast<const char*>(nullptr), [&] { return kept(session(n).solve()); });
}
ZWANG_EXPORT const char* zwang_state(int n) {
  return guarded(static_cast<const char*>(nullptr), [&] { return kept(session(n).state()); });
}
ZWANG_EXPORT int zwang_start(int n) {
  return guarded(0, [&] {
    session(n).start();
    return 1;
  });
}
ZWANG_EXPORT int zwang_step(int n, int count) {
  return guarded(-1, [&] { return static_cast<int>(session(n).step(count)); });
}
ZWANG_EXPORT int zwang_hold(int n, double stiffness, double damping) {
  return guarded(0, [&] {
    session(n).hold(stiffness, damping);
    return 1;
  });
}
ZWANG_EXPORT int zwang_pull(int n, const char* link, double px, double py, double pz, double tx, double ty, double tz,
                            double stiffness, double damping) {
  return guarded(0, [&] {
    session(n).pull(link, {px, py, pz}, {tx, ty, tz}, stiffness, damping);
    return 1;
  });
}
ZWANG_EXPORT int zwang_release(int n) {
  return guarded(0, [&] {
    session(n).release();
    return 1;
  });
}
ZWANG_EXPORT int zwang_activate(int n, const char* constraint, int on) {
  return guarded(0, [&] {
    session(n).activate(constraint, on != 0);
    return 1;
  });
}
/// Where the numbers are; their count is in zwang_count().
static int g_count = 0;
ZWANG_EXPORT double* zwang_numbers(int n, const char* name) {
  return guarded(static_cast<double*>(nullptr), [&] {
    static double none = 0;
    const std::span<double> x = session(n).numbers(name);
    g_count = static_cast<int>(x.size());
    return x.empty() ? &none : x.data();
  });
}
ZWANG_EXPORT int zwang_count() { return g_count; }
