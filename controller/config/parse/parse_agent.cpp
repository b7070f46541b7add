#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/http_url.hpp"
#include "base/page_token.hpp"
#include "base/text.hpp"
#include "config/agent.hpp"
#include "config/parse/parse_source.hpp"
#include "config/yaml/other_text.hpp"
#include "config/yaml/read.hpp"
#include "config/yaml/read_forms.hpp"

namespace spark::config {
namespace {

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

constexpr std::array kAgentKeys{
    key<&Agent::listen, endpoint>("listen"),
    key<&Agent::token_file, text<kPath>>("token_file"),
    section<&Agent::alerts, read_alerts>("alerts"),
    section<&Agent::source, read_source>("source"),
    section<&Agent::disturb, read_disturb>("disturb"),
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
