#include "helpers/web/page_attention.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/html.hpp"
#include "helpers/web/page_sections.hpp"
#include "node_state/time_text.hpp"

namespace spark::helpers {
namespace {

std::string paragraph(std::string_view kind, std::string_view content) {
  return content.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", kind, content);
}

/// "SR-GATE-002 · cluster.yaml:17:8 · for 4 min · 2 others follow from it".
std::string about_html(const node_state::Fault& fault) {
  std::string about;
  const auto add = [&about](const std::string& part) {
    if (!part.empty()) about += (about.empty() ? "" : " · ") + part;
  };
  add(html(fault.id));
  add(html(fault.place));
  add(fault.since ? "for " + duration_text(*fault.since) : "");
  add(fault.follow == 0   ? ""
      : fault.follow == 1 ? "1 other follows from it"
                          : fmt::format("{} others follow from it", fault.follow));
  return about;
}

/// Below the words that say what is wrong: who writes it, what to do, and where it stands.
std::string rest_html(const node_state::Fault& fault) {
  return paragraph("why", prose(fault.why)) +
         paragraph("todo", fault.remedy.empty() ? "" : "→ " + prose(fault.remedy)) +
         paragraph("about", about_html(fault));
}

std::string fault_html(const node_state::Fault& fault) {
  std::string lines;
  for (const auto& line : fault.lines) lines += paragraph("what", prose(written(line)));
  return fmt::format("<li><span class=\"tag {}\">{}</span><div>{}{}</div></li>\n",
                     fault.is_bad ? "bad" : "warn", html(fault.state), lines, rest_html(fault));
}

}  // namespace

std::string verdict_html(const node_state::NodeState& state, const node_state::NodeSummary& summary,
                         const Moment& now) {
  const auto look = look_of(state.verdict);
  std::string lead;
  if (summary.lead) {
    // The sentence has the first line.
    for (std::size_t i = 1; i < summary.lead->lines.size(); ++i) {
      lead += paragraph("what", prose(written(summary.lead->lines[i])));
    }
    lead += rest_html(*summary.lead);
  }
  const auto since = node_state::is_set(state.verdict_since)
                         ? fmt::format("<p class=\"since\">for {}<br> since {}</p>",
                                       duration_text(node_state::age(state.verdict_since, now)),
                                       node_state::utc_words(state.verdict_since))
                         : "";
  return fmt::format(
      R"(<section class="card verdict {}">
<span class="sign" aria-hidden="true">{}</span>
<div><h2>{}</h2>
{}</div>
{}
</section>
)",
      look.tone, look.sign, prose(written(summary.sentence)), lead, since);
}

std::string attention_html(const node_state::NodeSummary& summary) {
  if (summary.others.empty()) return "";
  std::string faults;
  for (const auto& fault : summary.others) faults += fault_html(fault);
  return fmt::format(
      "<section class=\"card\">\n<h2>Needs attention</h2>\n<ul class=\"faults\">\n{}</ul>\n"
      "</section>\n",
      faults);
}

}  // namespace spark::helpers
