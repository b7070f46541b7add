#include "drawing/svg_node.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "drawing/map_words.hpp"

namespace spark::drawing {
namespace {

constexpr int kPadding = 10;
constexpr int kHead = 46;
constexpr int kCageHead = 24;
constexpr int kRailHeight = 18;
constexpr int kRailLabel = 48;
constexpr int kUnusedWidth = 62;
constexpr int kBetweenCages = 6;

std::string address_text(const std::string& address) {
  return address.empty() ? "no address" : without_length(address);
}

}  // namespace

EndsByName ends_by_name(const FabricMap& map) {
  EndsByName ends;
  for (const auto& segment : map.segments) {
    for (const auto& end : segment.ends) ends.emplace(end.name(), &end);
  }
  return ends;
}

SvgNode::SvgNode(const MapNode& node, const EndsByName& ends) : node_(node) {
  const auto add = [&](std::optional<int> cage, const std::string& name) {
    const auto end = ends.find(name);
    add_cage(cage, end == ends.end() ? nullptr : end->second);
  };
  if (node.is_external) add({}, node.name);
  for (const auto cage : node.cages) add(cage, fmt::format("{}:{}", node.name, cage));
  const auto cages_end =
      cages_.empty() ? kPadding : cages_.back().left + cages_.back().width + kPadding;
  const auto head = std::max(width_of_text(signed_text(node.live.mark, node.name), Face::kName),
                             width_of_text(about(), Face::kQuiet));
  width_ = std::max(cages_end, head + 2 * kPadding);
  height_ = kHead + kCageHead + static_cast<int>(rails_) * kRailHeight + kPadding;
}

void SvgNode::add_cage(std::optional<int> number, const MapEnd* end) {
  Cage cage{
      .number = number,
      .end = end,
      .left = cages_.empty() ? kPadding : cages_.back().left + cages_.back().width + kBetweenCages,
      .width = kUnusedWidth};
  if (end != nullptr) {
    rails_ = std::max(rails_, end->addresses.size());
    for (const auto& address : end->addresses) {
      cage.width = std::max(
          cage.width, kRailLabel + width_of_text(address_text(address), Face::kAddress) + kPadding);
    }
  }
  cages_.push_back(cage);
}

std::string SvgNode::about() const {
  if (node_.is_external) return "no node of the file";
  auto text = node_.live.words;
  for (const auto& [what, value] : {std::pair("number ", &node_.number), {"", &node_.management}}) {
    if (value->empty()) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : " · ", what, *value);
  }
  return text;
}

void SvgNode::place(Point top_left) { at_ = top_left; }

Area SvgNode::area() const { return {.x = at_.x, .y = at_.y, .width = width_, .height = height_}; }

int SvgNode::port_x(const MapEnd& end) const {
  const auto cage = std::ranges::find(cages_, end.cage, &Cage::number);
  return at_.x + (cage == cages_.end() ? width_ / 2 : cage->left + cage->width / 2);
}

void SvgNode::draw(SvgCanvas& canvas) const {
  constexpr int kNameLine = 22;
  constexpr int kAboutLine = 38;
  canvas.begin_group(fmt::format("{} {}", sort_of(node_), node_.name));
  canvas.rect(area(), "node", node_.live.mark);
  canvas.text({.x = at_.x + kPadding, .y = at_.y + kNameLine},
              signed_text(node_.live.mark, node_.name), Face::kName, Anchor::kStart,
              node_.live.mark);
  canvas.text({.x = at_.x + kPadding, .y = at_.y + kAboutLine}, about(), Face::kQuiet);
  for (const auto& cage : cages_) draw_cage(canvas, cage);
  canvas.end_group();
}

void SvgNode::draw_cage(SvgCanvas& canvas, const Cage& cage) const {
  constexpr int kInset = 8;
  constexpr int kBaseline = 16;
  const Area area{.x = at_.x + cage.left,
                  .y = at_.y + kHead,
                  .width = cage.width,
                  .height = height_ - kHead - kPadding};
  canvas.rect(area, cage.end == nullptr ? "unused" : "cage");
  const auto title = cage.number ? fmt::format("cage {}", *cage.number) : std::string("port");
  canvas.text({.x = area.x + kInset, .y = area.y + kBaseline}, title,
              cage.end == nullptr ? Face::kQuiet : Face::kPlain);
  auto y = area.y + kCageHead + kBaseline - 4;
  if (cage.end == nullptr) {
    canvas.text({.x = area.x + kInset, .y = y}, "unused", Face::kQuiet);
    return;
  }
  for (std::size_t rail = 0; rail < cage.end->addresses.size(); ++rail) {
    canvas.text({.x = area.x + kInset, .y = y}, fmt::format("rail {}", rail), Face::kQuiet);
    canvas.text({.x = area.x + kRailLabel, .y = y}, address_text(cage.end->addresses[rail]),
                Face::kAddress);
    y += kRailHeight;
  }
}

}  // namespace spark::drawing
