#pragma once
// Four words for people to compare: they are the same where all have the same file, for the same
// nodes, each with the same key.

#include <cstdint>
#include <string>
#include <string_view>

namespace spark::cli {

/// The proquint of 16 bits (D. S. Wilkerson, "A Proposal for Proquints", 2009): 0x7F00 is "lusab".
std::string proquint(std::uint16_t bits);

/// The first 64 bits of a transcript (protocol::transcript_of()): "lusab babad gutih tugad". All of
/// it was fixed by commitments before anybody knew any of it: who is in between guesses once in a
/// run, with a chance of 2^-64.
std::string four_words(std::string_view transcript);

/// Both are the same words; blanks, dashes and capitals do not count.
bool are_same_words(std::string_view a, std::string_view b);

}  // namespace spark::cli
