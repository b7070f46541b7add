#include "kinds/common/kind.hpp"

#include <fmt/format.h>

namespace spark::kinds {

const LedgerEntries& entries_of(const Ledger& ledger, std::string_view kind) {
  static const LedgerEntries kNone;
  const auto found = ledger.find(std::string(kind));
  return found == ledger.end() ? kNone : found->second;
}

const LedgerEntry* remembered(const Context& context, std::string_view kind,
                              const std::string& label) {
  const auto& entries = entries_of(context.ledger, kind);
  const auto entry = entries.find(label);
  return entry == entries.end() ? nullptr : &entry->second;
}

LedgerEntries originals(const Context& context, std::string_view kind) {
  return context.node.released ? LedgerEntries{} : entries_of(context.ledger, kind);
}

Outcome outcome_of(const Result<>& made) {
  if (!made) return std::unexpected(made.error());
  return std::nullopt;
}

Waits waits_for(const Skipped& why) { return {fmt::format("{} [{}]", why.reason, why.id)}; }

Skipped waiting_for_link(const std::string& link) {
  return {
      Skipped::Why::kWaiting, "SR-LINK-001",
      fmt::format("no device '{}': it is set up by the next apply after the device appears", link)};
}

Skipped without_rdma_device(const host::LinkInfo& link) {
  if (link.parent_bus.empty()) {
    return {Skipped::Why::kUnknown, "SR-ROCE-001",
            "no RDMA device: a virtual link has none of its own"};
  }
  return {Skipped::Why::kWaiting, "SR-ROCE-002",
          fmt::format("no RDMA device on '{}': its driver's RDMA part is not loaded (mlx5_ib on a "
                      "ConnectX)",
                      link.name)};
}

std::optional<Skipped> irreplaceable(host::View& view, const std::string& path) {
  const auto& replaceable = view.is_replaceable(path);
  if (!replaceable || *replaceable) return std::nullopt;
  return Skipped{
      Skipped::Why::kNotEnforced, "SR-HOST-002",
      fmt::format("{} is a symbolic link or no regular file, or a link leads to it: it is "
                  "not replaced; put a regular file in its place",
                  path)};
}

Skipped unreadable(const Error& error) {
  return {Skipped::Why::kUnknown, "SR-HOST-001", error.what};
}

}  // namespace spark::kinds
