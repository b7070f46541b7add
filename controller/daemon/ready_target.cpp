#include "daemon/ready_target.hpp"

namespace spark {
namespace {

constexpr const char* kTarget = "spark-ready.target";
constexpr std::chrono::seconds kGrace{10};
/// The target waits for nothing but a program that reads a file.
constexpr std::chrono::seconds kDeadline{20};

/// Nobody to ask, or nothing to start: as good as done.
bool settled(const Result<>& result) {
  return result || result.error().code == ErrorCode::kNotFound ||
         result.error().code == ErrorCode::kUnsupported;
}

}  // namespace

std::optional<std::chrono::milliseconds> ReadyTarget::follow(Host& host, Verdict verdict,
                                                             const Moment& now) {
  if (verdict == Verdict::kReady) {
    not_ready_since_.reset();
    if (reached_ != true && settled(host.bus.start(kTarget, kDeadline))) {
      reached_ = true;
    }
    return std::nullopt;
  }
  if (!not_ready_since_) {
    not_ready_since_ = now;
  }
  if (reached_ == false) {
    return std::nullopt;
  }
  const auto left = not_ready_since_->boot + kGrace - now.boot;
  if (left.count() > 0) {
    return left;
  }
  if (settled(host.bus.stop(kTarget, kDeadline))) {
    reached_ = false;
  }
  return std::nullopt;
}

}  // namespace spark
