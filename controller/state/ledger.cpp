#include "state/ledger.hpp"

#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plan/release_mark.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

constexpr const char* kSchema = "spark-reconcile/ledger/v1";

/// Errors: kInvalid for anything that is not the shape that `to_json` writes.
Result<kinds::Ledger> parse_ledger(const std::string& path, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto entry = json.is_object() ? json.find("ledger") : json.end();
  const bool known = entry != json.end() && json.value("schema", "") == kSchema;
  auto ledger = known ? ledger_from_json(*entry) : std::nullopt;
  if (!ledger) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is damaged or of a newer version: move it away to start afresh "
                            "(addresses that were adopted are then no longer known as ours)",
                            path));
  }
  return std::move(*ledger);
}

/// Empty: there is no such text.
std::string text_at(const nlohmann::json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The names that builds before 0.2 gave a kind and a resource, as they are now.
std::pair<std::string, std::string> as_now(const std::string& kind, const std::string& key) {
  constexpr std::string_view kCmMode = " rdma_cm_mode";
  if (kind == "fence") {
    return {"other_managers", key};
  }
  if (kind == "nvme" && key == "host identity") {
    return {"host_identity", "/etc/nvme"};
  }
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

nlohmann::json to_json(const kinds::Ledger& ledger) {
  auto kinds = nlohmann::json::object();
  for (const auto& [kind, entries] : ledger) {
    for (const auto& [key, entry] : entries) {
      auto& json = kinds[kind][key];
      json["ours"] = entry.ours;
      if (!entry.original.empty()) {
        json["original"] = entry.original;
      }
    }
  }
  return kinds;
}

std::optional<kinds::Ledger> ledger_from_json(const nlohmann::json& json) {
  if (!json.is_object()) {
    return std::nullopt;
  }
  kinds::Ledger ledger;
  for (const auto& [kind, entries] : json.items()) {
    if (!entries.is_object()) {
      return std::nullopt;
    }
    for (const auto& [key, entry] : entries.items()) {
      if (!entry.is_object()) {
        return std::nullopt;
      }
      const auto [now_kind, now_key] = as_now(kind, key);
      ledger[now_kind].emplace(
          now_key, kinds::LedgerEntry{text_at(entry, "ours"), text_at(entry, "original")});
    }
  }
  return ledger;
}

Result<> write_ledger(host::Files& files, const std::string& node, const kinds::Ledger& ledger) {
  const auto text = fmt::format(R"({{"schema": "{}", "ledger": {}}})"
                                "\n",
                                kSchema, to_json(ledger).dump());
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
      if (kept.original.empty()) {
        kept.original = entry.original;
      }
    }
  }
  return result;
}

}  // namespace spark::state
