#include "helpers/verbs/other_end.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>
#include <variant>

#include <unistd.h>

#include "base/text.hpp"
#include "base/wait.hpp"

namespace spark::helpers {
namespace {

constexpr std::string_view kOtherEnd = "other end";

}  // namespace

template <class Seen>
Attempt<> OtherEnd::wait(std::string_view step, Seen seen) {
  while (!seen()) {
    if (report_) {
      return failed(kOtherEnd, report_->error_number,
                    "it ended with a report before its " + std::string(step));
    }
    pollfd wanted{.fd = fd(), .events = POLLIN, .revents = 0};
    const int ready = poll_until({&wanted, 1}, deadline_);
    if (ready < 0) return failed("poll", errno);
    if (ready == 0) {
      return failed(kOtherEnd, ETIMEDOUT, "no " + std::string(step) + " of it before the deadline");
    }
    if (auto read = read_on(); !read) return read;
  }
  return {};
}

Attempt<protocol::PeerOffer> OtherEnd::wait_for_offer() {
  if (auto seen = wait(protocol::PeerOffer::kStep, [&] { return offer_.has_value(); }); !seen) {
    return std::unexpected(std::move(seen.error()));
  }
  return *offer_;
}

Attempt<> OtherEnd::wait_for_connected() {
  return wait(protocol::PeerConnected::kStep, [&] { return is_connected_; });
}

bool OtherEnd::wait_for_report(Clock::time_point end) {
  while (!report_ && !is_over_) {
    if (!wait_for(fd_, POLLIN, std::min(end, deadline_))) return false;
    // A line that is none is as good as the end: nothing after it counts.
    if (!read_on()) return false;
  }
  return report_.has_value();
}

Attempt<> OtherEnd::read_on() {
  std::array<char, protocol::kLongestPeerLine> bytes{};
  const auto got = read(fd_, bytes.data(), bytes.size());
  if (got < 0) {
    if (errno == EINTR || errno == EAGAIN) return {};
    is_over_ = true;
    return failed("read from the other end", errno);
  }
  if (got == 0) {
    is_over_ = true;
    if (report_) return {};
    return failed(kOtherEnd, ECONNRESET, "its lines ended before its report");
  }
  lines_.add({bytes.data(), static_cast<std::size_t>(got)});
  while (true) {
    const auto line = lines_.next();
    if (line && !*line) return {};
    auto taken =
        line ? take(**line) : failed(kOtherEnd, EPROTO, "of its line: " + line.error().what);
    if (!taken) {
      is_over_ = true;
      return taken;
    }
  }
}

Attempt<> OtherEnd::take(const std::string& text) {
  const auto wrong = [](const std::string& what) {
    return failed(kOtherEnd, EPROTO, "of its line: " + what);
  };
  if (report_) return {};  // it is done, and so is what it may say
  auto line = protocol::parse_peer_line(text);
  if (!line) return wrong(line.error().what);
  if (auto* offer = std::get_if<protocol::PeerOffer>(&*line)) {
    if (offer_) return wrong("a second offer");
    offer_ = std::move(*offer);
  } else if (std::holds_alternative<protocol::PeerConnected>(*line)) {
    if (!offer_ || is_connected_) return wrong("'connected' out of order");
    is_connected_ = true;
  } else if (auto* report = std::get_if<protocol::PeerReport>(&*line)) {
    report_ = std::move(*report);
  }
  return {};
}

std::string OtherEnd::reason() const {
  if (!report_ || !report_->failed) return {};
  // From another machine: it may not steer a terminal, nor fill one.
  constexpr std::size_t kMost = 200;
  std::string text = *report_->failed + ": " + report_->why;
  text.resize(std::min(text.size(), kMost));
  std::ranges::replace_if(text, [](char byte) { return !is_ascii_print(byte); }, '?');
  return text;
}

}  // namespace spark::helpers
