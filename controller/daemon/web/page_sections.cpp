#include "daemon/web/page_sections.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "daemon/common/time_text.hpp"
#include "daemon/web/fabric_svg.hpp"
#include "daemon/web/html.hpp"

namespace spark::daemon {
namespace {

/// Rows of cells that are HTML already; on a phone each cell stands below the one before, behind
/// its heading.
class Table {
 public:
  explicit Table(std::vector<std::string_view> headings) : headings_(std::move(headings)) {}

  void row(const std::vector<std::string>& cells) {
    rows_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      rows_ += cells[i].empty() ? "<td></td>"
                                : fmt::format(R"(<td data-label="{}"><div>{}</div></td>)",
                                              headings_[i], cells[i]);
    }
    rows_ += "</tr>\n";
  }

  [[nodiscard]] std::string html() const {
    std::string head;
    for (const auto heading : headings_) {
      head += fmt::format(R"(<th scope="col">{}</th>)", heading);
    }
    return fmt::format("<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n", head,
                       rows_);
  }

 private:
  std::vector<std::string_view> headings_;
  std::string rows_;
};

std::string card(std::string_view title, std::string_view content) {
  return fmt::format("<section class=\"card\">\n<h2>{}</h2>\n{}</section>\n", title, content);
}

std::string sentence(std::string_view text) {
  return fmt::format("<p class=\"quiet\">{}</p>\n", text);
}

std::string tag(std::string_view tone, std::string_view word) {
  return fmt::format(R"(<span class="tag {}">{}</span>)", tone, html(word));
}

/// "mtu" over "enp1s0f0np0".
std::string resource_html(std::string_view kind, std::string_view key) {
  return fmt::format("<span class=\"mono\">{}</span><small>{}</small>", html(key), html(kind));
}

std::string mono(std::string_view text) {
  return text.empty() ? "" : fmt::format("<span class=\"mono\">{}</span>", html(text));
}

std::string small(std::string_view text) {
  return text.empty() ? "" : fmt::format("<small>{}</small>", html(text));
}

/// With what stands between backticks as code.
std::string small_prose(std::string_view text) {
  return text.empty() ? "" : fmt::format("<small>{}</small>", prose(text));
}

std::string_view tone_of(Drift::State state) {
  return state == Drift::State::kDiffers ? "warn" : "bad";
}

/// The file stands by its name here: the whole path is below.
std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string fact_chips(const std::vector<gate::Fact>& facts) {
  std::string chips;
  for (const auto& fact : facts) {
    const auto look = look_of(fact.verdict);
    chips += fmt::format(
        R"(<span><span class="{}">{}</span> {}{}</span>)", look.tone, look.sign, html(fact.name),
        fact.verdict == gate::Verdict::kReady ? "" : fmt::format(": {}", look.word));
  }
  return fmt::format("<div class=\"facts\">{}</div>", chips);
}

void failing_rows(Table& table, std::string_view of, const std::vector<gate::Fact>& facts) {
  for (const auto& fact : facts) {
    if (fact.verdict == gate::Verdict::kReady) {
      continue;
    }
    const auto look = look_of(fact.verdict);
    table.row({fmt::format("{} <span class=\"mono\">{}</span>{}", html(fact.name), html(of),
                           small(fact.id)),
               tag(look.tone, look.word) + (fact.counts ? "" : small("does not count")),
               html(fact.measured), prose(fact.remedy)});
  }
}

void all_rows(Table& table, std::string_view of, const std::vector<gate::Fact>& facts) {
  for (const auto& fact : facts) {
    const auto look = look_of(fact.verdict);
    table.row({html(fact.name) + small(of),
               fmt::format(R"(<span class="{}">{} {}</span>)", look.tone, look.sign, look.word),
               html(fact.measured), mono(fact.id)});
  }
}

bool all_hold(const std::vector<gate::Fact>& facts) {
  return std::ranges::all_of(
      facts, [](const gate::Fact& f) { return f.verdict == gate::Verdict::kReady; });
}

}  // namespace

VerdictStyle look_of(gate::Verdict verdict) {
  switch (verdict) {
    case gate::Verdict::kReady:
      return {"good", "✓", "ready"};
    case gate::Verdict::kNotReady:
      return {"bad", "✗", "not ready"};
    case gate::Verdict::kWaiting:
      return {"warn", "⋯", "waiting"};
    case gate::Verdict::kUnknown:
      return {"warn", "?", "unknown"};
  }
  return {"warn", "?", "unknown"};
}

std::string since_html(const Moment& since, const Moment& now) {
  if (!is_set(since)) {
    return "never";
  }
  const auto utc = utc_text(since.wall);
  return fmt::format(R"(<time datetime="{}">{} {}</time><small>{} ago</small>)", utc,
                     utc.substr(0, 10), utc.substr(11, 8), duration_text(age(since, now)));
}

