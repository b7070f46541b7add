// The verb `explain`: what an id, alert, key, metric, word or resource is, and what to do.

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/lines.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/explain/resource.hpp"
#include "cli/explain/words.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"

namespace spark::cli {
namespace {

struct ExplainArguments {
  std::string word;  ///< empty: the kinds of words
};

constexpr std::string_view kAnyResource = "mtu/enp1s0f0np0";
constexpr std::size_t kLabelColumns = 12;
constexpr std::string_view kExampleLabel = "Example";

nlohmann::json explanation_json(const Explanation& explanation) {
  auto parts = nlohmann::json::array();
  for (const auto& part : explanation.parts) {
    parts.push_back({{"label", part.label}, {"text", part.text}});
  }
  return {{"kind", name_of(explanation.kind)},
          {"word", explanation.word},
          {"title", explanation.title},
          {"parts", std::move(parts)},
          {"page",
           explanation.page.empty() ? nlohmann::json(nullptr) : nlohmann::json(explanation.page)}};
}

nlohmann::json resource_json(const ResourceExplanation& resource) {
  const auto or_null = [](const std::optional<std::string>& text) {
    return text ? nlohmann::json(*text) : nlohmann::json(nullptr);
  };
  auto where = nlohmann::json(nullptr);
  if (resource.where.line > 0) {
    where = {{"line", resource.where.line}, {"column", resource.where.column}};
  }
  return {{"kind", resource.kind},          {"key", resource.key},
          {"state", resource.state},        {"want", or_null(resource.want)},
          {"have", or_null(resource.have)}, {"where", std::move(where)}};
}

/// One part; the lines of an example stand below each other.
std::string part_text(const ExplainedPart& part, const Terminal& terminal) {
  std::string head = fmt::format("{:<{}}", part.label, kLabelColumns);
  std::string text;
  for (const auto line : lines_of(part.text)) {
    // Only prose is broken: an example is to be copied.
    const auto width = part.label == kExampleLabel ? std::nullopt : terminal.width();
    const auto shown = printable(line);
    text += width ? hanging(head, shown, *width) : fmt::format("{}{}\n", head, shown);
    head.assign(kLabelColumns, ' ');
  }
  return text;
}

void print_explanation(const Terminal& terminal, const Explanation& explanation) {
  const auto heading = fmt::format("{}{}{}", explanation.word,
                                   explanation.title.empty() ? "" : ": ", explanation.title);
  std::string text = terminal.paint(Tone::kStrong, printable(heading)) + "\n\n";
  for (const auto& part : explanation.parts) text += part_text(part, terminal);
  if (!explanation.page.empty()) text += part_text({"Page", explanation.page}, terminal);
  terminal.print_always(text);
}

struct KindLine {
  std::string kind;
  std::string about;
  std::string example;
  std::optional<std::size_t> count;  ///< empty: not known here
};

std::vector<KindLine> kind_lines(const Command& command) {
  std::vector<KindLine> lines;
  for (const auto& table : word_tables()) {
    lines.push_back({.kind = std::string(name_of(table.kind)),
                     .about = std::string(table.about),
                     .example = std::string(table.example),
                     .count = table.count()});
  }
  const auto resources = resource_words(command.arguments, command.host);
  lines.push_back({.kind = std::string(name_of(WordKind::kResource)),
                   .about = "something that the file asks of this node",
                   .example = resources.empty() ? std::string(kAnyResource) : resources.front(),
                   .count = resources.empty() ? std::nullopt : std::optional(resources.size())});
  return lines;
}

ExitCode list_kinds(const Command& command) {
  auto list = nlohmann::json::array();
  std::string text;
  for (const auto& line : kind_lines(command)) {
    list.push_back({{"kind", line.kind},
                    {"about", line.about},
                    {"example", line.example},
                    {"count", line.count ? nlohmann::json(*line.count) : nlohmann::json(nullptr)}});
    text += fmt::format("{:<8}  {:>5}  {:<{}}  spark-reconcile explain {}\n", line.kind,
                        line.count ? std::to_string(*line.count) : "?", line.about, 42,
                        printable(line.example));
  }
  return report_outcome(command, "", ExitCode::kDone, {{"kinds", std::move(list)}}, text);
}

ExitCode show_resource(const Command& command) {
  const auto resource = explain_resource(command, own_options<ExplainArguments>(command).word);
  if (!resource) return resource.error();
  if (command.arguments.json) {
    print_json(command.terminal, verb_of(command), resource->file, resource->node, ExitCode::kDone,
               {{"explanation", explanation_json(resource->explanation)},
                {"resource", resource_json(*resource)}});
  } else {
    print_explanation(command.terminal, resource->explanation);
  }
  return ExitCode::kDone;
}

ExitCode explain(const Command& command) {
  const auto& word = own_options<ExplainArguments>(command).word;
  if (word.empty()) return list_kinds(command);
  if (!kind_in(word).empty()) return show_resource(command);
  const auto explanation = explain_word(word);
  if (!explanation) {
    auto words = all_words();
    std::ranges::move(resource_words(command.arguments, command.host), std::back_inserter(words));
    return report_error(command, {ErrorCode::kInvalid, unknown_word(word, words)},
                        ExitCode::kUsage);
  }
  if (command.arguments.json) {
    return report_outcome(command, "", ExitCode::kDone,
                          {{"explanation", explanation_json(*explanation)}}, "");
  }
  print_explanation(command.terminal, *explanation);
  return ExitCode::kDone;
}

constexpr auto kExplainOptions = std::to_array<OptionRow>({
    {"WORD", &Value::kWord, in<&ExplainArguments::word>(),
     "an id, an alert, a key, a metric, a word or a resource (default: list these kinds)"},
});

std::string advise_explain(const ExtraWord& extra) {
  if (extra.typed.arguments.size() > 2) {
    return "it takes one word: `spark-reconcile explain` lists the kinds of words, `sudo "
           "spark-reconcile doctor` says what is wrong here";
  }
  const auto key = fmt::format("{}.{}", extra.line.arguments.front().text, extra.argument.text);
  return fmt::format("a key has dots: {}", line_to_type(verb_and(*extra.line.verb, {key})));
}

}  // namespace

extern const VerbSpec kExplainVerb{
    .name = "explain",
    .group = VerbGroup::kLook,
    .about = "say what an id, alert, key, metric, word or resource is, and what to do",
    .node = VerbSpec::OfNode::kNone,
    .options = own_rows<ExplainArguments>(kExplainOptions),
    .advise_last = advise_explain,
    .run = explain};

}  // namespace spark::cli
