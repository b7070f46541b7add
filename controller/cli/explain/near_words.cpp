#include "cli/explain/near_words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kMostNear = 3;
constexpr std::size_t kDigitsOfId = 3;

}  // namespace

std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& words) {
  std::vector<std::string> near;
  const auto lower = ascii_lower(word);
  std::vector<std::string_view> others;
  for (const auto& candidate : words) {
    const auto other = ascii_lower(candidate);
    // Who knows a key by its last part, as memlock, means host.memlock.
    const bool is_near =
        !lower.empty() && (other.starts_with(lower) || other.ends_with("." + lower));
    if (is_near && near.size() < kMostNear) {
      near.push_back(candidate);
    } else {
      others.emplace_back(candidate);
    }
  }
  while (near.size() < kMostNear) {
    const auto next = closest(word, others);
    if (!next) break;
    near.emplace_back(*next);
    std::erase(others, std::string_view(near.back()));
  }
  return near;
}

std::string unknown_word(std::string_view word, const std::vector<std::string>& words) {
  // Ids differ by numbers: none is a misspelling of another that is there.
  const auto number = word.substr(std::min(word.size(), word.rfind('-') + 1));
  const bool is_id = word.starts_with("SR-") && number.size() == kDigitsOfId &&
                     std::ranges::all_of(number, is_ascii_digit);
  const auto near = is_id ? std::vector<std::string>{} : near_words(word, words);
  return fmt::format("unknown word {}{}", in_quotes(word),
                     near.empty()
                         ? "; `spark-reconcile explain` lists the kinds of words"
                         : fmt::format(", did you mean '{}'?", fmt::join(near, "', or '")));
}

}  // namespace spark::cli
