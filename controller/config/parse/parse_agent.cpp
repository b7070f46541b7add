#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/http_url.hpp"
#include "base/page_token.hpp"
#include "base/text.hpp"
#include "config/agent.hpp"
#include "config/source.hpp"
#include "config/yaml/other_text.hpp"
#include "config/yaml/read.hpp"
#include "config/yaml/read_forms.hpp"

namespace spark::config {
namespace {

constexpr std::chrono::seconds kLeastInterval{5};
constexpr std::chrono::hours kLongestTime{24};

constexpr std::array kVerifyWords{
    std::pair{std::string_view("head"), Verify::kHead},
    std::pair{std::string_view("range"), Verify::kRange},
    std::pair{std::string_view("tag"), Verify::kTag},
    std::pair{std::string_view("none"), Verify::kNone},
};

constexpr std::array kSourceKeys{
    required(key<&SourceSpec::url, text<kGitUrl>>("url"), "url: https://git.example.org/lab.git"),
    key<&SourceSpec::branch, text<kGitBranch>>("branch"),
    key<&SourceSpec::path, text<kPathInTree>>("path"),
    key<&SourceSpec::verify, word<kVerifyWords>>("verify"),
    key<&SourceSpec::signers, text<kPath>>("signers"),
    key<&SourceSpec::revoked, text<kPath>>("revoked"),
    key<&SourceSpec::tag, text<kTagPattern>>("tag"),
    key<&SourceSpec::from, text<kGitCommit>>("from"),
    key<&SourceSpec::host_keys, list_of<text<kSshKey>>>("host_keys"),
    key<&SourceSpec::ca, text<kPath>>("ca"),
    key<&SourceSpec::proxy, text<kHttpUrl>>("proxy"),
    key<&SourceSpec::every, duration>("every"),
    key<&SourceSpec::settle, duration>("settle"),
};

void read_source(Findings& findings, const Value& value, std::optional<SourceSpec>& source) {
  source.emplace();
  read_map(findings, value, *source, kSourceKeys);
}

/// What a section that was read lacks.
void check_source(const SourceSpec& source, Findings& findings) {
  const auto is_between = [&](std::string_view key, const At<std::chrono::milliseconds>& time,
                              std::chrono::milliseconds least, std::string_view range) {
    if (time.value >= least && time.value <= kLongestTime) return;
    findings.add(SpecId::kSourceTimes, time.where,
                 fmt::format("'{}' is {}", key, time.value < least ? "too short" : "too long"),
                 fmt::format("write {}", range));
  };
  is_between("every", source.every, kLeastInterval,
             "5s to 24h: a server refuses a machine that asks all the time");
  is_between("settle", source.settle, std::chrono::milliseconds(0),
             "24h at most: so long the file before stays the last good one");
  if (source.url.value.empty()) return;  // refused already
  const auto lacks = [&](std::string_view what, std::string_view fix) {
    findings.add(SpecId::kSourceIncomplete, source.url.where, std::string(what), std::string(fix));
  };
  if (source.verify.value != Verify::kNone && !source.signers) {
    lacks("nobody is said to be trusted: 'signers' is missing",
          "write signers: /etc/spark-reconcile/signers, a file of the keys whose commits count "
          "(docs/howto/git.md); or verify: none, and everybody who can push rules this machine");
  }
  if (source.url.value.starts_with("ssh://") && source.host_keys.empty()) {
    lacks("the server's key is not known: 'host_keys' is missing",
          "`spark-reconcile follow` shows the server's key and writes it here");
  }
}

std::optional<At<Endpoint>> endpoint(Findings& findings, const Value& value) {
  const auto text = read_text(findings, value, kEndpoint);
  if (!text) return std::nullopt;
  const auto colon = text->value.rfind(':');
  std::string_view host = std::string_view(text->value).substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  const auto ip = IpAddress::parse(host);
  if (!ip) {
    findings.add(SpecId::kNoSuchAddress, value.where,
                 fmt::format("there is no address {}", in_quotes(host)),
                 "write an address of this machine and a port, as in 127.0.0.1:9842");
    return std::nullopt;
  }
  // The form has seen to it that the port is one.
  return At<Endpoint>{{*ip, *parse_port(std::string_view(text->value).substr(colon + 1))},
                      text->where};
}

std::optional<At<std::string>> http_url(Findings& findings, const Value& value) {
  auto text = read_text(findings, value, kHttpUrl);
  if (!text) return std::nullopt;
  const auto host = HttpUrl::parse(text->value)->host;  // the form is that of HttpUrl
  const bool is_ipv6 = host.find(':') != std::string::npos || text->value.contains('[');
  if (is_ipv6 && !IpAddress::parse(host)) {
    findings.add(SpecId::kNoSuchAddress, value.where,
                 fmt::format("there is no address {}", in_quotes(host)),
                 "in brackets stands an IPv6 address, as in http://[2001:db8::1]:9093");
    return std::nullopt;
  }
  return text;
}

constexpr std::array kWebhookKeys{
    required(key<&WebhookSpec::url, http_url>("url"), "url: http://127.0.0.1:8080/alerts"),
    key<&WebhookSpec::authorization_file, text<kPath>>("authorization_file"),
};

void read_webhooks(Findings& findings, const Value& value, std::vector<WebhookSpec>& webhooks) {
  if (!is_list(findings, value)) return;
  for (const Value& item : value.children) {
    read_map(findings, item, webhooks.emplace_back(), kWebhookKeys);
  }
}

constexpr std::array kAlertsKeys{
    key<&AlertsSpec::alertmanagers, list_of<http_url>>("alertmanager"),
    section<&AlertsSpec::webhooks, read_webhooks>("webhook"),
    key<&AlertsSpec::hooks, text<kPath>>("hooks"),
};

void read_alerts(Findings& findings, const Value& value, AlertsSpec& alerts) {
  read_map(findings, value, alerts, kAlertsKeys);
}

constexpr std::array kDisturbKeys{
    key<&DisturbSpec::patience, duration>("patience"),
};

void read_disturb(Findings& findings, const Value& value, DisturbSpec& disturb) {
  read_map(findings, value, disturb, kDisturbKeys);
}

constexpr std::array kJobsKeys{
    key<&JobsSpec::names, boolean>("names"),
};

void read_jobs(Findings& findings, const Value& value, JobsSpec& jobs) {
  read_map(findings, value, jobs, kJobsKeys);
}

constexpr std::array kAgentKeys{
    key<&Agent::listen, endpoint>("listen"),
    key<&Agent::token_file, text<kPath>>("token_file"),
    section<&Agent::alerts, read_alerts>("alerts"),
    section<&Agent::source, read_source>("source"),
    section<&Agent::disturb, read_disturb>("disturb"),
    section<&Agent::jobs, read_jobs>("jobs"),
};

class Receivers {
 public:
  explicit Receivers(Findings& findings) : findings_(findings) {}

