#include "daemon/reconcile/disturb_ask.hpp"

#include <algorithm>

namespace spark::daemon {
namespace {

constexpr std::chrono::milliseconds kShortestRest = std::chrono::seconds(30);
constexpr std::chrono::milliseconds kLongestRest = std::chrono::minutes(5);

}  // namespace

Asked DisturbAsk::ask(const AskOrder& order, const Moment& now) {
  if (!is_anybody_there_ || !is_anybody_there_()) return {};
  const bool is_same = known_ && order == order_;
  if (is_same && (known_->is == Asked::Is::kAsked || now.boot < until_)) return *known_;
  const bool was_no = is_same && known_->is == Asked::Is::kNo;
  rest_ = was_no ? std::min(2 * rest_, kLongestRest) : kShortestRest;
  order_ = order;
  known_ = {.is = Asked::Is::kAsked, .why = "the programs of ask.d have not answered yet"};
  return *known_;
}

void DisturbAsk::take(const AskAnswer& answer, const Moment& now) {
  if (!known_ || known_->is != Asked::Is::kAsked || answer.order != order_) return;
  const bool is_yes = answer.why.empty();
  known_ = {.is = is_yes ? Asked::Is::kYes : Asked::Is::kNo, .why = answer.why};
  until_ = now.boot + (is_yes ? kShortestRest : rest_);
}

}  // namespace spark::daemon
