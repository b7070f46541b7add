#include "reconcile/ledger.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reconcile/undo_log.hpp"

namespace spark {
namespace {

constexpr const char* kSchema = "spark-reconcile/ledger/v1";

std::string ledger_path(const std::string& node) { return state_directory(node) + "/ledger.json"; }

/// Errors: kInvalid for anything that is not the shape that `ledger_to_json` writes.
Result<Ledger> parse_ledger(const std::string& path, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto invalid = [&] {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is damaged or of a newer version: move it away to start afresh "
                            "(addresses that were adopted are then no longer known as ours)",
                            path));
  };
  if (!json.is_object() || !json.contains("ledger") || !json["ledger"].is_object()) {
    return invalid();
  }
  Ledger ledger;
  for (const auto& [kind, entries] : json["ledger"].items()) {
    if (!entries.is_object()) return invalid();
    for (const auto& [key, entry] : entries.items()) {
      if (!entry.is_object()) return invalid();
      const auto text_at = [&](const char* name) {
        const auto found = entry.find(name);
        return found != entry.end() && found->is_string() ? found->get<std::string>()
                                                          : std::string();
      };
      ledger[kind].emplace(key, LedgerEntry{text_at("ours"), text_at("original")});
    }
  }
  return ledger;
}

}  // namespace

std::string state_directory(const std::string& node) { return "/var/lib/spark-reconcile/" + node; }

Result<Ledger> read_ledger(View& view, const std::string& node) {
  for (const auto& path : {undo_log_path(node), ledger_path(node)}) {
    const auto& text = view.file(path);
    if (!text) return std::unexpected(text.error());
    if (*text) {
      return parse_ledger(path, **text);
    }
  }
  return Ledger{};
}

std::string ledger_to_json(const Ledger& ledger) {
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
  return kinds.dump();
}

Result<> write_ledger(Files& files, const std::string& node, const Ledger& ledger) {
  const auto text = fmt::format(R"({{"schema": "{}", "ledger": {}}})"
                                "\n",
                                kSchema, ledger_to_json(ledger));
  return files.write(ledger_path(node), text, 0600);
}

Ledger merged(const Ledger& older, const Ledger& newer) {
  Ledger result = newer;
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

}  // namespace spark