  void add(const At<std::string>& url) {
    if (url.value.empty()) return;  // refused already
    const auto [first, is_new] = seen_.try_emplace(url.value, url.where);
    if (is_new) return;
    findings_.add(SpecId::kReceiverTwice, url.where,
                  fmt::format("{} stands here twice", in_quotes(url.value)),
                  "it would get every alert twice: keep one", {{first->second, "first here"}});
  }

 private:
  Findings& findings_;
  std::map<std::string, Where> seen_;
};

/// Who reaches a port off loopback is a stranger until the token is shown.
void check_page(const Agent& agent, Findings& findings) {
  const auto& [endpoint, where] = agent.listen;
  if (endpoint.ip.is_loopback() || agent.token_file) return;
  findings.add(SpecId::kPageToken, where,
               fmt::format("others reach {}, and no 'token_file' keeps strangers out",
                           in_quotes(text_of(endpoint))),
               fmt::format("make a token: {}\nand add the line: token_file: {}\nor write listen: "
                           "127.0.0.1:{} and come by ssh -L (docs/howto/the-page.md)",
                           token_command(kTokenFile), kTokenFile, endpoint.port));
}

void check_agent(const Agent& agent, Findings& findings) {
  check_page(agent, findings);
  Receivers alertmanagers(findings);
  for (const auto& url : agent.alerts.alertmanagers) alertmanagers.add(url);
  Receivers webhooks(findings);
  for (const auto& webhook : agent.alerts.webhooks) webhooks.add(webhook.url);
  if (agent.source) check_source(*agent.source, findings);
}

}  // namespace

bool spoils_agent(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::kError && diagnostic.id != text_of(SpecId::kPageToken);
}

ParsedAgent parse_agent(std::string_view text) {
  ParsedAgent parsed;
  Findings findings;
  const auto root = read_document(text, findings);
  if (root && is_map_of_file(findings, *root, "docs/reference/agent-yaml.md shows one")) {
    read_map(findings, *root, parsed.agent, kAgentKeys);
    check_agent(parsed.agent, findings);
  }
  name_other_text(text, findings);
  parsed.diagnostics = std::move(findings).take(root ? &*root : nullptr);
  return parsed;
}

}  // namespace spark::config
