#include "plan/release_mark.hpp"

namespace spark {
namespace {

/// No kind has that name.
constexpr const char* kSection = "node";
constexpr const char* kKey = "released";

}  // namespace

bool is_released(const Ledger& ledger) { return entries_of(ledger, kSection).contains(kKey); }

void mark_released(Ledger& ledger) { ledger[kSection][kKey] = {.ours = "yes", .original = ""}; }

void unmark_released(Ledger& ledger) { ledger.erase(kSection); }

}  // namespace spark
