#include "cli/verbs/network_answer.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/moment.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/peer_records.hpp"
#include "cli/text/layout.hpp"
#include "config/dgx_names.hpp"
#include "jobs/kernel_lines.hpp"
#include "jobs/sign_log.hpp"
#include "jobs/ways.hpp"

namespace spark::cli {
namespace {

/// Of a job all since it began, since a rail that was lost long before its end may have ended it;
/// and a while after, for the echo that came back.
jobs::Span span_of(const NetworkQuestion& question) {
  constexpr std::chrono::hours kDay{24};
  constexpr std::chrono::minutes kAfter{10};
  return {.from = question.job ? question.job->began : question.at - kDay,
          .to = question.at + kAfter};
}

/// What the journal has and the record does not: the daemon reads it at the end of a job alone.
void add_kernel_lines(const Command& command, const NetworkQuestion& question,
                      jobs::NodeSigns& record) {
  if (geteuid() != 0 || command.arguments.root != "/") return;
  const auto lines =
      jobs::kernel_lines(question.at - question.lasts - jobs::kAround, question.at + jobs::kAround);
  if (!lines) return;  // these are seen and not judged, so the answer does without
  for (const auto& line : *lines) {
    if (std::ranges::find(record.signs, line) == record.signs.end()) record.signs.push_back(line);
  }
}

/// The daemon that runs writes a fault at once, and only each minute that it still records.
void go_on_until_now(const Command& command, jobs::NodeSigns& record) {
  constexpr std::chrono::minutes kWritten{2};
  const auto here = node_here(command.host).value_or(std::nullopt);
  if (!here || !here->hangs.empty() || record.covered.empty()) return;
  auto& to = record.covered.back().to;
  const auto present = now().wall;
  if (to >= here->state.started.wall && present - to <= kWritten) to = std::max(to, present);
}

void add_own(const Command& command, const std::string& node, const NetworkQuestion& question,
             jobs::Question& known, NetworkAnswer& asked) {
  auto record = jobs::read_record(command.host.files);
  auto& self = asked.nodes.emplace_back(
      NodeAsked{.node = node, .ahead = std::chrono::milliseconds(0), .why = ""});
  auto& own = known.nodes.emplace_back();
  if (!record) {
    self.why = record.error().what;
  } else if (!*record) {
    self.why = "no daemon has recorded anything here";
  } else {
    own = **std::move(record);
    go_on_until_now(command, own);
  }
  own.node = node;
  own.ahead = self.ahead;
  add_kernel_lines(command, question, own);
}

/// What the file has at no cable or switch, a job may use all the same, and it may fail.
void add_ways_without_peer(const config::Node& node, const NetworkQuestion& question,
                           std::vector<jobs::Way>& ways) {
  auto links = question.job ? question.job->links : std::vector<std::string>();
  if (!question.job) {
    for (const auto& [name, link] : node.links) {
      if (link.rail && link.role != config::LinkRole::kUnused) links.push_back(name);
    }
  }
  for (const auto& link : links) {
    if (std::ranges::find(ways, link, &jobs::Way::link) != ways.end()) continue;
    ways.push_back({.link = link,
                    .rail = config::rail_of_dgx_name(link),
                    .peer = "the other end",
                    .peer_link = {},
                    .peer_rail = {}});
  }
}

/// A peer says itself what the link of a rail is called there.
void name_links(const PeerRecord& peer, std::vector<jobs::Way>& ways) {
  if (!peer.rails) return;
  for (auto& way : ways) {
    if (way.peer != peer.node || !way.peer_rail) continue;
    const auto told = std::ranges::find_if(peer.rails->rails, [&](const protocol::RailTold& rail) {
      return rail.cage == way.peer_rail->cage && rail.rail == way.peer_rail->rail;
    });
    if (told != peer.rails->rails.end()) way.peer_link = told->link;
  }
}

void add_peers(const Command& command, const config::Node& node, const NetworkQuestion& question,
               jobs::Question& known, NetworkAnswer& asked) {
  std::set<std::string> names;
  for (const auto& peer : node.peers) {
    if (!peer.external) names.insert(peer.node);
  }
  if (names.empty()) return;
  if (!command.arguments.json) {
    command.terminal.show_passing(
        fmt::format("  asking {} …", listed({names.begin(), names.end()})));
  }
  auto records = ask_peer_records(command.host, node, span_of(question));
  if (!records) {
    for (const auto& name : names) {
      asked.nodes.push_back({.node = name, .ahead = {}, .why = records.error().what});
    }
    return;
  }
  for (auto& peer : *records) {
    asked.nodes.push_back({.node = peer.node, .ahead = peer.signs.ahead, .why = peer.why});
    if (!peer.why.empty()) continue;
    name_links(peer, known.ways);
    known.nodes.push_back(std::move(peer.signs));
  }
}

}  // namespace

NetworkAnswer network_answer(const Command& command, const config::Cluster& cluster,
                             const config::Node& node, const NetworkQuestion& question) {
  jobs::Question known{.at = question.at,
                       .job = question.job,
                       .ways = jobs::ways_of(cluster, node),
                       .nodes = {},
                       .lasts = question.lasts};
  add_ways_without_peer(node, question, known.ways);
  NetworkAnswer asked;
  add_own(command, node.name, question, known, asked);
  if (question.asks_peers) add_peers(command, node, question, known, asked);
  asked.answer = jobs::was_it_the_network(known);
  return asked;
}

}  // namespace spark::cli
