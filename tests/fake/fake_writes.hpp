#pragma once
// FakeWrites: what was changed in a fake world, and which change a test refuses.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace spark::test {

enum class FakePort : std::uint8_t { kNetlink, kSysctl, kFiles, kRdma, kBus, kStorage };

/// Thrown instead of a change: the process is no more.
struct Killed {};

class FakeWrites {
 public:
  struct Entry {
    FakePort port = FakePort::kNetlink;
    std::string what;  ///< "add address '192.0.2.1/24' to 'eth0'", as the kernel adapters word it
  };

  /// Called by the ports before each change. Errors: the test refuses this one.
  Result<> admit(const std::string& what) {
    ++tried_;
    if (kill_in_ == 1) {
      kill_in_ = 0;
      throw Killed{};
    }
    kill_in_ -= kill_in_ > 0 ? 1 : 0;
    const bool nth = refuse_in_ == 1;
    refuse_in_ -= refuse_in_ > 0 ? 1 : 0;
    const bool named = !refused_text_.empty() && what.contains(refused_text_);
    if (nth || named) {
      return fail(named ? refused_as_ : ErrorCode::kSystem, what + ": refused by the test");
    }
    return {};
  }
  /// Called by the ports after each change.
  void record(FakePort port, const std::string& what) {
    entries_.push_back({port, what});
    if (overwriter_ && what.contains(overwriters_text_)) overwriter_();
  }
  /// Called by the ports before each read. Errors: the test made it unreadable.
  [[nodiscard]] Result<> readable(const std::string& what) const {
    if (unreadable_.contains(what)) {
      return fail(ErrorCode::kSystem, "read " + what + ": refused by the test");
    }
    return {};
  }

  void refuse(std::size_t nth) { refuse_in_ = nth; }
  void kill(std::size_t nth) { kill_in_ = nth; }
  void refuse_if(std::string text, ErrorCode as) {
    refused_text_ = std::move(text);
    refused_as_ = as;
  }
  /// Somebody else, who acts at once after each change whose description contains `text`.
  void add_overwriter(std::string text, std::function<void()> acts) {
    overwriters_text_ = std::move(text);
    overwriter_ = std::move(acts);
  }
  void make_unreadable(const std::string& what) { unreadable_.insert(what); }

  /// As `refuse` and `kill` count them: also those that were refused or failed.
  [[nodiscard]] std::size_t tried() const { return tried_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  void forget() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
  std::size_t tried_ = 0;
  std::size_t kill_in_ = 0;    ///< 0: never
  std::size_t refuse_in_ = 0;  ///< 0: none
  std::string refused_text_;
  ErrorCode refused_as_ = ErrorCode::kSystem;
  std::string overwriters_text_;
  std::function<void()> overwriter_;
  std::set<std::string> unreadable_;
};

}  // namespace spark::test
