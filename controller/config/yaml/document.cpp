#include "config/yaml/document.hpp"

#include <algorithm>
#include <climits>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/text.hpp"
#include "config/yaml/advice.hpp"
#include "config/yaml/document_text.hpp"

namespace spark::config {
namespace {

constexpr std::size_t kMostScalarBytes = 4UL * 1024;
constexpr std::size_t kMostNodes = 50'000;
constexpr std::size_t kMostLevels = 16;

constexpr const char* kNoYaml = "this is not YAML";

constexpr std::string_view kOpenQuote =
    "a quote is opened here and not closed on its line: close it; where the file ends here, its "
    "end may be missing";

/// A bracket that the text never closes, or a quote inside it.
void report_open_bracket(std::string_view text, std::size_t bracket, Where where,
                         Findings& findings) {
  if (const auto quote = quote_over_lines(text, INT_MAX); quote && *quote > where) {
    findings.add(SpecId::kSyntax, *quote, kNoYaml, std::string(kOpenQuote));
    return;
  }
  findings.add(SpecId::kSyntax, where, kNoYaml,
               fmt::format("the file ends before its '{}' is closed: its end may be missing",
                           text[bracket]));
}

/// Ends the reading from inside a callback; what was wrong is already reported.
struct Stop {};

Where where_of(const YAML::Mark& mark) {
  return mark.is_null() ? Where{1, 1} : Where{mark.line + 1, mark.column + 1};
}

/// What the parser's own words mean to someone who wrote the file.
std::string explained(std::string_view parser_words) {
  static const std::pair<std::string_view, std::string_view> kExplanations[] = {
      {YAML::ErrorMsg::END_OF_MAP,
       "this line does not fit the lines above it: is it indented like its neighbours, and does "
       "each line have 'key: value'?"},
      {YAML::ErrorMsg::END_OF_SEQ,
       "this line does not fit the list above it: does each item begin with '- ', all in one "
       "column?"},
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "a '{' is not closed by '}', or a comma is missing"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a '[' is not closed by ']', or a comma is missing"},
      {YAML::ErrorMsg::FLOW_END, "this bracket closes nothing, or another sort of bracket is open"},
      {YAML::ErrorMsg::BLOCK_ENTRY,
       "a list item '- ' cannot stand here: begin it on a line of its "
       "own"},
      {YAML::ErrorMsg::MAP_KEY, "a key cannot stand here"},
      {YAML::ErrorMsg::MAP_VALUE,
       "no key can stand here: put a value with ': ' in quotes, or begin the key on a line of its "
       "own"},
      {YAML::ErrorMsg::TAB_IN_INDENTATION,
       "a tab stands where only blanks may: indent with blanks"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, kOpenQuote},
      {YAML::ErrorMsg::DOC_IN_SCALAR, kOpenQuote},
      {YAML::ErrorMsg::INVALID_ESCAPE,
       "in double quotes a backslash begins an escape: double it, or use single quotes"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN,
       "a text cannot begin with this character: put the text in quotes"},
  };
  for (const auto& [words, sentence] : kExplanations) {
    if (parser_words.starts_with(words)) return std::string(sentence);
  }
  return printable(parser_words);  // some of them quote a byte of the file
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Findings& findings) : text_(text), findings_(findings) {
    open_.reserve(kMostLevels);
  }

  [[nodiscard]] std::optional<Value> take() {
    return complete_ ? std::optional(std::move(root_)) : std::nullopt;
  }

