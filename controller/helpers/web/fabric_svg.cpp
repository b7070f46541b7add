#include "helpers/web/fabric_svg.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/html.hpp"

namespace spark::helpers {
namespace {

// Pixels down, and per cent across.
constexpr int kTitleHeight = 38;
constexpr int kRailHeight = 68;
constexpr const char* kPort = "52%";  // where the cage ends and a rail leaves it
constexpr const char* kPlug = "57%";  // where the rails of a cage are one cable
constexpr const char* kLabel = "65.5%";
constexpr const char* kPeer = "74%";  // where the cable ends
constexpr const char* kPeerMid = "86.9%";
// Code points that fit where the page is a phone's width.
constexpr std::size_t kLongestLink = 15;
constexpr std::size_t kLongestPeer = 10;
constexpr std::size_t kLongestText = 24;
constexpr std::size_t kLongestState = 12;

using Rails = std::vector<const node_state::LinkRecord*>;

bool has_carrier(const node_state::LinkRecord& link) {
  return link.present && link.up && link.carrier;
}

/// The class that colours it; carrier_text() is beside it in words. Where the file has no cable,
/// none is missed.
std::string_view tone_of(const node_state::LinkRecord& link, bool is_cabled) {
  return has_carrier(link) ? "good" : link.present && is_cabled ? "bad" : "off";
}

std::string text(std::string_view x, int y, std::string_view style, std::string_view content,
                 std::size_t limit) {
  return fmt::format(R"(<text x="{}" y="{}" class="{}">{}</text>)", x, y, style,
                     html(content, limit));
}

std::string line(std::string_view x1, int y1, std::string_view x2, int y2, std::string_view style) {
  return fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>)", x1, y1, x2, y2,
                     style);
}

std::vector<std::string> peers_of(const Rails& rails) {
  std::vector<std::string> peers;
  for (const auto* rail : rails) {
    for (const auto& peer : rail->peers) {
      if (std::ranges::find(peers, peer) == peers.end()) peers.push_back(peer);
    }
  }
  return peers;
}

std::string segment_of(const Rails& rails) {
  const auto found = std::ranges::find_if(rails, [](const auto* r) { return !r->segment.empty(); });
  return found == rails.end() ? "" : (*found)->segment;
}

/// Both rails are one cable: one answer proves it.
gate::Cabling cabling_of(const Rails& rails) {
  gate::Cabling worst;
  for (const auto* rail : rails) {
    if (rail->cabling && rail->cabling->state > worst.state) worst = *rail->cabling;
  }
  return worst;
}

/// Never by colour alone.
struct CableMark {
  std::string_view tone;
  std::string_view sign;
  std::string words;  ///< short; where it is wrong, what is there
};

CableMark mark_of(const gate::Cabling& cabling) {
  switch (cabling.state) {
    case gate::CablingState::kProven:
      return {"good", "✓", "proven"};
    case gate::CablingState::kWrong:
      return {"bad", "✗", cabling.by.text()};
    case gate::CablingState::kNotProven:
      break;
  }
  return {"warn", "?", "not proven"};
}

std::string spoken(const gate::Cabling& cabling) {
  switch (cabling.state) {
    case gate::CablingState::kProven:
      return "proven, " + cabling.by.text() + " answered";
    case gate::CablingState::kWrong:
      return "wrong, " + cabling.by.text() + " instead";
    case gate::CablingState::kNotProven:
      break;
  }
  return "not proven";
}

/// What a screen reader says instead of the picture.
std::string spoken(int cage, const Rails& rails) {
  std::vector<std::string> parts;
  for (const auto* rail : rails) {
    parts.push_back(fmt::format("{} {}", rail->name, carrier_text(*rail)));
  }
  const auto segment = segment_of(rails);
  const auto peers = peers_of(rails);
  const bool is_cabled = !segment.empty() || !peers.empty();
  return fmt::format("Cage {}: {}. {}{}{}.", cage, fmt::join(parts, "; "),
                     segment.empty() ? peers.empty() ? "No cable in the file" : "Cable to "
                     : peers.empty() ? "Switch " + segment
                                     : "Switch " + segment + " to ",
                     fmt::join(peers, ", "), is_cabled ? ": " + spoken(cabling_of(rails)) : "");
}

std::string rail_svg(const node_state::LinkRecord& rail, int top, int middle, bool is_cabled) {
  const auto tone = tone_of(rail, is_cabled);
  const int port = top + 28;
  auto svg = line("0", top, kPort, top, "rule");
  svg += text("14", top + 24, "name", rail.name, kLongestLink);
  svg += text("14", top + 42, tone, carrier_text(rail), kLongestText);
  svg += text("14", top + 58, "quiet",
              rail.addresses.empty() ? "no address" : rail.addresses.front(), kLongestText);
  if (is_cabled) svg += line(kPort, port, kPlug, middle, fmt::format("wire {}", tone));
  svg += fmt::format(R"(<circle cx="{}" cy="{}" r="5" class="port {}"/>)", kPort, port, tone);
  return svg;
}

