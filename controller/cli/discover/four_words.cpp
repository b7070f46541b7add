#include "cli/discover/four_words.hpp"

#include <algorithm>
#include <cstddef>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kConsonants = "bdfghjklmnprstvz";  // four bits each
constexpr std::string_view kVowels = "aiou";                  // two bits each
constexpr std::size_t kWords = 4;

std::string letters_of(std::string_view text) {
  auto letters = ascii_lower(text);
  std::erase_if(letters, [](char c) { return !is_ascii_alnum(c); });
  return letters;
}

}  // namespace

std::string proquint(std::uint16_t bits) {
  const auto consonant = [&](unsigned shift) { return kConsonants[(bits >> shift) & 0xFU]; };
  const auto vowel = [&](unsigned shift) { return kVowels[(bits >> shift) & 0x3U]; };
  return {consonant(12), vowel(10), consonant(6), vowel(4), consonant(0)};
}

std::string four_words(std::string_view file, std::string_view founders_run,
                       std::vector<std::string> nodes) {
  std::ranges::sort(nodes);
  // No name holds a line feed, and the file comes last: each part has one place alone.
  std::string all = "spark-reconcile join 1\n";
  all.append(founders_run).append("\n");
  for (const auto& node : nodes) all += node + "\n";
  all.append("\n").append(file);
  const auto digest = sha256_bytes(all);
  std::string words;
  for (std::size_t i = 0; i < kWords; ++i) {
    const auto high = static_cast<unsigned char>(digest[2 * i]);
    const auto low = static_cast<unsigned char>(digest[(2 * i) + 1]);
    words += (i == 0 ? "" : " ") + proquint(static_cast<std::uint16_t>((high << 8U) | low));
  }
  return words;
}

bool are_same_words(std::string_view a, std::string_view b) {
  const auto letters = letters_of(a);
  return !letters.empty() && letters == letters_of(b);
}

}  // namespace spark::cli
