#include "cli/input/options.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::cli {

std::string described(const Value& value) {
  if (!value.what.empty()) return std::string(value.what);
  std::vector<std::string> words;
  for (const auto& word : value.words) words.emplace_back(word.text);
  return listed(words, "or");
}

std::string_view sample_of(const Value& value) {
  return value.example.empty() && !value.words.empty() ? value.words.front().text : value.example;
}

std::string duration_near(const OptionRow& option, const std::string& text) {
  const auto& range = option.range;
  const auto least = parse_duration(range.least);
  const auto most = parse_duration(range.most);
  std::vector<std::string> candidates;
  if (parse_decimal(text)) {
    for (const char unit : range.units) candidates.push_back(text + unit);
  } else {
    candidates.push_back(parse_duration(text) ? text : meant_duration(text));
  }
  for (const auto& candidate : candidates) {
    const auto duration = parse_duration(candidate);
    const bool is_in_range = duration && duration->count() > 0 && (!least || *duration >= *least) &&
                             (!most || *duration <= *most);
    if (is_in_range) return candidate;
  }
  const auto duration = parse_duration(candidates.front());
  if (!duration || duration->count() == 0) return {};
  return std::string(most && *duration > *most ? range.most : range.least);
}

std::span<const OptionRow> common_options() {
  static constexpr auto kCommon = std::to_array<OptionRow>({
      {"-f,--file",
       &Value::kFile,
       in<&Arguments::file>(),
       "the cluster file; - is stdin (default /etc/spark-reconcile/cluster.yaml)",
       {},
       "cluster.yaml"},
      {"-n,--node", &Value::kNode, in<&Arguments::node>(),
       "node of the file (default: the one that this machine is)"},
      {"--json", &Value::kNone, in<&Arguments::json>(), "print one JSON object"},
      {"--color", &Value::kColor, in<&Arguments::color>(),
       "use colors: auto, always or never; NO_COLOR means never"},
      {"--root", &Value::kDirectory, in<&Arguments::root>(),
       "read and write /etc, /var and /run below this directory (for tests and images); "
       "/proc and /sys stay the system's"},
      {"-q,--quiet", &Value::kNone, in<&Arguments::quiet>(),
       "print only errors and the closing line"},
      {"-v,--verbose", &Value::kNone, in<&Arguments::verbosity>(),
       "log each step with its cause, on stderr; -vv: also each difference that is found"},
      {"--version", &Value::kNone, kNowhere, "the same as the verb"},
      kHelpOption,
  });
  return kCommon;
}

bool OptionRow::has_name(std::string_view name) const {
  const auto all = names_in(*this);
  return std::ranges::find(all, name) != all.end();
}

std::vector<std::string_view> names_in(const OptionRow& option) { return split(option.names, ','); }

}  // namespace spark::cli
