#include "state/ledger.hpp"

#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "plan/release.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

constexpr const char* kLedgerSchema = "spark-reconcile/ledger/v1";

struct LedgerFile {
  kinds::Ledger ledger;
};

template <EitherConst<LedgerFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("ledger", file.ledger);
}

/// Errors: kInvalid for anything that is not the shape that `write_ledger` writes.
Result<kinds::Ledger> parse_ledger(const std::string& path, const std::string& text) {
  const auto file = document_from_text<LedgerFile>(kLedgerSchema, text);
  if (!file) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("'{}' is damaged or of a newer version ({}): install that version again, "
                    "or move it away to start afresh (addresses that were adopted are then "
                    "no longer known as ours)",
                    path, file.error().what));
  }
  return with_todays_names(file->ledger);
}

/// The names that builds before 0.2 gave a kind and a resource, as they are now.
std::pair<std::string, std::string> as_now(const std::string& kind, const std::string& key) {
  constexpr std::string_view kCmMode = " rdma_cm_mode";
  if (kind == "fence") return {"other_managers", key};
  if (kind == "nvme" && key == "host identity") return {"host_identity", "/etc/nvme"};
  if (kind == "roce" && key.ends_with(kCmMode)) {
    return {"rdma_cm", key.substr(0, key.size() - kCmMode.size())};
  }
  return {kind, key};
}

}  // namespace

std::string state_directory(const std::string& node) {
  return fmt::format("{}/{}", protocol::kStateDirectory, node);
}

std::string ledger_path(const std::string& node) {
  return state_directory(node) + protocol::kLedgerName;
}

Result<kinds::Ledger> read_ledger(host::View& view, const std::string& node) {
  const auto& text = view.file(ledger_path(node));
  if (!text) return std::unexpected(text.error());
  return *text ? parse_ledger(ledger_path(node), **text) : kinds::Ledger{};
}

kinds::Ledger with_todays_names(const kinds::Ledger& ledger) {
  kinds::Ledger result;
  for (const auto& [kind, entries] : ledger) {
    for (const auto& [key, entry] : entries) {
      const auto [now_kind, now_key] = as_now(kind, key);
      result[now_kind].emplace(now_key, entry);
    }
  }
  return result;
}

Result<> write_ledger(host::Files& files, const std::string& node, const kinds::Ledger& ledger) {
  const auto text = fmt::format(R"({{"schema": "{}", "ledger": {}}})"
                                "\n",
                                kLedgerSchema, json_text(JsonWriter::write(ledger)));
  return files.write_durably(ledger_path(node), text, 0600);
}

Result<> restore_ledger(host::Files& files, const std::string& node, const kinds::Ledger& ledger) {
  return ledger.empty() ? files.remove(ledger_path(node)) : write_ledger(files, node, ledger);
}

Result<> end_release(host::Host& host, const std::string& node) {
  host::View view(host);
  auto ledger = read_ledger(view, node);
  if (!ledger) return std::unexpected(ledger.error());
  plan::unmark_released(*ledger);
  return write_ledger(host.files, node, *ledger);
}

kinds::Ledger merged(const kinds::Ledger& older, const kinds::Ledger& newer) {
  kinds::Ledger result = newer;
  for (const auto& [kind, entries] : older) {
    for (const auto& [key, entry] : entries) {
      auto& kept = result[kind].try_emplace(key, entry).first->second;
      if (kept.original.empty()) kept.original = entry.original;
    }
  }
  return result;
}

}  // namespace spark::state
