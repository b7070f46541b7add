#include "helpers/web/page_sections.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/html.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"
#include "helpers/web/fabric_svg.hpp"
#include "helpers/web/page_parts.hpp"
#include "node_state/problems.hpp"
#include "node_state/time_text.hpp"

namespace spark::helpers {
namespace {

// In the order of the enumerators.
constexpr std::array kVerdictStyles{VerdictStyle{"good", "✓"}, VerdictStyle{"warn", "?"},
                                    VerdictStyle{"warn", "⋯"}, VerdictStyle{"bad", "✗"}};
static_assert(kVerdictStyles.size() == protocol::kVerdicts.size(), "each verdict has a style");

/// "mtu" over "enp1s0f0np0".
std::string resource_html(std::string_view kind, std::string_view key) {
  return fmt::format("<span class=\"mono\">{}</span><small>{}</small>", html(key), html(kind));
}

std::string fact_chips(const std::vector<gate::Fact>& facts) {
  std::string chips;
  for (const auto& fact : facts) {
    const auto look = look_of(fact.verdict);
    chips += fmt::format(
        R"(<span><span class="{}">{}</span> {}{}</span>)", look.tone, look.sign, html(fact.name),
        fact.verdict == gate::Verdict::kReady ? "" : fmt::format(": {}", name_of(fact.verdict)));
  }
  return fmt::format("<div class=\"facts\">{}</div>", chips);
}

void all_rows(Table& table, std::string_view of, const std::vector<gate::Fact>& facts) {
  for (const auto& fact : facts) {
    const auto look = look_of(fact.verdict);
    table.row({html(fact.name) + small(of),
               fmt::format(R"(<span class="{}">{} {}</span>)", look.tone, look.sign,
                           name_of(fact.verdict)),
               html(fact.measured), mono(fact.id)});
  }
}

/// "94.1 Gb/s"; empty: not known.
std::string bit_rate_text(std::optional<std::uint64_t> bits) {
  constexpr double kGigabit = 1e9;
  return bits ? fmt::format("{:.1f} Gb/s", static_cast<double>(*bits) / kGigabit) : "";
}

std::string_view cause_words(node_state::ChangeRecord::Cause cause) {
  switch (cause) {
    case node_state::ChangeRecord::Cause::kFile:
      return "the file changed";
    case node_state::ChangeRecord::Cause::kDrift:
      return "it had drifted";
    case node_state::ChangeRecord::Cause::kBoot:
      return "boot";
    case node_state::ChangeRecord::Cause::kLink:
      return "its link changed";
    case node_state::ChangeRecord::Cause::kResumed:
      return "it had been left alone";
  }
  return "";
}

}  // namespace

VerdictStyle look_of(gate::Verdict verdict) {
  return kVerdictStyles.at(static_cast<std::size_t>(verdict));
}

std::string folded(std::string_view title, std::string_view beside, std::string_view content) {
  return fmt::format(
      "<details class=\"card fold\">\n<summary><h2>{}</h2><span class=\"quiet\">{}</span></summary>"
      "\n{}</details>\n",
      html(title), html(beside), content);
}

std::string since_html(const Moment& since, const Moment& now) {
  if (!node_state::is_set(since)) return "never";
  const auto utc = utc_text(since.wall);
  return fmt::format(R"(<time datetime="{}">{} {}</time><small>{} ago</small>)", utc,
                     utc.substr(0, 10), utc.substr(11, 8),
                     duration_text(node_state::age(since, now)));
}

std::string fabric_html(const node_state::NodeState& state) {
  if (state.links.empty()) {
    return card("Fabric", sentence("No link is known yet."));
  }
  Table table({"Link", "State", "MTU", "Speed", "Addresses", "RDMA device"});
  for (const auto& link : state.links) {
    table.row(
        {mono(link.name) +
             (link.cage ? small(fmt::format("cage {}, rail {}", *link.cage, link.rail.value_or(0)))
                        : ""),
         html(carrier_text(link)), link.present ? std::to_string(link.mtu) : "", speed_text(link),
         mono(fmt::format("{}", fmt::join(link.addresses, " "))), mono(link.device)});
  }
  const auto drawing = drawing_html(state.links);
  return card("Fabric",
              drawing.empty()
                  ? table.html()
                  : fmt::format("<div class=\"cages\">\n{}</div>\n{}<details><summary>All "
                                "links</summary>\n{}</details>\n",
                                drawing, legend_html(), table.html()));
}

std::string routes_html(const node_state::NodeState& state) {
  if (state.routes.empty()) return "";
  Table table({"Link", "Route", "State"});
  std::size_t in_sync = 0;
  for (const auto& route : state.routes) {
    const bool is_in_sync = route.state == "in_sync";
    in_sync += static_cast<std::size_t>(is_in_sync);
    table.row({mono(route.link), mono(route.text),
               tag(is_in_sync ? "good" : "off", in_words(route.state))});
  }
  return folded("Routes", fmt::format("{} of {} in sync", in_sync, state.routes.size()),
                table.html());
}

std::string jobs_html(const node_state::NodeState& state, const Moment& now) {
  const auto& last = state.jobs;
  if (!node_state::is_set(last.at) || last.rails.empty()) return "";
  Table rails({"Rail", "In", "Out", "It can carry"});
  for (const auto& rail : last.rails) {
    const auto carried = rail.carried;
    rails.row({mono(rail.link) + small(rail.rail ? jobs::short_name(rail) : ""),
               bit_rate_text(carried ? std::optional(carried->received) : std::nullopt),
               bit_rate_text(carried ? std::optional(carried->sent) : std::nullopt),
               bit_rate_text(rail.limit)});
  }
  Table found({"Finding", "What to do", "Id"});
  for (const auto& finding : last.findings) {
    found.row({tag(finding.is_alert ? "bad" : "off", finding.is_alert ? "alert" : "note") + " " +
                   prose(finding.what),
               prose(finding.remedy), mono(finding.id)});
  }
  const auto users = last.running ? fmt::format("{} use{} RDMA", counted(*last.running, "job"),
                                                last.running == 1 ? "s" : "")
                                  : "whether a job uses RDMA is not known";
  return folded(
      "Jobs",
      fmt::format("{}, as seen {} ago", users, duration_text(node_state::age(last.at, now))),
      rails.html() + (last.findings.empty() ? "" : found.html()));
}

std::string gate_html(const node_state::NodeState& state, const Moment& now) {
  if (!state.gate) return folded("Gate", "it has not looked yet", "");
  Table summary({"Rail", "Facts"});
  Table all({"Fact", "State", "Measured", "Id"});
  std::size_t count = state.gate->node.size();
  for (const auto& rail : state.gate->rails) {
    summary.row({mono(rail.link) + small(rail.ip.text()), fact_chips(rail.facts)});
    all_rows(all, fmt::format("{} {}", rail.link, rail.ip.text()), rail.facts);
    count += rail.facts.size();
  }
  if (!state.gate->node.empty()) {
    summary.row({"node", fact_chips(state.gate->node)});
    all_rows(all, "node", state.gate->node);
  }
  return folded("Gate",
                fmt::format("{} facts of {} rails, as seen {} ago", count, state.gate->rails.size(),
                            duration_text(node_state::age(state.gate_at, now))),
                summary.html() + all.html());
}

std::string skipped_html(const node_state::NodeState& state) {
  if (state.skipped.empty()) return "";
  Table table({"Resource", "Why", "Reason", "Id"});
  for (const auto& skipped : state.skipped) {
    table.row({resource_html(skipped.kind, skipped.key), tag("off", in_words(name_of(skipped.why))),
               prose(skipped.reason), mono(skipped.id)});
  }
  return folded("Skipped", fmt::format("{} that take no part for now", state.skipped.size()),
                table.html());
}

std::string changes_html(const node_state::NodeState& state, const Moment& now) {
  if (state.changes.empty()) {
    return folded("Last changes", "none since the daemon started", "");
  }
  Table table({"When", "Resource", "Change", "Cause", "Outcome"});
  for (const auto& change : state.changes) {
    table.row(
        {since_html(change.at, now), resource_html(change.kind, change.key),
         fmt::format("{} → {}", mono(or_absent(change.before)), mono(or_absent(change.after))),
         html(fmt::format("{}{}", cause_words(change.cause),
                          node_state::writer_clause(change.kind, change.writer))),
         change.failure.empty()
             ? fmt::format("<span class=\"good\">✓</span> done{}",
                           small(fmt::format("in {}", duration_text(change.took))))
             : fmt::format("<span class=\"bad\">✗</span> failed{}", small(change.failure))});
  }
  return folded("Last changes",
                fmt::format("{}, the last {} ago", state.changes.size(),
                            duration_text(node_state::age(state.changes.front().at, now))),
                table.html());
}

std::string gid_moves_html(const node_state::NodeState& state, const Moment& now) {
  if (state.gid_moves.empty()) return "";
  Table table({"When", "Address", "Link", "Index"});
  for (const auto& move : state.gid_moves) {
    table.row({since_html(move.at, now), mono(move.ip), mono(move.link) + small(move.device),
               fmt::format("{} → {}", move.from, move.to)});
  }
  return folded("GIDs that moved", "jobs that run since before hang", table.html());
}

std::string sinks_html(const node_state::NodeState& state) {
  if (state.sinks.empty()) return "";
  Table table({"Alerts go to", "State", "Delivered", "Dropped", "Last error"});
  std::size_t failing = 0;
  for (const auto& sink : state.sinks) {
    failing += static_cast<std::size_t>(sink.failures > 0);
    table.row({mono(sink.name),
               sink.failures == 0 ? tag("good", "delivers") : tag("bad", "failing"),
               std::to_string(sink.delivered), std::to_string(sink.dropped), html(sink.error)});
  }
  return folded("Alerts",
                failing == 0 ? std::string("delivered")
                             : fmt::format("{} of {} receivers fail", failing, state.sinks.size()),
                table.html());
}

/// Empty: nothing waits for other nodes.
std::string all_nodes_html(const node_state::NodeState& state) {
  const auto& all = state.all_nodes;
  const bool is_pending = all && all->until && !is_over(*all);
  if (!is_pending && !state.file.waits_for_all) return {};
  const auto what =
      is_pending
          ? fmt::format(
                "{} on {} offers another file: this node goes back by itself at {} "
                "unless all nodes keep it",
                all->terms.by, all->terms.origin, node_state::utc_clock(*all->until))
          : fmt::format("the file is changed, and waits: {}", node_state::kRemedyOfWaitForAll);
  return fmt::format("<dt>All nodes</dt><dd>{}</dd>\n", html(what));
}

std::string file_html(const node_state::NodeState& state, const Moment& now) {
  const auto& file = state.file;
  return folded(
      "File",
      file.digest.empty()
          ? "none is in force"
          : fmt::format("in force for {}", duration_text(node_state::age(file.since, now))),
      fmt::format("<dl class=\"files\">\n<dt>Path</dt><dd>{}</dd>\n<dt>SHA-256</dt><dd>{}</dd>\n"
                  "<dt>In force since</dt><dd>{}</dd>\n{}</dl>\n",
                  mono(file.path), file.digest.empty() ? "none is in force" : mono(file.digest),
                  file.digest.empty() ? "never" : since_html(file.since, now),
                  all_nodes_html(state)));
}

}  // namespace spark::helpers
