#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/init/rails_here.hpp"
#include "host/view.hpp"

namespace spark::cli {
namespace {

using Hook = host::BaseChain::Hook;

constexpr const char* kShowRules =
    "`sudo nft list ruleset` shows what is accepted; docs/reference/ports.md lists the ports";

/// "'ip filter INPUT' and 'ip6 filter INPUT'", of the chains that drop there.
std::string dropping_chains(const std::vector<host::BaseChain>& chains, Hook hook) {
  std::vector<std::string> names;
  for (const auto& chain : chains) {
    if (chain.hook != hook || !chain.drops) continue;
    names.push_back(in_quotes(fmt::format("{} {} {}", chain.family, chain.table, chain.name)));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

/// The file has this node forward packets between its links.
bool forwards(const Command& command, host::View& view) {
  const auto node = wanted_node(command, view);
  if (!node) return false;
  const auto found = node->sysctl.find("net.ipv4.ip_forward");
  return found != node->sysctl.end() && found->second.value == "1";
}

void add_input(const std::string& chains, Findings& findings) {
  if (chains.empty()) {
    findings.push_back({"firewall", Severity::kGood,
                        "no chain of nftables drops what comes in by its policy", ""});
    return;
  }
  findings.push_back(
      {"firewall", Severity::kLook,
       fmt::format("what no rule accepts is dropped by {}: TCP from other nodes (NCCL's bootstrap, "
                   "NVMe over TCP, port 9843) needs such a rule; RDMA of a ConnectX passes by it",
                   chains),
       kShowRules});
}

void add_forward(const std::string& chains, bool forwards, Findings& findings) {
  if (chains.empty()) return;
  if (!forwards) {
    findings.push_back(
        {"firewall", Severity::kGood,
         fmt::format("packets for others are dropped by {}, as docker sets it: containers with "
                     "`--network host` and this node itself are not concerned",
                     chains),
         ""});
    return;
  }
  findings.push_back(
      {"firewall", Severity::kLook,
       fmt::format("the file has net.ipv4.ip_forward: 1, and packets for others are dropped by {} "
                   "unless a rule accepts them",
                   chains),
       "accept traffic between rails in the chain DOCKER-USER, or where that policy is set"});
}

/// iptables-legacy has tables of its own, which nftables does not show.
void add_legacy(const Command& command, Findings& findings) {
  const auto tables = command.host.files.read("/proc/net/ip_tables_names");
  if (!tables || !*tables || (*tables)->empty()) return;
  findings.push_back({"firewall", Severity::kGood,
                      "iptables-legacy has tables too, which are not looked at: `sudo "
                      "iptables-legacy -S` shows them",
                      ""});
}

}  // namespace

Findings check_firewall(const Command& command) {
  host::View view(command.host);
  const auto rails = rails_here(view);
  if (!rails || rails->empty()) return {};
  Findings findings;
  const auto& module = view.module("nf_tables");
  const bool has_module = module && module->available;
  if (has_module && !module->loaded && !module->built_in) {
    findings.push_back(
        {"firewall", Severity::kGood, "nftables is not loaded: no rule of it drops anything", ""});
  } else if (const auto chains = command.host.netlink.base_chains()) {
    add_input(dropping_chains(*chains, Hook::kInput), findings);
    add_forward(dropping_chains(*chains, Hook::kForward), forwards(command, view), findings);
  } else if (has_module) {
    findings.push_back({"firewall", Severity::kLook, chains.error().what, kShowRules});
  }
  add_legacy(command, findings);
  return findings;
}

}  // namespace spark::cli
