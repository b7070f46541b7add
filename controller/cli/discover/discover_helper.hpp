#pragma once
// DiscoverHelper: the process `spark-peers discover`, which hears and sends for a verb, as a user
// without privileges.

#include <optional>
#include <string>

#include <sys/types.h>

#include "base/line_buffer.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {

class DiscoverHelper {
 public:
  /// What it has said since the last time.
  struct News {
    std::optional<protocol::DiscoverSeen> seen;
    std::optional<protocol::DiscoverFile> file;
  };

  /// Errors: there is no such program.
  static Result<DiscoverHelper> start(const protocol::DiscoverTask& task);
  DiscoverHelper(DiscoverHelper&& other) noexcept;
  DiscoverHelper& operator=(DiscoverHelper&&) = delete;
  DiscoverHelper(const DiscoverHelper&) = delete;
  DiscoverHelper& operator=(const DiscoverHelper&) = delete;
  /// Ends it: nothing listens afterwards.
  ~DiscoverHelper();

  /// Readable when it has said something.
  [[nodiscard]] int fd() const { return out_.get(); }
  /// Errors: it has ended, with its own words.
  Result<News> read();
  Result<> order(const protocol::DiscoverOrder& order);

 private:
  DiscoverHelper() = default;
  [[nodiscard]] Error why_ended() const;

  std::string program_;
  pid_t process_ = -1;  ///< -1: there is none
  UniqueFd in_;
  UniqueFd out_;
  UniqueFd err_;
  LineBuffer lines_{protocol::kLongestDiscoverLine};
};

}  // namespace spark::cli