std::string fabric_html(const NodeState& state) {
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

std::string drift_html(const NodeState& state, const Moment& now) {
  if (state.drifts.empty()) {
    return card("Drift", sentence(is_set(state.pass_at) ? "Nothing differs from the file."
                                                        : "Nothing was looked at yet."));
  }
  Table table({"Resource", "State", "Want", "Have", "Since", "Why, and last writer"});
  for (const auto& drift : state.drifts) {
    const auto held = drift.state == Drift::State::kContested && is_set(drift.held_until)
                          ? small(fmt::format("left alone until {}",
                                              utc_text(drift.held_until.wall).substr(11, 8)))
                          : "";
    table.row({resource_html(drift.kind, drift.key) + small(last_part(drift.line)),
               tag(tone_of(drift.state), name_of(drift.state)) + held, mono(or_absent(drift.want)),
               mono(or_absent(drift.have)), since_html(drift.since, now),
               prose(drift.why) + small_prose(drift.remedy)});
  }
  return card("Drift", table.html());
}

std::string gate_html(const NodeState& state, const Moment& now) {
  if (!state.gate) {
    return card("Gate", sentence("It has not looked yet."));
  }
  Table summary({"Rail", "Facts"});
  Table failing({"Fact", "State", "Measured", "What to do"});
  Table all({"Fact", "State", "Measured", "Id"});
  bool fails = false;
  for (const auto& rail : state.gate->rails) {
    summary.row({mono(rail.link) + small(rail.ip.text()), fact_chips(rail.facts)});
    failing_rows(failing, rail.link, rail.facts);
    all_rows(all, fmt::format("{} {}", rail.link, rail.ip.text()), rail.facts);
    fails = fails || !all_hold(rail.facts);
  }
  if (!state.gate->node.empty()) {
    summary.row({"node", fact_chips(state.gate->node)});
    failing_rows(failing, "", state.gate->node);
    all_rows(all, "node", state.gate->node);
    fails = fails || !all_hold(state.gate->node);
  }
  return card(
      "Gate",
      fmt::format("{}{}<details><summary>All facts, as seen {} ago</summary>\n{}</details>\n",
                  fails ? failing.html() : "", summary.html(),
                  duration_text(age(state.gate_at, now)), all.html()));
}

std::string skipped_html(const NodeState& state) {
  if (state.skipped.empty()) {
    return "";
  }
  Table table({"Resource", "Why", "Reason", "Id"});
  for (const auto& skipped : state.skipped) {
    table.row({resource_html(skipped.kind, skipped.key),
               tag("off", skipped.why == "not_enforced" ? "not enforced" : skipped.why),
               prose(skipped.reason), mono(skipped.id)});
  }
  return card("Skipped", table.html());
}

std::string changes_html(const NodeState& state, const Moment& now) {
  if (state.changes.empty()) {
    return card("Last changes", sentence("None was made since the daemon started."));
  }
  Table table({"When", "Resource", "Change", "Cause", "Outcome"});
  for (const auto& change : state.changes) {
    const auto cause = change.cause == ChangeRecord::Cause::kFile    ? "the file changed"
                       : change.cause == ChangeRecord::Cause::kDrift ? "it had drifted"
                                                                     : "boot";
    table.row(
        {since_html(change.at, now), resource_html(change.kind, change.key),
         fmt::format("{} → {}", mono(or_absent(change.before)), mono(or_absent(change.after))),
         cause,
         change.failure.empty()
             ? fmt::format("<span class=\"good\">✓</span> done{}",
                           small(fmt::format("in {}", duration_text(change.took))))
             : fmt::format("<span class=\"bad\">✗</span> failed{}", small(change.failure))});
  }
  return card(fmt::format("Last {} changes", state.changes.size()), table.html());
}

std::string gid_moves_html(const NodeState& state, const Moment& now) {
  if (state.gid_moves.empty()) {
    return "";
  }
  Table table({"When", "Address", "Link", "Index"});
  for (const auto& move : state.gid_moves) {
    table.row({since_html(move.at, now), mono(move.ip), mono(move.link) + small(move.device),
               fmt::format("{} → {}", move.from, move.to)});
  }
  return card("GIDs that moved: jobs that run since before hang", table.html());
}

std::string sinks_html(const NodeState& state, const Moment& now) {
  if (state.sinks.empty()) {
    return "";
  }
  Table table({"Alerts go to", "State", "Delivered", "Dropped", "Last error"});
  for (const auto& sink : state.sinks) {
    const auto failing = [&] {
      return tag("bad", "failing") +
             small(fmt::format("for {}, {} tries", duration_text(age(sink.failing_since, now)),
                               sink.failures));
    };
    table.row({mono(sink.name), sink.failures == 0 ? tag("good", "delivers") : failing(),
               std::to_string(sink.delivered), std::to_string(sink.dropped), html(sink.error)});
  }
  return card("Alerts", table.html());
}

std::string file_html(const NodeState& state, const Moment& now) {
  const auto& file = state.file;
  return card(
      "File",
      fmt::format("<dl class=\"files\">\n<dt>Path</dt><dd>{}</dd>\n<dt>SHA-256</dt><dd>{}</dd>\n"
                  "<dt>In force since</dt><dd>{}</dd>\n</dl>\n",
                  mono(file.path), file.digest.empty() ? "none is in force" : mono(file.digest),
                  file.digest.empty() ? "never" : since_html(file.since, now)));
}

}  // namespace spark::daemon
