// SPDX-License-Identifier: BSD-3-Clause
#include "handles.hpp"

#include <limits>
#include <mutex>
#include <new>

#include "call.hpp"

namespace zwang::c {

namespace {
constexpr std::uint64_t k_empty = std::uint64_t{1} << 31;
}  // namespace

/// A place of the table. `word`: how often it has been used, then whether it is empty, then how many calls use it.
struct Slot {
  std::atomic<std::uint64_t> word{k_empty};
  Object* object = nullptr;
  Kind kind = Kind::model;
  Slot* next = nullptr;  // of the empty ones
  std::uintptr_t place = 0;
};

namespace {

// A handle: uses, then place + 1. In 32 bits both have half of them.
constexpr int k_place_bits = std::numeric_limits<std::uintptr_t>::digits >= 64 ? 24 : 16;
constexpr std::uintptr_t k_places = (std::uintptr_t{1} << k_place_bits) - 1, k_chunk = 256;
constexpr std::uint64_t k_most_uses = std::numeric_limits<std::uintptr_t>::digits >= 64 ? 0xffffffffu : 0xffffu;

// Never destroyed: a handle may be asked for while the process ends.
std::atomic<Slot*> chunks[(k_places + 1) / k_chunk];
std::mutex growing;
Slot* empty_slots = nullptr;
std::uintptr_t slots = 0;

Slot& new_slot() {
  if (slots == k_places) throw std::bad_alloc();
  std::atomic<Slot*>& chunk = chunks[slots / k_chunk];
  Slot* first = chunk.load(std::memory_order_relaxed);
  if (first == nullptr) {
    first = new Slot[k_chunk];
    for (std::uintptr_t k = 0; k < k_chunk; ++k) first[k].place = slots + k;
    chunk.store(first, std::memory_order_release);  // every place of it is empty: any value may be asked for
  }
  return first[slots++ % k_chunk];
}

Slot* slot_of(std::uintptr_t value) {
  const std::uintptr_t place = (value & k_places) - 1;
  if (place >= k_places) return nullptr;
  Slot* const first = chunks[place / k_chunk].load(std::memory_order_acquire);
  return first == nullptr ? nullptr : first + place % k_chunk;
}
std::uint64_t uses_of(std::uintptr_t value) { return static_cast<std::uint64_t>(value) >> k_place_bits; }

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::model: return "zwang_model";
    case Kind::data: return "zwang_data";
    case Kind::batch: return "zwang_batch";
    case Kind::constraints: return "zwang_constraints";
    case Kind::solver: return "zwang_solver";
    case Kind::batch_solver: return "zwang_batch_solver";
    case Kind::simulator: return "zwang_simulator";
  }
  return "?";
}

[[noreturn]] void refuse_handle(const char* argument, const std::string& got, Kind wanted) {
  throw Refusal(ZWANG_INVALID_HANDLE, argument, got + ", expected a " + name_of(wanted) + " that has not been freed");
}

}  // namespace

bool Gate::enter(bool alone) {
  int users = users_.load(std::memory_order_relaxed);
  do {
    if (users < 0 || (alone && users != 0)) return false;
  } while (!users_.compare_exchange_weak(users, alone ? -1 : users + 1, std::memory_order_acquire));
  return true;
}
void Gate::leave(bool alone) { users_.fetch_add(alone ? 1 : -1, std::memory_order_release); }

Passage::Passage(Gate& gate, bool alone, const char* argument) : gate_(gate), alone_(alone) {
  if (!gate_.enter(alone))
    throw Refusal(ZWANG_IN_USE, argument, "is in use by another call, expected one thread at a time");
}

Slot* pin(const void* handle, Kind kind, const char* argument) {
  if (handle == nullptr) refuse_handle(argument, "is NULL", kind);
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  Slot* const slot = slot_of(value);
  if (slot == nullptr) refuse_handle(argument, "is no handle", kind);
  std::uint64_t word = slot->word.load(std::memory_order_acquire);
  do {
    if (word >> 32 != uses_of(value) || (word & k_empty) != 0) refuse_handle(argument, "is no handle", kind);
  } while (!slot->word.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  if (slot->kind != kind) {
    const char* const got = name_of(slot->kind);
    release(*slot);
    refuse_handle(argument, std::string("is a ") + got, kind);
  }
  return slot;
}

Object& object_of(const Slot& slot) { return *slot.object; }

void release(Slot& slot) { slot.word.fetch_sub(1, std::memory_order_release); }

void* publish(Kind kind, std::unique_ptr<Object> object) {
  const std::lock_guard<std::mutex> lock(growing);
  Slot& slot = empty_slots != nullptr ? *empty_slots : new_slot();
  if (&slot == empty_slots) empty_slots = slot.next;
  slot.object = object.release();
  slot.kind = kind;
  const std::uint64_t uses = slot.word.load(std::memory_order_relaxed) >> 32;
  slot.word.store(uses << 32, std::memory_order_release);
  return reinterpret_cast<void*>((static_cast<std::uintptr_t>(uses) << k_place_bits) | (slot.place + 1));
}

void end(const void* handle, Kind kind, const char* argument) {
  if (handle == nullptr) return;
  Slot* const slot = pin(handle, kind, argument);
  const std::uint64_t uses = slot->word.load(std::memory_order_relaxed) >> 32;
  std::uint64_t own = (uses << 32) + 1;
  if (!slot->word.compare_exchange_strong(own, (uses << 32) | k_empty, std::memory_order_acq_rel)) {
    release(*slot);
    throw Refusal(ZWANG_IN_USE, argument, "is in use by another call, expected a handle that no thread uses");
  }
  delete slot->object;
  const std::lock_guard<std::mutex> lock(growing);
  slot->object = nullptr;
  if (uses == k_most_uses) return;  // its handles are used up: the place stays empty
  slot->word.store(((uses + 1) << 32) | k_empty, std::memory_order_release);
  slot->next = empty_slots;
  empty_slots = slot;
}

}  // namespace zwang::c
