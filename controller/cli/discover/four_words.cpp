#include "cli/discover/four_words.hpp"

#include <charconv>
#include <cstddef>

#include "base/text.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kConsonants = "bdfghjklmnprstvz";  // four bits each
constexpr std::string_view kVowels = "aiou";                  // two bits each
constexpr std::size_t kWords = 4;
constexpr std::size_t kDigitsOfWord = 4;  // hexadecimal

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

std::string four_words(std::string_view transcript) {
  std::string words;
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint16_t bits = 0;
    const auto digits = transcript.substr(kDigitsOfWord * i, kDigitsOfWord);
    std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    words += (i == 0 ? "" : " ") + proquint(bits);
  }
  return words;
}

bool are_same_words(std::string_view a, std::string_view b) {
  const auto letters = letters_of(a);
  return !letters.empty() && letters == letters_of(b);
}

}  // namespace spark::cli
