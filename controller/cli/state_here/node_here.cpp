#include "cli/state_here/node_here.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "diagnosis/kinds.hpp"
#include "host/file_lock.hpp"
#include "node_state/node_document.hpp"
#include "node_state/time_text.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/alive.hpp"
#include "protocol/paths.hpp"
#include "protocol/web.hpp"
#include "state/journal.hpp"

namespace spark::cli {
namespace {

/// What is old news when nobody looks any more.
void forget_verdict(node_state::NodeState& state, const std::string& why) {
  state.verdict = gate::Verdict::kUnknown;
  state.verdict_since = {};
  state.gate.reset();
  state.released.reset();
  for (auto& link : state.links) link.cabling.reset();
  state.pass_error = fmt::format("{}; {}", why, node_state::kRestartDaemon);
}

}  // namespace

Result<std::optional<NodeHere>> node_here(host::Host& host) {
  const auto read = [&](const std::string& path, std::size_t /*most_bytes*/) {
    return host.files.read(path);
  };
  const auto aged = protocol::read_aged(read, protocol::kDaemonAliveFile, protocol::kNodeStateFile,
                                        protocol::kMostNodeStateBytes);
  if (!aged) return std::unexpected(aged.error());
  if (!aged->text) return std::nullopt;
  auto document = node_state::node_document_from(*aged->text);
  if (!document) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("'{}' is not understood: {}: the daemon is of another version; "
                    "{}",
                    protocol::kNodeStateFile, document.error().what, node_state::kRestartDaemon));
  }
  const bool is_of_this_boot =
      document->boot_id.empty() || document->boot_id == state::boot_id(host);
  // A daemon of 0.2.0 does not say when it wrote.
  const auto at = node_state::is_set(document->at) ? document->at : document->state.pass_at;
  if (!is_of_this_boot || !node_state::is_set(at)) return std::nullopt;
  NodeHere here{.state = std::move(document->state),
                .at = at,
                .hangs = node_state::why_silent(aged->alive, now()),
                .why = {}};
  if (!here.hangs.empty()) forget_verdict(here.state, here.hangs);
  here.why = printable(here.hangs.empty() ? written(node_state::why_of(here.state))
                                          : here.state.pass_error);
  return here;
}

Result<std::optional<apply::UnfinishedApply>> find_unfinished(host::Host& host,
                                                              const std::string& root) {
  return apply::find_unfinished(host, now(), [&root] {
    return host::lock_holder(root, protocol::kLockFile).value_or(std::nullopt).has_value();
  });
}

std::optional<apply::UnfinishedApply> unfinished_here(host::Host& host, const std::string& root) {
  if (auto own = find_unfinished(host, root)) return *std::move(own);
  auto here = node_here(host).value_or(std::nullopt);
  return here ? std::move(here->state.unfinished) : std::nullopt;
}

std::string unfinished_text(const std::optional<apply::UnfinishedApply>& unfinished) {
  return unfinished ? fmt::format("{} [{}]\n  {}\n", printable(unfinished->what),
                                  diagnosis::kUnfinishedId, printable(unfinished->remedy))
                    : std::string();
}

std::optional<gate::GateReport> read_last_gate(host::Host& host,
                                               const std::optional<std::string>& digest) {
  auto here = node_here(host).value_or(std::nullopt);
  if (!here || (digest && here->state.file.digest != *digest)) return std::nullopt;
  return std::move(here->state.gate);
}

bool is_no_node_of_its_file(const node_state::NodeState& state) {
  return state.node.empty() && state.file.refused.empty() && !state.file.digest.empty();
}

std::vector<host::HardwareSign> hardware_faults(const node_state::NodeState& state) {
  std::vector<host::HardwareSign> faults;
  for (auto sign : state.hardware.signs) {
    if (!sign.is_fault) continue;
    for (auto* text : {&sign.subject, &sign.what, &sign.remedy}) *text = printable(*text);
    faults.push_back(std::move(sign));
  }
  return faults;
}

std::string daemon_lock(const std::string& root) {
  return (root == "/" ? "" : root) + protocol::kDaemonLockFile;
}

}  // namespace spark::cli
