#pragma once
// DisturbAsk: asks the owner's own programs whether rails may be disturbed now, and not too often.

#include <chrono>
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

/// Why the links may not be disturbed yet; empty: they may. Blocks while programs run.
using Ask = std::function<std::string(const AskOrder&)>;

class DisturbAsk {
 public:
  explicit DisturbAsk(Ask ask) : ask_(std::move(ask)) {}

  /// Why the links may not be disturbed yet; empty: they may. After a no the same is asked again in
  /// 30 s, then in 60 s, up to 5 minutes; meanwhile the no counts.
  std::string ask(const AskOrder& order, const Moment& now);
  /// When it is asked again, by the boot clock; empty: the last answer was no no.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next() const {
    return why_.empty() ? std::nullopt : std::optional(next_);
  }

 private:
  Ask ask_;
  AskOrder order_;   ///< that was refused last
  std::string why_;  ///< empty: nothing was
  std::chrono::milliseconds rest_{0};
  std::chrono::milliseconds next_{0};
};

}  // namespace spark::daemon