  /// Where the innermost map or list begins that has not ended.
  [[nodiscard]] std::optional<Where> open_since() const {
    return open_.empty() ? std::nullopt : std::optional(open_.back().container->where);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!complete_) return;
    refuse_rest(mark);
    throw Stop{};
  }
  void OnDocumentEnd() override { complete_ = true; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) {
      stop(SpecId::kKeyForm, where_of(mark), "a key is missing before ':'",
           "write the key, as in 'mtu: 9000'");
    }
    Value& value = place(mark, anchor, {});
    value.kind = Value::Kind::kNull;
    value.where = value.key.empty() ? where_of_null(mark) : value.key_where;
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    findings_.add(SpecId::kAnchor, where_of(mark), "an alias is not allowed",
                  "write the value out; what holds for every node belongs under 'host'");
    if (expects_key()) throw Stop{};
    place(mark, {}, {}).kind = Value::Kind::kRefused;
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (text.size() > kMostScalarBytes) {
      stop(SpecId::kLimit, where_of(mark),
           fmt::format("a text of {} bytes, more than {}", text.size(), kMostScalarBytes), {});
    }
    const bool plain = tag == "?";
    // yaml-cpp 0.7 takes the end of the file for the end of a quote, when a line ends there.
    if (is_open_quote(text_, offset_of(mark))) {
      stop(SpecId::kSyntax, where_of(mark), kNoYaml, explained(YAML::ErrorMsg::EOF_IN_SCALAR));
    }
    if (expects_key()) {
      open_key(mark, anchor, tag, text, plain);
      return;
    }
    Value& value = place(mark, anchor, tag);
    // A tag is reported, and hides whether there are quotes.
    value.kind = has_tag(mark, tag) ? Value::Kind::kRefused : Value::Kind::kText;
    value.plain = plain;
    value.text = text;
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open_container(mark, tag, anchor, Value::Kind::kList);
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open_container(mark, tag, anchor, Value::Kind::kMap);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  /// A map or list whose end has not come yet. The pointer holds: nothing is added beside an open
  /// container before it ends.
  struct Open {
    Value* container;
    bool key_is_open = false;
  };

  [[noreturn]] void stop(SpecId id, Where where, std::string message, std::string reason) {
    findings_.add(id, where, std::move(message), std::move(reason));
    throw Stop{};
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().container->kind == Value::Kind::kMap &&
           !open_.back().key_is_open;
  }

  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
  }
  [[nodiscard]] char char_at(const YAML::Mark& mark) const {
    const auto rest = text_.substr(offset_of(mark));
    return rest.empty() ? '\0' : rest.front();
  }

  /// The place of a list's item that is null. The parser gives an absent one the place of whatever
  /// comes next; better is the mark that begins the item.
  [[nodiscard]] Where where_of_null(const YAML::Mark& mark) const {
    if (open_.empty() || std::string_view("~nN").find(char_at(mark)) != std::string_view::npos) {
      return where_of(mark);
    }
    const auto pos = content_before(text_, offset_of(mark));
    if (!pos || std::string_view("-,[").find(text_[*pos]) == std::string_view::npos) {
      return open_.back().container->where;
    }
    const auto between = offset_of(mark) - *pos;
    const auto lines = std::ranges::count(text_.substr(*pos, between), '\n');
    if (lines == 0) {  // the usual one: no search for the line's start, which may be long ago
      return {mark.line + 1, mark.column + 1 - static_cast<int>(between)};
    }
    const auto line_start = text_.rfind('\n', *pos) + 1;  // npos + 1 is 0
    return {mark.line + 1 - static_cast<int>(lines), static_cast<int>(*pos - line_start) + 1};
  }

  void count_node(const YAML::Mark& mark) {
    if (++nodes_ > kMostNodes) {
      stop(SpecId::kLimit, where_of(mark),
           fmt::format("the file has more than {} keys and values", kMostNodes), {});
    }
  }

  /// The node that an event fills, in the open container. Counts it and refuses its properties.
  Value& place(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
    count_node(mark);
    refuse_properties(mark, anchor, tag);
    Value* value = &root_;
    if (!open_.empty()) {
      Open& open = open_.back();
      if (!std::exchange(open.key_is_open, false)) open.container->children.emplace_back();
      value = &open.container->children.back();
    }
    value->where = where_of(mark);
    return *value;
  }

  void open_key(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag,
                const std::string& text, bool plain) {
    count_node(mark);
    refuse_properties(mark, anchor, tag);
    if (text.empty()) {
      stop(SpecId::kKeyForm, where_of(mark), "a key is empty", "write a name for it");
    }
    Value& child = open_.back().container->children.emplace_back();
    child.key = text;
    child.key_plain = plain;
    child.key_where = where_of(mark);
    open_.back().key_is_open = true;
  }

  void open_container(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                      Value::Kind kind) {
    if (expects_key()) {
      // The parser looks for the end of a bracket to tell whether it is a key.
      if (is_open_bracket(text_, offset_of(mark))) {
        report_open_bracket(text_, offset_of(mark), where_of(mark), findings_);
        throw Stop{};
      }
      stop(SpecId::kKeyForm, where_of(mark), "a list or map stands where a key belongs",
           "a key is a plain name; is a quote missing around a text with brackets?");
    }
    if (open_.size() == kMostLevels) {
      stop(SpecId::kLimit, where_of(mark),
           fmt::format("more than {} maps and lists inside each other", kMostLevels),
           "no file needs so many: look for brackets too many");
    }
    Value& value = place(mark, anchor, tag);
    value.kind = kind;
    open_.push_back({&value});
  }

  /// Quoted texts have the tag "!" from the parser: the text tells whether the file has it too.
  [[nodiscard]] bool has_tag(const YAML::Mark& mark, const std::string& tag) const {
    return !tag.empty() && tag != "?" && (tag != "!" || char_at(mark) == '!');
  }

  void refuse_properties(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
    if (has_tag(mark, tag)) {
      findings_.add(SpecId::kTag, where_of(mark), "a tag is not allowed",
                    "types come from the schema: delete the word that begins with '!'");
    }
    if (anchor != YAML::NullAnchor) {
      findings_.add(SpecId::kAnchor, where_of(mark), "an anchor is not allowed",
                    "without aliases it has no use: delete the word that begins with '&'");
    }
  }

  void refuse_rest(const YAML::Mark& mark) {
    if (begins_document(text_, offset_of(mark))) {
      findings_.add_about_text(SpecId::kSecondDocument, where_of(mark),
                               "a second document begins here",
                               "one file describes one cluster: keep one document");
    } else {
      findings_.add_about_text(
          SpecId::kSyntax, where_of(mark), "the file goes on after its end",
          "what stands here belongs to nothing above: check the indentation and "
          "brackets before it");
    }
  }

  std::string_view text_;
  Findings& findings_;
  Value root_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
  bool complete_ = false;
};

