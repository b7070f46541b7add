#include "helpers/web/page.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "base/html.hpp"
#include "base/text.hpp"
#include "cluster/view_words.hpp"
#include "helpers/web/page_attention.hpp"
#include "helpers/web/page_cluster.hpp"
#include "helpers/web/page_last_day.hpp"
#include "helpers/web/page_sections.hpp"
#include "node_state/node_summary.hpp"
#include "node_state/source_text.hpp"
#include "node_state/time_text.hpp"

namespace spark::helpers {
namespace {

/// The tab's mark: the verdict's colour and shape.
std::string icon_url(gate::Verdict verdict) {
  const auto* colour = verdict == gate::Verdict::kReady      ? "1a7340"
                       : verdict == gate::Verdict::kNotReady ? "b3261e"
                                                             : "8a5300";
  const auto* path = verdict == gate::Verdict::kReady      ? "M4 8.5l3 3 5-6"
                     : verdict == gate::Verdict::kNotReady ? "M5 5l6 6M11 5l-6 6"
                                                           : "M5 8h6";
  return fmt::format(
      "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 "
      "16'%3E%3Ccircle "
      "cx='8' cy='8' r='8' fill='%23{}'/%3E%3Cpath d='{}' fill='none' stroke='white' "
      "stroke-width='2'/%3E%3C/svg%3E",
      colour, path);
}

std::string title_of(const node_state::NodeState& state) {
  return state.node.empty() ? "spark-reconcile" : state.node;
}

std::string head_html(std::string_view title, gate::Verdict verdict) {
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<link rel="icon" href="{}">
<link rel="stylesheet" href="/style.css">
</head>
)",
      title, icon_url(verdict));
}

std::string head_of_node(const node_state::NodeState& state) {
  return head_html(fmt::format("{}: {}", html(title_of(state)), name_of(state.verdict)),
                   state.verdict);
}

std::string head_of_cluster(const cluster::ClusterView& view) {
  return head_html(cluster_title(view), worst_of(view));
}

std::string node_top_html(const node_state::NodeState& state) {
  return fmt::format(
      R"(<h1>{}</h1><p class="quiet">{}</p>)", html(title_of(state)),
      state.cluster.empty() ? "no cluster yet" : fmt::format("cluster {}", html(state.cluster)));
}

std::string top_html(const std::string& title, const Moment& now) {
  return fmt::format(
      R"(<header class="top">
<div>{}</div>
<p class="at quiet">as of <time datetime="{}">{}</time></p>
</header>
)",
      title, utc_text(now.wall), node_state::utc_clock(now));
}

/// The findings line by line: their places line up under each other.
std::string findings_html(const std::string& findings) {
  std::string text;
  for (const auto line : lines_of(findings)) text += html(line) + "\n";
  return text;
}

/// The alerts of which nobody is told.
std::string mutes_html(const std::vector<node_state::MuteRecord>& mutes, const Moment& now) {
  if (mutes.empty()) return {};
  std::string items;
  for (const auto& record : mutes) {
    const auto& mute = record.mute;
    const auto left = std::max(mute.until.boot - now.boot, std::chrono::milliseconds(0));
    items += fmt::format(
        "<p><strong>{}</strong> ({}){} for {} more, until {}{}: {}{}</p>\n", html(mute.alert),
        html(mute.id), mute.node.empty() ? "" : " of " + html(mute.node), duration_text(left),
        node_state::utc_words(mute.until), mute.by.empty() ? "" : " by " + html(mute.by),
        html(mute.reason),
        record.raised == 0 ? "" : fmt::format(" <em>{} raised.</em>", record.raised));
  }
  return fmt::format(
      R"(<section class="card notice warn" role="status">
<h2>Muted</h2>
{}<p>Nobody is told of these alerts until then, or until they get worse, or <code>spark-reconcile mute --end ID</code>.</p>
</section>
)",
      items);
}

