#include "helpers/git/objects.hpp"

#include <charconv>

#include <fmt/format.h>

#include "base/text.hpp"
#include "helpers/git/object_reader.hpp"

namespace spark::helpers {
namespace {

constexpr std::string_view kSshHead = "-----BEGIN SSH SIGNATURE-----";

std::unexpected<Fault> malformed(std::string_view what, const std::string& id) {
  return found(GitId::kNotWhatItsNameSays, fmt::format("{} {} is malformed", what, id));
}

/// Takes the first line off `text`. Empty: no line is left.
std::optional<std::string_view> take_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

/// The rest of the line, where it begins with `name` and a blank, which is then taken off `text`.
std::optional<std::string_view> take_field(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || text.substr(name.size(), 1) != " ") return std::nullopt;
  const auto line = take_line(text);
  return line ? std::optional(line->substr(name.size() + 1)) : std::nullopt;
}

std::optional<std::string> take_id(std::string_view& text, std::string_view name) {
  const auto value = take_field(text, name);
  return value && is_object_id(*value) ? std::optional(std::string(*value)) : std::nullopt;
}

/// "NAME <MAIL> SECONDS ZONE".
std::optional<std::int64_t> time_of(std::string_view person) {
  const auto mail = person.rfind("> ");
  if (mail == std::string_view::npos) return std::nullopt;
  const auto rest = person.substr(mail + 2);
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), seconds);
  const bool is_number =
      error == std::errc{} && seconds >= 0 && end != rest.data() + rest.size() && *end == ' ';
  return is_number ? std::optional(seconds) : std::nullopt;
}

}  // namespace

OrFault<Commit> parse_commit(std::string_view content, const std::string& id) {
  Commit commit;
  auto rest = content;
  const auto tree = take_id(rest, "tree");
  if (!tree) return malformed("commit", id);
  commit.tree = *tree;
  while (rest.starts_with("parent ")) {
    auto parent = take_id(rest, "parent");
    if (!parent) return malformed("commit", id);
    commit.parents.push_back(std::move(*parent));
  }
  if (!take_field(rest, "author")) return malformed("commit", id);
  const auto committer = take_field(rest, "committer");
  const auto time = committer ? time_of(*committer) : std::nullopt;
  if (!time) return malformed("commit", id);
  commit.time = *time;
  // The other headers: the signature, whose lines go on with a blank, is not part of what it signs.
  commit.is_signed.text = content.substr(0, content.size() - rest.size());
  bool is_in_signature = false;
  while (true) {
    const auto line = take_line(rest);
    if (!line) return malformed("commit", id);
    if (line->empty()) break;
    if (is_in_signature && line->starts_with(' ')) {
      commit.is_signed.signature += fmt::format("{}\n", line->substr(1));
      continue;
    }
    is_in_signature = line->starts_with("gpgsig ");
    if (!is_in_signature) {
      // gpgsig-sha256, or a second signature: which of the two counts would be a matter of taste.
      if (line->starts_with("gpgsig")) return malformed("commit", id);
      commit.is_signed.text += fmt::format("{}\n", *line);
      continue;
    }
    if (!commit.is_signed.signature.empty()) return malformed("commit", id);
    commit.is_signed.signature =
        fmt::format("{}\n", line->substr(std::string_view("gpgsig ").size()));
  }
  commit.is_signed.text += fmt::format("\n{}", rest);
  constexpr std::size_t kSubject = 72;
  commit.subject = printable(rest.substr(0, rest.find('\n')), kSubject);
  return commit;
}

OrFault<Tag> parse_tag(std::string_view content, const std::string& id) {
  Tag tag;
  auto rest = content;
  const auto object = take_id(rest, "object");
  const auto type = object ? take_field(rest, "type") : std::nullopt;
  const auto name = type ? take_field(rest, "tag") : std::nullopt;
  if (!name || *type != "commit") return malformed("tag", id);
  tag.commit = *object;
  tag.name = *name;
  // As git does (parse_signed_buffer() of gpg-interface.c): the last line that begins a signature.
  auto at = content.rfind(fmt::format("\n{}", kSshHead));
  if (at == std::string_view::npos) at = content.rfind("\n-----BEGIN ");
  const auto begin = at == std::string_view::npos ? content.size() : at + 1;
  tag.is_signed = {.text = std::string(content.substr(0, begin)),
                   .signature = std::string(content.substr(begin))};
  return tag;
}

OrFault<std::optional<TreeEntry>> find_entry(std::string_view tree, std::string_view name,
                                             const std::string& id) {
  constexpr std::size_t kHashBytes = 20;
  // "MODE NAME\0HASH", one behind the other.
  while (!tree.empty()) {
    const auto blank = tree.find(' ');
    const auto end = blank == std::string_view::npos ? blank : tree.find('\0', blank);
    if (end == std::string_view::npos || tree.size() - end - 1 < kHashBytes) {
      return malformed("tree", id);
    }
    if (tree.substr(blank + 1, end - blank - 1) == name) {
      TreeEntry entry{.mode = std::string(tree.substr(0, blank))};
      for (const char byte : tree.substr(end + 1, kHashBytes)) {
        entry.id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      }
      return entry;
    }
    tree.remove_prefix(end + 1 + kHashBytes);
  }
  return std::nullopt;
}

}  // namespace spark::helpers
