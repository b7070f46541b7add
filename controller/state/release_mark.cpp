#include "state/release_mark.hpp"

#include "state/ledger.hpp"

namespace spark {
namespace {

/// No kind has that name.
constexpr const char* kSection = "node";
constexpr const char* kKey = "released";

}  // namespace

bool is_released(const Ledger& ledger) { return entries_of(ledger, kSection).contains(kKey); }

void mark_released(Ledger& ledger) { ledger[kSection][kKey] = {.ours = "yes", .original = ""}; }

void unmark_released(Ledger& ledger) { ledger.erase(kSection); }

Result<> end_release(Host& host, const std::string& node) {
  View view(host);
  auto ledger = read_ledger(view, node);
  if (!ledger) return std::unexpected(ledger.error());
  unmark_released(*ledger);
  return write_ledger(host.files, node, *ledger);
}

}  // namespace spark
