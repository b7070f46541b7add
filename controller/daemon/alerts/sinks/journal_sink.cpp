#include "daemon/alerts/sinks/journal_sink.hpp"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <syslog.h>

#include <nlohmann/json.hpp>

#include "base/socket_address.hpp"
#include "base/text.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "daemon/alerts/sinks/alert_formats.hpp"

namespace spark::daemon {
namespace {

constexpr std::size_t kMostField = 8192;

/// NAME=value, or, where the value has line ends, NAME, its size in 64 bits little-endian, the
/// value.
void add_field(std::string& entry, std::string_view name, std::string_view value) {
  const auto text = cut(value, kMostField);
  entry += name;
  if (text.find('\n') == std::string::npos) {
    entry += '=';
  } else {
    entry += '\n';
    for (unsigned shift = 0; shift < 64; shift += 8) {
      entry += static_cast<char>((std::uint64_t{text.size()} >> shift) & 0xFFU);
    }
  }
  entry += text + '\n';
}

/// "link" as SPARK_LINK. Labels are this program's own words.
std::string field_of(std::string_view label) {
  std::string field = "SPARK_";
  for (const char c : label) field += is_ascii_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return field;
}

/// Where there is no journal, as in a container without systemd, alerts are lines of the daemon's
/// own log.
class LogSink : public Sink {
 public:
  explicit LogSink(DaemonLog log) : log_(std::move(log)) {}

  void deliver(const Transition& transition) override {
    if (log_) log_(priority_of(transition), message_of(transition));
  }
  [[nodiscard]] const SinkState& state() const override { return state_; }
  [[nodiscard]] bool is_monitored() const override { return false; }

 private:
  DaemonLog log_;
  SinkState state_;
};

}  // namespace

int priority_of(const Transition& transition) {
  if (transition.what == Transition::What::kResolved) return LOG_NOTICE;
  return transition.alert.severity == AlertSeverity::kCritical ? LOG_CRIT : LOG_WARNING;
}

std::string journal_entry(const Transition& transition) {
  const Alert& alert = transition.alert;
  const bool is_over = transition.what == Transition::What::kResolved;
  const auto* rule = alert_rule(alert.name);
  std::string entry;
  add_field(entry, "MESSAGE", message_of(transition));
  if (rule != nullptr) add_field(entry, "MESSAGE_ID", rule->message_id);
  add_field(entry, "PRIORITY", std::to_string(priority_of(transition)));
  add_field(entry, "SYSLOG_IDENTIFIER", "spark-reconcile");
  add_field(entry, "SPARK_ALERT", alert.name);
  add_field(entry, "SPARK_ALERT_ID", alert.id);
  add_field(entry, "SPARK_STATE", is_over ? "resolved" : "firing");
  add_field(entry, "SPARK_SEVERITY", name_of(alert.severity));
  add_field(entry, "SPARK_SUMMARY", alert.summary);
  add_field(entry, "SPARK_DESCRIPTION", alert.description);
  add_field(entry, "SPARK_REMEDY", alert.remedy);
  add_field(entry, "SPARK_SINCE", utc_text(alert.since.wall));
  if (is_over) add_field(entry, "SPARK_HOW", transition.how);
  if (!alert.change_id.empty()) add_field(entry, "SPARK_CHANGE_ID", alert.change_id);
  add_field(entry, "SPARK_FINGERPRINT", wire_fingerprint(wire_labels(alert)));
  for (const auto& [name, value] : alert.labels) add_field(entry, field_of(name), value);
  return entry;
}

JournalSink::JournalSink(boost::asio::io_context& context, std::string socket, SinkEvents events)
    : QueuedSink("journal", std::move(events)), timer_(context), path_(std::move(socket)) {}

void JournalSink::send() {
  while (!queue_.empty()) {
    if (auto sent = send_one(queue_.front()); !sent) {
      health_.failed(std::move(sent.error().what));
      break;
    }
    queue_.pop();
    health_.delivered();
  }
  if (queue_.empty()) return;
  busy_ = true;
  timer_.expires_after(health_.wait());
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->busy_ = false;
    self->send();
  });
}

Result<> JournalSink::send_one(const Transition& transition) {
  const auto what = fmt::format("write to the journal at '{}'", path_);
  const auto address = UnixAddress::from(path_);
  if (!address) return fail(ErrorCode::kInvalid, what + ": too long");
  if (!socket_.valid()) {
    socket_ = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_.valid()) return fail_errno(errno, what);
  }
  const auto entry = journal_entry(transition);
  // Not connected: journald may be another process by the next entry.
  const auto sent = ::sendto(socket_.get(), entry.data(), entry.size(), MSG_NOSIGNAL,
                             address->get(), address->size());
  if (sent < 0) return fail_errno(errno, what);
  return {};
}

Sinks make_journal_sinks(const SinkOrder& order) {
  std::error_code ignored;  // what cannot be looked at is not there
  if (!std::filesystem::exists(order.options.journal_socket, ignored)) {
    return {std::make_shared<LogSink>(order.events.alert)};
  }
  return {std::make_shared<JournalSink>(order.context, order.options.journal_socket, order.events)};
}

}  // namespace spark::daemon
