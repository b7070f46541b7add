#include "reconcile/undo_log.hpp"

#include <iterator>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reconcile/ledger.hpp"

namespace spark {

std::string undo_log_path(const std::string& node) { return state_directory(node) + "/undo.json"; }

Result<> write_undo_log(Host& host, const Plan& plan) {
  const auto boot_id = host.sysctl.read("kernel.random.boot_id");
  std::string text = fmt::format(
      R"({{"schema": "spark-reconcile/undo/v1", "node": "{}", "digest": "{}", "boot_id": "{}",)"
      "\n\"steps\": [",
      plan.node, plan.digest, boot_id ? boot_id->text : "");
  const char* separator = "\n";
  for (const auto& step : plan.steps) {
    fmt::format_to(std::back_inserter(text),
                   R"({}{{"kind": "{}", "key": {}, "before": {}, "after": {}}})", separator,
                   step.kind, nlohmann::json(step.key).dump(), step.record_before(),
                   step.record_after());
    separator = ",\n";
  }
  fmt::format_to(std::back_inserter(text), "],\n\"ledger\": {}}}\n", ledger_to_json(plan.remember));
  return host.files.write_durably(undo_log_path(plan.node), text, 0600);
}

Result<> remove_undo_log(Files& files, const std::string& node) {
  return files.remove(undo_log_path(node));
}

}  // namespace spark
