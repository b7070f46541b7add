#include "state/event_log.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "protocol/paths.hpp"

namespace spark::state {

template <EitherConst<Event> T, class Visit>
void each_field(T& event, Visit visit) {
  visit("number", event.number);
  visit("at", event.at);
  visit("what", event.what);
  visit("severity", event.severity);
  visit("text", event.text);
  visit("change_id", unless_empty(event.change_id));
  visit("digest", unless_empty(event.digest));
  visit("cause", unless_empty(event.cause));
  visit("remedy", unless_empty(event.remedy));
}

namespace {

constexpr const char* kEventsSchema = "spark-reconcile/event-log/v1";

struct EventsDocument {
  std::vector<Event> events;
};

template <EitherConst<EventsDocument> T, class Visit>
void each_field(T& document, Visit visit) {
  visit("events", document.events);
}

}  // namespace

void EventLog::add(Event event) {
  event.number = events_.empty() ? 1 : events_.back().number + 1;
  event.text = printable(event.text, kLongestText);
  event.remedy = printable(event.remedy, kLongestText);
  events_.push_back(std::move(event));
  if (events_.size() > kMost) events_.pop_front();
}

std::string EventLog::to_text() const {
  return json_text(document_of(kEventsSchema, EventsDocument{{events_.begin(), events_.end()}}),
                   0) +
         "\n";
}

Result<EventLog> EventLog::from_text(const std::string& text) {
  auto document = document_from_text<EventsDocument>(kEventsSchema, text);
  if (!document) return std::unexpected(document.error());
  EventLog log;
  for (auto& event : document->events) {
    const auto number = event.number;
    log.add(std::move(event));
    log.events_.back().number = number;
  }
  return log;
}

Result<EventLog> read_events(host::Files& files) {
  for (const auto* path : {protocol::kEventsFile, protocol::kKeptEventsFile}) {
    const auto text = files.read(path);
    if (!text) return std::unexpected(text.error());
    if (!*text) continue;
    auto log = EventLog::from_text(**text);
    if (!log) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("'{}' is damaged or of another version ({}): the daemon begins a new "
                              "one when it starts",
                              path, log.error().what));
    }
    return log;
  }
  return EventLog{};
}

}  // namespace spark::state
