// SPDX-License-Identifier: BSD-3-Clause
// Handles: what a program in another language holds in place of an object. The value of a handle is no address but the
// place of the object in a table and how often that place has been used before, so that a handle that was freed, is of
// another kind or was never one is refused without a look at memory that may be gone. The table is the only state of
// the process; it knows objects that are alive, and no numbers.
//
//   const Pin<ModelObject> model(handle, "model");   // refuses what is no model; nobody frees it while the pin lives
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace zwang::c {

/// What a handle may stand for.
enum class Kind : unsigned char { model, data, batch, constraints, solver, batch_solver, simulator };

/// What a handle stands for.
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
};

/// Who uses an object that one thread at a time may change: nobody, one that changes it, or some that read it.
class Gate {
 public:
  bool enter(bool alone);
  void leave(bool alone);

 private:
  std::atomic<int> users_{0};  // -1: one that changes it
};
/// Through the gate for a call; refuses where another thread is in it.
class Passage {
 public:
  Passage(Gate& gate, bool alone, const char* argument);
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  ~Passage() { gate_.leave(alone_); }

 private:
  Gate& gate_;
  bool alone_;
};

struct Slot;
/// The place of a live object; it stays alive until release().
Slot* pin(const void* handle, Kind kind, const char* argument);
Object& object_of(const Slot& slot);
void release(Slot& slot);
/// A new handle.
void* publish(Kind kind, std::unique_ptr<Object> object);
/// Ends the object of a handle; none of nullptr. Refuses where a call uses it.
void end(const void* handle, Kind kind, const char* argument);

/// An object for the length of a call. T has its Kind as T::k_kind.
template <class T> class Pin {
 public:
  Pin(const void* handle, const char* argument) : slot_(pin(handle, T::k_kind, argument)) {}
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() { release(*slot_); }
  T& operator*() const { return static_cast<T&>(object_of(*slot_)); }
  T* operator->() const { return &**this; }

 private:
  Slot* slot_;
};

}  // namespace zwang::c