/// What somebody asked for, and what of a refused file is more than one line.
std::string notices_html(const node_state::NodeState& state, const Moment& now) {
  std::string notices;
  if (state.paused) {
    const auto& paused = *state.paused;
    notices += fmt::format(
        R"(<section class="card notice warn" role="status">
<h2>Paused</h2>
<p>{}</p>
<p>Nothing is corrected until {}, or <code>spark-reconcile resume</code>. {}</p>
</section>
)",
        html(paused.reason), node_state::utc_words(paused.until),
        paused.by.empty() ? "" : fmt::format("Asked for by {}.", html(paused.by)));
  }
  notices += mutes_html(state.mutes, now);
  if (state.source) {
    std::string lines;
    for (const auto& line : source_lines(*state.source, state.file.digest)) {
      lines += fmt::format("<p>{}</p>\n", html(line));
    }
    notices += fmt::format("<section class=\"card\">\n<h2>From git</h2>\n{}</section>\n", lines);
  }
  if (!state.file.refused.empty()) {
    notices +=
        folded("Findings of the refused file", "",
               fmt::format("<pre tabindex=\"0\">{}</pre>\n", findings_html(state.file.refused)));
  }
  return notices;
}

std::string figure(std::string_view name, const std::string& value, std::string_view beside) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", name, value, beside);
}

std::string figures_html(const node_state::NodeState& state, const Moment& now) {
  const auto sum = [](const std::map<std::string, std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                           [](auto total, const auto& one) { return total + one.second; });
  };
  const auto failures = sum(state.counters.failures);
  const bool passed = node_state::is_set(state.pass_at);
  return fmt::format(
      "<dl class=\"card figures\">\n{}{}{}{}{}</dl>\n",
      figure("In sync", std::to_string(state.in_sync), "resources"),
      figure("Drift", std::to_string(state.drifts.size()), "not as the file says"),
      figure("Skipped", std::to_string(state.skipped.size()), "take no part for now"),
      figure("Corrected", std::to_string(sum(state.counters.corrections)),
             failures == 0 ? "since it started"
                           : fmt::format("since it started; {} failed", failures)),
      figure("Last pass",
             passed ? duration_text(node_state::age(state.pass_at, now)) + " ago" : "none yet",
             passed ? fmt::format("took {}; {} in all", duration_text(state.pass_took),
                                  state.counters.passes)
                    : ""));
}

std::string foot_html(const node_state::NodeState& state, const Moment& now, Reload reload) {
  return fmt::format(
      R"(<footer><span>spark-reconcile {}, up {}</span><a href="/status.json">status.json</a><a href="/metrics">metrics</a><span>{}</span></footer>
)",
      html(state.version), duration_text(node_state::age(state.started, now)),
      reload == Reload::kOften
          ? fmt::format(R"(This page reloads every {} s: <a href="/still">stop that</a>.)",
                        kReloadSeconds)
          : fmt::format(R"(This page stays as it is: <a href="/">reload it every {} s</a>.)",
                        kReloadSeconds));
}

}  // namespace

std::string page_html(const node_state::NodeState& state, const Moment& now,
                      const ShownCluster* cluster, Reload reload) {
  const auto summary = node_state::summary_of(state, now);
  const auto top = cluster != nullptr ? cluster_top_html(cluster->view) : node_top_html(state);
  return (cluster != nullptr ? head_of_cluster(cluster->view) : head_of_node(state)) + "<body>\n" +
         top_html(top, now) + "<main>\n" +
         (cluster != nullptr ? cluster_html(*cluster, state, now) : "") +
         verdict_html(state, summary, now) + (cluster == nullptr ? last_day_html(state, now) : "") +
         attention_html(summary) + notices_html(state, now) + fabric_html(state) +
         routes_html(state) + figures_html(state, now) + jobs_html(state, now) +
         gate_html(state, now) + gid_moves_html(state, now) + skipped_html(state) +
         changes_html(state, now) + sinks_html(state) + file_html(state, now) + "</main>\n" +
         foot_html(state, now, reload) + "</body>\n</html>\n";
}

std::string page_without_state(std::string_view why) {
  return head_of_node({}) + fmt::format(R"(<body>
<main>
<section class="card verdict warn">
<span class="sign" aria-hidden="true">?</span>
<div><h1>{}</h1>
<p class="todo">→ <code>systemctl status spark-reconcile</code></p></div>
</section>
</main>
</body>
</html>
)",
                                        prose(why));
}

}  // namespace spark::helpers
