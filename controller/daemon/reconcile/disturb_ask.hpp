#pragma once
// DisturbAsk: whether rails may be disturbed now, as the owner's own programs say. It asks nobody
// itself: programs take their time, and drift is corrected meanwhile.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/moment.hpp"

namespace spark::daemon {

/// What is asked.
struct AskOrder {
  std::string node;
  std::set<std::string> links;
  std::string digest;  ///< of the file that asks for the changes
  bool operator==(const AskOrder&) const = default;
};

/// What the programs said to it.
struct AskAnswer {
  AskOrder order;
  std::string why;  ///< the links may not be disturbed yet; empty: they may
};

/// What is known of a question.
struct Asked {
  enum class Is : std::uint8_t {
    kYes,
    kNo,
    kAsked,  ///< it has no answer yet
  };
  Is is = Is::kYes;
  std::string why;  ///< the links may not be disturbed yet; empty: they may
};

class DisturbAsk {
 public:
  /// `is_anybody_there`: whether there is anybody to ask; empty: there is not, and all is a yes.
  explicit DisturbAsk(std::function<bool()> is_anybody_there)
      : is_anybody_there_(std::move(is_anybody_there)) {}

  /// Whether the links may be disturbed now. After a no the same is asked again in 30 s, then in
  /// 60 s, up to 5 minutes; meanwhile the no counts, as a yes does for 30 s. The last two questions
  /// count: what still waits of the file in force, and a new file, are asked about in one pass.
  Asked ask(const AskOrder& order, const Moment& now);
  /// That of another question says nothing.
  void take(const AskAnswer& answer, const Moment& now);
  /// When one is asked again, by the boot clock; empty: no answer that counts is a no.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next() const;

 private:
  struct Question {
    AskOrder order;
    std::optional<Asked> known;          ///< set once it was asked
    std::chrono::milliseconds rest{0};   ///< after a no
    std::chrono::milliseconds until{0};  ///< so long the answer counts
  };

  std::function<bool()> is_anybody_there_;
  std::vector<Question> questions_;     ///< the last one first
  std::chrono::milliseconds asked_{0};  ///< when somebody wanted to know last, by the boot clock
};

}  // namespace spark::daemon
