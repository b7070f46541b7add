#include "base/page_token.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark {
namespace {

/// Visible ASCII.
bool may_stand_in_token(char c) { return c > ' ' && c <= '~'; }

}  // namespace

std::string token_command(std::string_view path) {
  return fmt::format(
      "head -c 24 /dev/urandom | base64 | sudo install -o root -g spark-web -m 640 /dev/stdin {}",
      path);
}

std::string_view token_in(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string why_no_token(std::string_view text) {
  const auto token = token_in(text);
  const auto* const wrong = std::ranges::find_if_not(token, may_stand_in_token);
  const auto column = (wrong - token.begin()) + 1;
  if (wrong != token.end() && *wrong == '\n') {
    return fmt::format("line 1, column {}: the file goes on behind its one line", column);
  }
  if (wrong != token.end()) {
    return fmt::format(
        "line 1, column {}: {}, where a token has visible ASCII characters without blanks only",
        column,
        *wrong == ' ' || *wrong == '\t' ? "a blank" : "a character that cannot stand there");
  }
  if (token.size() < kLeastTokenBytes || token.size() > kMostTokenBytes) {
    return fmt::format("line 1, column 1: it has {} characters, and a token {} to {}",
                       token.size() > kMostTokenBytes ? fmt::format("more than {}", kMostTokenBytes)
                                                      : std::to_string(token.size()),
                       kLeastTokenBytes, kMostTokenBytes);
  }
  return {};
}

bool is_token(std::string_view text) {
  return text.size() >= kLeastTokenBytes && text.size() <= kMostTokenBytes &&
         std::ranges::all_of(text, may_stand_in_token);
}

}  // namespace spark
