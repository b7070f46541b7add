#pragma once
// Four words for two people to compare: they are the same where both ends have the same file, of
// the same run, for the same nodes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spark::cli {

/// The proquint of 16 bits (D. S. Wilkerson, "A Proposal for Proquints", 2009): 0x7F00 is "lusab".
std::string proquint(std::uint16_t bits);

/// The first 64 bits of SHA-256 over the founder's run, the names of the nodes, in any order, and
/// the bytes of the file: "lusab babad gutih tugad". Who wants another file to have the same words
/// has to try about 2^64 files, within one run.
std::string four_words(std::string_view file, std::string_view founders_run,
                       std::vector<std::string> nodes);

/// Both are the same words; blanks, dashes and capitals do not count.
bool are_same_words(std::string_view a, std::string_view b);

}  // namespace spark::cli
