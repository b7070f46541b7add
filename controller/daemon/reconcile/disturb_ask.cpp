#include "daemon/reconcile/disturb_ask.hpp"

#include <algorithm>

namespace spark::daemon {
namespace {

constexpr std::chrono::milliseconds kShortestRest = std::chrono::seconds(30);
constexpr std::chrono::milliseconds kLongestRest = std::chrono::minutes(5);
constexpr std::size_t kMostQuestions = 2;

}  // namespace

Asked DisturbAsk::ask(const AskOrder& order, const Moment& now) {
  if (!is_anybody_there_ || !is_anybody_there_()) return {};
  asked_ = now.boot;
  const auto found = std::ranges::find(questions_, order, &Question::order);
  if (found != questions_.end()) {
    std::rotate(questions_.begin(), found, found + 1);
  } else {
    if (questions_.size() == kMostQuestions) questions_.pop_back();
    questions_.insert(questions_.begin(), {.order = order});
  }
  auto& question = questions_.front();
  auto& known = question.known;
  if (known && (known->is == Asked::Is::kAsked || now.boot < question.until)) return *known;
  const bool was_no = known && known->is == Asked::Is::kNo;
  question.rest = was_no ? std::min(2 * question.rest, kLongestRest) : kShortestRest;
  known = {.is = Asked::Is::kAsked, .why = "the programs of ask.d have not answered yet"};
  return *known;
}

void DisturbAsk::take(const AskAnswer& answer, const Moment& now) {
  const auto found = std::ranges::find(questions_, answer.order, &Question::order);
  if (found == questions_.end() || found->known->is != Asked::Is::kAsked) return;
  const bool is_yes = answer.why.empty();
  found->known = {.is = is_yes ? Asked::Is::kYes : Asked::Is::kNo, .why = answer.why};
  found->until = now.boot + (is_yes ? kShortestRest : found->rest);
}

std::optional<std::chrono::milliseconds> DisturbAsk::next() const {
  std::optional<std::chrono::milliseconds> next;
  for (const auto& question : questions_) {
    // One that is over by now was not asked again: nobody wants to know any more.
    const bool counts = question.known->is == Asked::Is::kNo && question.until > asked_;
    if (counts && (!next || question.until < *next)) next = question.until;
  }
  return next;
}

}  // namespace spark::daemon
