// `fabric:` - cables, switches, and what holds for all of them.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/parse/parse_sections.hpp"

namespace spark::config {
namespace {

/// A cage has two rails.
constexpr auto kPrefixes = list_of<prefix, 1, 2>;

CageEnd end_of(std::string_view text, Where where) {
  // The form was checked: a name, ':' and a number up to 15.
  const auto colon = text.find(':');
  const auto cage = parse_decimal(text.substr(colon + 1)).value_or(0);
  return {std::string(text.substr(0, colon)), static_cast<int>(cage), where, {}};
}

/// "spark1: 0": with a blank, YAML reads a key and its value.
bool is_split_end(const Value& entry) {
  return entry.kind == Value::Kind::kText && kCageEnd.matches(entry.key + ":" + entry.text);
}

void report_split_end(Findings& findings, const Value& entry) {
  findings.add(
      SpecId::kWrongType, entry.key_where,
      fmt::format("a blank too many: {}", in_quotes(entry.key + ": " + entry.text)),
      fmt::format("YAML takes it for a key and its value: write {}:{}", entry.key, entry.text));
}

template <const TextForm& kForm>
std::optional<At<std::string>> end_name(Findings& findings, const Value& value) {
  if (value.kind == Value::Kind::kMap && value.children.size() == 1 &&
      is_split_end(value.children.front())) {
    report_split_end(findings, value.children.front());
    return std::nullopt;
  }
  // The node's name is refused where it stands under 'nodes'.
  const auto colon = value.text.rfind(':');
  const bool is_refused_name = colon != std::string::npos && findings.has(SpecId::kKeyForm) &&
                               kCageEnd.matches("a" + value.text.substr(colon)) &&
                               !kName.matches(value.text.substr(0, colon));
  if (is_refused_name) return std::nullopt;
  return read_text(findings, value, kForm);
}

/// { spark1: 0, spark2: 0 }: meant as a list of ends.
bool is_map_of_split_ends(const Value& value) {
  return !value.children.empty() && std::ranges::all_of(value.children, is_split_end);
}

void report_map_of_split_ends(Findings& findings, const Value& value) {
  std::vector<std::string> ends;
  for (const Value& entry : value.children) ends.push_back(entry.key + ":" + entry.text);
  findings.add_about(value, SpecId::kWrongType,
                     fmt::format("{} has a blank behind each colon", in_quotes(value.key)),
                     fmt::format("YAML takes each for a key and its value: write {}: [{}]",
                                 value.key, fmt::join(ends, ", ")));
}

/// "spark1:0-spark2:0", with another sign or a blank between them: meant as a list.
std::optional<std::string> list_of_ends(std::string_view text) {
  for (auto at = text.find_first_of("-,;<> "); at != std::string_view::npos;
       at = text.find_first_of("-,;<> ", at + 1)) {
    const auto first = text.substr(0, at);
    const auto second = text.substr(std::min(text.find_first_not_of("-,;<> ", at), text.size()));
    if (kCageEnd.matches(first) && kCageEnd.matches(second)) {
      return fmt::format("[{}, {}]", first, second);
    }
  }
  return std::nullopt;
}

template <const TextForm& kForm, std::size_t kLeast, std::size_t kMost>
void read_ends(Findings& findings, const Value& value, Segment& segment) {
  if (value.kind == Value::Kind::kMap && is_map_of_split_ends(value)) {
    report_map_of_split_ends(findings, value);
    return;
  }
  if (value.kind == Value::Kind::kMap) {
    read_open_map(findings, value, kCageEnd, [&](const Value& entry) {
      CageEnd end = end_of(entry.key, entry.key_where);
      if (auto addresses = kPrefixes(findings, entry)) end.addresses = *std::move(addresses);
      segment.ends.push_back(std::move(end));
    });
    has_count(findings, value, kLeast, kMost);
    return;
  }
  if (const auto list = list_of_ends(value.text)) {
    findings.add(SpecId::kWrongType, value.where,
                 fmt::format("{} must be a list, not one value", in_quotes(value.key)),
                 fmt::format("write {}: {}", value.key, *list));
    return;
  }
  const auto names = list_of<end_name<kForm>, kLeast, kMost>(findings, value);
  if (!names) return;
  for (const auto& name : *names) {
    if (name.value.find(':') == std::string::npos) {
      if (segment.external) segment.second_external = std::exchange(segment.external, {});
      segment.external = name;
    } else {
      segment.ends.push_back(end_of(name.value, name.where));
    }
  }
}

constexpr std::size_t kAnyNumber = 50'000;

constexpr std::array kCableKeys{
    required(Key<Segment>{"ends", read_ends<kCableEnd, 2, 2>}, "ends: [spark1:0, spark2:0]"),
    key<&Segment::subnets, kPrefixes>("subnets"),
    key<&Segment::mtu, kMtu>("mtu"),
    key<&Segment::speed, bit_rate>("speed"),
};

constexpr std::array kSwitchKeys{
    required(key<&Segment::name, text<kName>>("name"), "name: switch1"),
    required(Key<Segment>{"ports", read_ends<kCageEnd, 2, kAnyNumber>},
             "ports: [spark1:0, spark2:0]"),
    key<&Segment::subnets, kPrefixes>("subnets"),
    key<&Segment::mtu, kMtu>("mtu"),
    key<&Segment::speed, bit_rate>("speed"),
};

/// Either subnets, and each node has its number in them, or addresses at each end. Where the file
/// has both, the subnets are dropped, so that nothing seems to be said twice.
void check_addressing(Findings& findings, const Value& item, const KeyTable& keys,
                      std::string_view ends_key, Segment& segment) {
  const Value* ends = child_of(item, ends_key);
  const Value* subnets = child_of(item, "subnets");
  if (ends == nullptr || is_map_of_split_ends(*ends)) return;
  if (ends->kind == Value::Kind::kMap && subnets != nullptr) {
    findings.add(SpecId::kEndsForm, subnets->key_where,
                 fmt::format("'subnets' beside '{}' with addresses", ends_key),
                 "either subnets, and each node has its 'number' in them, or the addresses "
                 "of each end: keep one",
                 {{ends->key_where, "addresses here"}});
    segment.subnets.clear();
  }
  if (ends->kind == Value::Kind::kList && !keys.is_given("subnets")) {
    findings.add_about(item, SpecId::kMissingKey,
                       fmt::format("missing key 'subnets' beside '{}'", ends_key),
                       "one subnet a rail: subnets: [192.168.177.0/24, 192.168.178.0/24]");
  }
}

template <const auto& kKeys>
void read_segments(Findings& findings, const Value& value, Segment::Kind kind,
                   std::string_view ends_key, Fabric& fabric) {
  if (!is_list(findings, value)) return;
  for (const Value& item : value.children) {
    Segment segment;
    segment.kind = kind;
    segment.where = item.where;
    const auto keys = read_map(findings, item, segment, kKeys);
    if (item.kind == Value::Kind::kMap) check_addressing(findings, item, keys, ends_key, segment);
    fabric.segments.push_back(std::move(segment));
  }
}

void read_cables(Findings& findings, const Value& value, Fabric& fabric) {
  read_segments<kCableKeys>(findings, value, Segment::Kind::kCable, "ends", fabric);
}

void read_switches(Findings& findings, const Value& value, Fabric& fabric) {
  read_segments<kSwitchKeys>(findings, value, Segment::Kind::kSwitch, "ports", fabric);
}

constexpr std::array kUnusedCages{
    std::pair{std::string_view{"leave"}, UnusedCages::kLeave},
    std::pair{std::string_view{"down"}, UnusedCages::kDown},
};

constexpr std::array kFabricKeys{
    key<&Fabric::mtu, kMtu>("mtu"),
    key<&Fabric::speed, bit_rate>("speed"),
    key<&Fabric::unused_cages, word<kUnusedCages>>("unused_cages"),
    Key<Fabric>{"cables", read_cables},
    Key<Fabric>{"switches", read_switches},
};

}  // namespace

void read_fabric(Findings& findings, const Value& value, Fabric& fabric) {
  read_map(findings, value, fabric, kFabricKeys);
  std::ranges::stable_sort(fabric.segments, {}, &Segment::kind);
}

}  // namespace spark::config
