#include "plan/release.hpp"

namespace spark::plan {
namespace {

/// No kind has that name.
constexpr const char* kSection = "node";
constexpr const char* kKey = "released";

}  // namespace

bool is_released(const kinds::Ledger& ledger) {
  return kinds::entries_of(ledger, kSection).contains(kKey);
}

void mark_released(kinds::Ledger& ledger) {
  ledger[kSection][kKey] = {.ours = "yes", .original = ""};
}

void unmark_released(kinds::Ledger& ledger) { ledger.erase(kSection); }

}  // namespace spark::plan
