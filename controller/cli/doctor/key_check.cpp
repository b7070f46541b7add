#include "cli/doctor/key_check.hpp"

#include <string>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gate/common/peers_report.hpp"
#include "host/process/key_file.hpp"
#include "protocol/peers.hpp"

namespace spark::cli {
namespace {

/// Code points.
constexpr std::size_t kLongestKeyFault = 300;

host::KeyReader key_reader(host::Files& files) {
  host::KeyReader reader{.name = protocol::kPeersUser, .ids = std::nullopt};
  if (const auto passwd = files.read("/etc/passwd"); passwd && *passwd) {
    reader.ids = host::user_ids(reader.name, **passwd);
  }
  return reader;
}

/// What spark-peers itself says of the key in this boot; empty: nothing, or it does not run.
std::string reported_fault(host::Host& host) {
  const auto report = gate::read_peers_report(host).value_or(std::nullopt);
  return report ? printable(report->key_failed, kLongestKeyFault) : std::string();
}

}  // namespace

std::optional<Finding> key_finding(const Command& command, const config::Node& node) {
  const auto& ready = node.ready;
  if (!ready.key_file || ready.peers.value == config::ReadyPolicy::kOff) return std::nullopt;
  const auto& path = ready.key_file->value;
  const auto reader = key_reader(command.host.files);
  if (const auto fault = host::key_file_fault(command.arguments.root, path, reader)) {
    return Finding{"key", Severity::kPrevents,
                   fmt::format("{} [{}]", fault->what, protocol::kKeyId), fault->remedy};
  }
  if (auto fault = reported_fault(command.host); !fault.empty()) {
    return Finding{"key", Severity::kPrevents, std::move(fault),
                   "`systemctl status spark-reconcile-peers`"};
  }
  return Finding{
      "key", Severity::kGood,
      fmt::format("{} is there, and root and {} alone read it", in_quotes(path), reader.name), ""};
}

}  // namespace spark::cli
