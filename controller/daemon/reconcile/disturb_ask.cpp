#include "daemon/reconcile/disturb_ask.hpp"

#include <algorithm>

namespace spark::daemon {

std::string DisturbAsk::ask(const AskOrder& order, const Moment& now) {
  constexpr std::chrono::milliseconds kShortest = std::chrono::seconds(30);
  constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(5);
  if (!ask_) return {};
  const bool is_same = !why_.empty() && order == order_;
  if (is_same && now.boot < next_) return why_;
  why_ = ask_(order);
  rest_ = is_same ? std::min(2 * rest_, kLongest) : kShortest;
  next_ = now.boot + rest_;
  order_ = order;
  return why_;
}

}  // namespace spark::daemon
