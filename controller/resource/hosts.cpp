#include "resource/hosts.hpp"

#include <fmt/format.h>

namespace spark {
namespace {

constexpr const char* kPath = "/etc/hosts";
constexpr std::string_view kBegin =
    "# begin spark-reconcile: from cluster.yaml, edits here are undone\n";
constexpr std::string_view kEnd = "# end spark-reconcile\n";
constexpr std::string_view kBeginMark = "# begin spark-reconcile";
constexpr std::string_view kEndMark = "# end spark-reconcile";

/// Where the block stands in the text, marker lines included.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string lines;
};

/// A marker, and not a line of someone else's that only begins like one.
bool is_marker(std::string_view line, std::string_view mark) {
  constexpr std::string_view kAfterMark = ": \t\r\n";
  return line.starts_with(mark) &&
         (line.size() == mark.size() || kAfterMark.contains(line[mark.size()]));
}

std::size_t after_line(std::string_view text, std::size_t at) {
  const auto newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

/// Where the lines that are this marker begin.
std::vector<std::size_t> find_markers(std::string_view text, std::string_view mark) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < text.size(); at = after_line(text, at)) {
    if (is_marker(text.substr(at), mark)) {
      found.push_back(at);
    }
  }
  return found;
}

/// Errors: kInvalid when the markers are not one pair: what is ours cannot be told.
Result<std::optional<Block>> find_block(const std::string& text) {
  const auto begins = find_markers(text, kBeginMark);
  const auto ends = find_markers(text, kEndMark);
  if (begins.empty() && ends.empty()) {
    return std::nullopt;
  }
  if (begins.size() != 1 || ends.size() != 1 || ends.front() < begins.front()) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: the lines '{}' and '{}' do not enclose one block: remove what is "
                            "left of it by hand",
                            kPath, kBeginMark, kEndMark));
  }
  const auto first = after_line(text, begins.front());
  return Block{begins.front(), after_line(text, ends.front()),
               text.substr(first, ends.front() - first)};
}

std::string with_block(std::string text, const std::optional<Block>& old,
                       const std::optional<Hosts::Value>& value) {
  const auto block = value ? fmt::format("{}{}{}", kBegin, value->lines, kEnd) : std::string();
  if (old) {
    return text.replace(old->begin, old->end - old->begin, block);
  }
  if (!text.empty() && !text.ends_with('\n')) {
    text += '\n';
  }
  return text + block;
}

}  // namespace

Desired<Hosts> Hosts::desired(const Node& node) {
  Desired<Hosts> desired;
  if (!node.hosts || node.hosts->value.empty()) {
    return desired;
  }
  std::string lines;
  for (const auto& [ip, name] : node.hosts->value) {
    lines += fmt::format("{} {}\n", ip.text(), name);
  }
  desired.want({kPath}, {std::move(lines)}, {node.hosts->where});
  return desired;
}

Result<Observed<Hosts>> Hosts::observe(View& view, const Desired<Hosts>& wanted,
                                       const Context& /*context*/) {
  const auto& text = view.file(kPath);
  if (!text) return std::unexpected(text.error());
  const auto block = find_block(text->value_or(""));
  Observed<Hosts> observed;
  if (!block) {
    if (!wanted.state.empty()) {
      observed.aside.emplace(Key{kPath},
                             Aside{Aside::Why::kNotHeld, "SR-HOSTS-001", block.error().what});
    }
    return observed;
  }
  if (*block) {
    observed.state.emplace(Key{kPath}, Value{(*block)->lines});
  }
  if (observed.state == wanted.state) {
    return observed;
  }
  if (auto why = irreplaceable(view, kPath)) {
    if (*block && wanted.state.empty()) {
      observed.state.clear();
      observed.preserved.push_back({fmt::format("our block in {}", kPath), why->reason});
    } else {
      observed.aside.emplace(Key{kPath}, std::move(*why));
    }
  }
  return observed;
}

std::vector<Change<Hosts>> Hosts::diff(const State<Hosts>& desired, const State<Hosts>& actual) {
  return difference<Hosts>(desired, actual);
}

Result<> Hosts::apply(const Change<Hosts>& change, Host& host) {
  const auto text = host.files.read(change.key.path);
  if (!text) return std::unexpected(text.error());
  const auto block = find_block(text->value_or(""));
  if (!block) return std::unexpected(block.error());
  const auto changed = with_block(text->value_or(""), *block, change.after);
  // A file that held our block alone is one that we made.
  return changed.empty() ? host.files.remove(change.key.path)
                         : host.files.write_durably(change.key.path, changed, 0644);
}

std::string Hosts::label(const Value& value) {
  std::string text;
  for (const char c : value.lines.substr(0, value.lines.find_last_not_of('\n') + 1)) {
    text += c == '\n' ? std::string(", ") : std::string(1, c);
  }
  return text;
}

}  // namespace spark
