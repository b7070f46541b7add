#pragma once
// Agent: an agent.yaml as values. It holds settings of this machine's daemon that are no part of
// the cluster's file: where the daemon listens, whom it alerts, and which git
// repository it follows.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "config/cluster.hpp"
#include "config/source.hpp"
#include "config/yaml/diagnostic.hpp"

namespace spark::config {

/// Where a server listens.
struct Endpoint {
  IpAddress ip;
  std::uint16_t port = 0;
  bool operator==(const Endpoint&) const = default;
};

template <EitherConst<Endpoint> T, class Visit>
void each_field(T& endpoint, Visit visit) {
  visit("ip", endpoint.ip);
  visit("port", endpoint.port);
}

/// "127.0.0.1:9842", "[::1]:9842".
std::string text_of(const Endpoint& endpoint);

/// One receiver of Alertmanager's webhook body.
struct WebhookSpec {
  At<std::string> url;
  /// A file whose content is the value of the Authorization header.
  std::optional<At<std::string>> authorization_file;
};

struct AlertsSpec {
  std::vector<At<std::string>> alertmanagers;  ///< base URLs, as in "http://127.0.0.1:9093"
  std::vector<WebhookSpec> webhooks;
  At<std::string> hooks{"/etc/spark-reconcile/hooks.d", {}};  ///< directory; absent: no hooks
};

/// What the daemon does about changes that would disturb a running job.
struct DisturbSpec {
  std::optional<At<std::chrono::milliseconds>> patience;  ///< then an alert; absent: none
};

/// What the daemon remembers of jobs.
struct JobsSpec {
  At<bool> names{true, {}};  ///< their names, users and containers too
};

struct Agent {
  At<Endpoint> listen{{*IpAddress::parse("127.0.0.1"), 9842}, {}};
  /// A file whose one line is asked of everybody who reaches the page; needed where `listen` is no
  /// loopback address, and unused where it is one.
  std::optional<At<std::string>> token_file;
  AlertsSpec alerts;
  std::optional<SourceSpec> source;  ///< empty: the cluster file is put on this machine by hand
  DisturbSpec disturb;
  JobsSpec jobs;
};

struct ParsedAgent {
  Agent agent;                          ///< to be used only when no diagnostic is an error
  std::vector<Diagnostic> diagnostics;  ///< sorted by place
};

/// Reads a whole agent.yaml, as `parse` does a cluster.yaml: the same YAML, limits and ids. A file
/// that says nothing has all defaults. Pure.
ParsedAgent parse_agent(std::string_view text);

/// Whether the file with that finding is left out as a whole. An error about the page alone
/// (SR-SPEC-141) closes the page, and nobody loses alerts by it.
bool spoils_agent(const Diagnostic& diagnostic);

}  // namespace spark::config
