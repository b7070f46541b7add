#include "daemon/alerts/sinks/webhook_sink.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "daemon/alerts/sinks/alert_formats.hpp"
#include "host/process/file_io.hpp"

namespace spark::daemon {
namespace {

/// Statuses that say that this body will never be taken; the other end may fix all others.
constexpr std::array kNever{400U, 405U, 413U, 415U, 422U};

}  // namespace

WebhookSink::WebhookSink(boost::asio::io_context& context, const std::string& url,
                         std::string authorization_file, SinkEvents events,
                         std::chrono::milliseconds deadline)
    : QueuedSink("webhook " + url, std::move(events)),
      context_(context),
      timer_(context),
      url_(HttpUrl::parse(url).value_or(HttpUrl{})),  // parse_agent has refused others
      authorization_file_(std::move(authorization_file)),
      deadline_(deadline) {}

void WebhookSink::send() {
  if (queue_.empty()) return;
  busy_ = true;
  HttpPost post{.url = url_, .content_type = "application/json"};
  if (!authorization_file_.empty()) {
    // Each time: secrets are replaced while programs run.
    auto authorization = read_authorization(authorization_file_);
    if (!authorization) {
      health_.failed(authorization.error().what);
      try_again();
      return;
    }
    post.authorization = *std::move(authorization);
  }
  post.body = dump(webhook_body(queue_.front(), "spark-reconcile"));
  post_http(context_, std::move(post), deadline_,
            [weak = weak_from_this(), first = queue_.dropped()](const Result<HttpAnswer>& answer) {
              if (const auto self = weak.lock()) self->answered(answer, first);
            });
}

void WebhookSink::answered(const Result<HttpAnswer>& answer, std::uint64_t dropped_before) {
  // While it was in flight, the front may have gone to make room.
  const bool still_there = queue_.dropped() == dropped_before;
  const bool never = answer && std::ranges::find(kNever, answer->status) != kNever.end();
  if (!answer) {
    health_.failed(answer.error().what);
  } else if (!answer->is_success()) {
    health_.failed(fmt::format("status {}: {}", answer->status, answer->first_line));
  }
  if ((answer && answer->is_success()) || never) {
    if (still_there) queue_.pop();
    if (never) {
      health_.dropped("the receiver refuses it");
    } else {
      health_.delivered();
    }
  }
  try_again();
}

void WebhookSink::try_again() {
  timer_.expires_after(health_.wait());
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->busy_ = false;
    self->send();
  });
}

Result<std::string> read_authorization(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  const auto what = fmt::format("read authorization_file '{}'", path);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return fail_errno(errno, what);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return fail_errno(errno, what);
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kInvalid, what + ": no regular file");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 ||
      (status.st_uid != 0 && status.st_uid != geteuid())) {
    return fail(
        ErrorCode::kPermission,
        fmt::format("{}: others can read it, or it is not root's: chown root, chmod 0400", what));
  }
  auto text = host::read_all(file.get(), kMostBytes, what);
  if (!text) return text;
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  const bool one_line = std::ranges::all_of(*text, [](char c) { return c >= ' ' && c < '\x7F'; });
  if (text->empty() || !one_line) {
    return fail(ErrorCode::kInvalid, what + ": it must hold one line of ASCII, as 'Bearer abc'");
  }
  return text;
}

Sinks make_webhook_sinks(const SinkOrder& order) {
  Sinks sinks;
  for (const auto& webhook : order.spec.webhooks) {
    const auto& secret = webhook.authorization_file;
    sinks.push_back(std::make_shared<WebhookSink>(
        order.context, webhook.url.value,
        secret ? order.options.root + secret->value : std::string(), order.events));
  }
  return sinks;
}

}  // namespace spark::daemon
