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

  /// Whether the links may be disturbed now. The last question alone counts. After a no the same is
  /// asked again in 30 s, then in 60 s, up to 5 minutes; meanwhile the no counts, as a yes does for
  /// 30 s.
  Asked ask(const AskOrder& order, const Moment& now);
  /// That of another question says nothing.
  void take(const AskAnswer& answer, const Moment& now);
  /// When it is asked again, by the boot clock; empty: the last answer was no no.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next() const {
    return known_ && known_->is == Asked::Is::kNo ? std::optional(until_) : std::nullopt;
  }

 private:
  std::function<bool()> is_anybody_there_;
  AskOrder order_;                      ///< the last question
  std::optional<Asked> known_;          ///< of it; empty: there was none
  std::chrono::milliseconds rest_{0};   ///< after a no
  std::chrono::milliseconds until_{0};  ///< so long the answer counts
};

}  // namespace spark::daemon