std::size_t offset_at(std::string_view text, Where where) {
  const auto line = line_of(text, where.line);
  return static_cast<std::size_t>(line.data() - text.data()) +
         static_cast<std::size_t>(where.column) - 1;
}

void report_syntax(const YAML::Exception& error, std::string_view text,
                   std::optional<Where> open_since, Findings& findings) {
  const Where where = where_of(error.mark);
  if (error.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) {
    findings.add(SpecId::kAnchor, where, "an alias is not allowed",
                 "write the value out; a text that begins with '*' needs quotes");
    return;
  }
  if (const auto quote = quote_over_lines(text, where.line)) {
    findings.add(SpecId::kSyntax, *quote, kNoYaml, std::string(kOpenQuote));
    return;
  }
  const auto tab = tab_in_indentation(text, where.line);
  const bool stopped_at_key =
      error.msg == YAML::ErrorMsg::MAP_VALUE || error.msg == YAML::ErrorMsg::END_OF_MAP;
  if (auto likely = stopped_at_key && !tab ? likely_mistake(text, where.line) : std::nullopt) {
    findings.add(SpecId::kSyntax, likely->where, std::move(likely->message),
                 std::move(likely->reason));
    return;
  }
  std::vector<Related> related;
  const bool unclosed =
      error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  // Brackets are matched before the first event comes of what is between them.
  const bool mismatched = error.msg == YAML::ErrorMsg::FLOW_END;
  if (mismatched) open_since = open_bracket_before(text, where);
  const auto bracket = unclosed && open_since ? offset_at(text, *open_since) : text.size();
  if (is_open_bracket(text, bracket)) {
    report_open_bracket(text, bracket, *open_since, findings);
    return;
  }
  if ((unclosed || mismatched) && open_since) {
    related.push_back({*open_since, "the bracket is opened here"});
  }
  findings.add(SpecId::kSyntax, tab ? Where{where.line, *tab} : where, kNoYaml,
               explained(tab ? YAML::ErrorMsg::TAB_IN_INDENTATION : error.msg), std::move(related));
}

}  // namespace

std::optional<Value> read_document(std::string_view text, Findings& findings) {
  if (!text_is_acceptable(text, findings)) return std::nullopt;
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, findings);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return Value{.where = {1, 1}};
    // Once more and never in a loop: yaml-cpp 0.7 does not end on the one-byte text ",".
    parser.HandleNextDocument(builder);
  } catch (const Stop&) {
    return builder.take();  // reported where it was thrown
  } catch (const YAML::Exception& error) {
    report_syntax(error, text, builder.open_since(), findings);
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace spark::config
