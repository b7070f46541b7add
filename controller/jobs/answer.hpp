#pragma once
// was_it_the_network: what the records say of the end of a job, and never more than they say.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/records.hpp"

namespace spark::jobs {

/// What one node recorded, by the clock of this node.
struct AnswerLine {
  Time at;
  std::string node;
  std::string link;  ///< empty: the node as a whole
  Sign sign = Sign::kChanged;
  std::string text;  ///< "rail 1 of spark2 lost its carrier for 2.1 s", without its time
};

struct Answer {
  enum class Kind : std::uint8_t {
    kNoFault,   ///< none was recorded, and this node's record is whole where it matters
    kFault,     ///< one was recorded on a way of the job, before its end
    kNotKnown,  ///< the record has a gap, or cannot tell the cable from the machine behind it
  };
  Kind kind = Kind::kNotKnown;
  std::string line;                ///< a sentence, without a line feed
  std::vector<std::string> notes;  ///< of clocks that differ from this node's
  std::vector<AnswerLine> lines;   ///< what all nodes recorded around it, in the order of time
};

inline constexpr std::array<std::string_view, 3> kAnswerKinds{"no_fault", "fault", "not_known"};
constexpr const auto& names_of(Answer::Kind /*any*/) { return kAnswerKinds; }

Answer was_it_the_network(const Question& question);

}  // namespace spark::jobs