std::string state_svg(const CableMark& mark, int y) {
  return text(kPeerMid, y, fmt::format("{} middle", mark.tone),
              fmt::format("{} {}", mark.sign, mark.words), kLongestState);
}

/// The cable, and what is at its other end.
std::string cable_svg(const Rails& rails, int middle) {
  const auto peers = peers_of(rails);
  const auto segment = segment_of(rails);
  if (peers.empty() && segment.empty()) {
    return text("56%", middle + 4, "quiet", "no cable in the file", kLongestText);
  }
  const auto carriers = std::ranges::count_if(rails, [](const auto* r) { return has_carrier(*r); });
  const bool absent = std::ranges::none_of(rails, &node_state::LinkRecord::present);
  const bool whole = static_cast<std::size_t>(carriers) == rails.size();
  const auto mark = mark_of(cabling_of(rails));
  const auto tone = whole           ? mark.tone
                    : absent        ? std::string_view("off")
                    : carriers == 0 ? "bad"
                                    : "warn";
  const auto words = whole           ? speed_text(*rails.front())
                     : absent        ? "absent"
                     : carriers == 0 ? "no carrier"
                                     : fmt::format("{} of {}", carriers, rails.size());
  auto svg = line(kPlug, middle, kPeer, middle, fmt::format("cable {}", tone));
  svg += text(kLabel, middle - 10, fmt::format("label {}", tone), words, kLongestPeer);
  const int height = segment.empty() ? 56 : 94;
  svg += fmt::format(R"(<rect x="{}" y="{}" width="25.8%" height="{}" rx="8" class="box {}"/>)",
                     kPeer, middle - height / 2, height, segment.empty() ? "node" : "switch");
  if (segment.empty()) {
    const auto more = peers.size() == 1 ? "" : fmt::format(" +{}", peers.size() - 1);
    return svg + text(kPeerMid, middle - 3, "name middle", peers.front() + more, kLongestPeer) +
           state_svg(mark, middle + 16);
  }
  svg += state_svg(mark, middle + 36);
  svg += text(kPeerMid, middle - 22, "name middle", segment, kLongestPeer);
  svg += text(kPeerMid, middle - 4, "quiet middle", "switch", kLongestPeer);
  const auto behind = peers.empty()      ? std::string("no peers")
                      : peers.size() < 2 ? peers.front()
                                         : fmt::format("{} peers", peers.size());
  return svg + text(kPeerMid, middle + 16, "quiet middle", behind, kLongestPeer);
}

std::string cage_html(int cage, const Rails& rails) {
  const int height = kTitleHeight + kRailHeight * static_cast<int>(rails.size());
  const int middle = height / 2 + kTitleHeight / 2;
  const bool is_cabled = !peers_of(rails).empty() || !segment_of(rails).empty();
  auto svg = fmt::format(
      R"(<figure class="cage"><svg role="img" width="100%" height="{}" aria-label="{}">)"
      R"(<rect x="1" y="1" width="51.8%" height="{}" rx="8" class="box"/>)",
      height, html(spoken(cage, rails)), height - 2);
  svg += text("14", 25, "title", fmt::format("Cage {}", cage), kLongestPeer);
  if (is_cabled) svg += cable_svg(rails, middle);
  int top = kTitleHeight;
  for (const auto* rail : rails) {
    svg += rail_svg(*rail, top, middle, is_cabled);
    top += kRailHeight;
  }
  if (!is_cabled) svg += cable_svg(rails, middle);
  return svg + "</svg></figure>\n";
}

}  // namespace

std::string drawing_html(const std::vector<node_state::LinkRecord>& links) {
  std::map<int, Rails> cages;
  for (const auto& link : links) {
    if (link.cage) cages[*link.cage].push_back(&link);
  }
  std::string figures;
  for (auto& [cage, rails] : cages) {
    std::ranges::stable_sort(rails, {}, [](const auto* rail) { return rail->rail.value_or(0); });
    figures += cage_html(cage, rails);
  }
  return figures;
}

std::string legend_html() {
  return R"(<p class="legend"><span class="good">✓ proven</span>: the node of the file answered. )"
         R"(<span class="warn">? not proven</span>: nobody answered, or nobody was asked. )"
         R"(<span class="bad">✗ wrong</span>: another end of the file answered, or the cable is in )"
         R"(another cage.</p>)"
         "\n";
}

std::string carrier_text(const node_state::LinkRecord& link) {
  if (!link.present) return "absent";
  if (!link.up) return "down";
  return link.carrier ? "up, carrier" : "up, no carrier";
}

std::string speed_text(const node_state::LinkRecord& link) {
  if (!link.speed) return "";
  return *link.speed % 1000 == 0 ? fmt::format("{} Gb/s", *link.speed / 1000)
                                 : fmt::format("{} Mb/s", *link.speed);
}

}  // namespace spark::helpers
