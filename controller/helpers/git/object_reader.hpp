#pragma once
// ObjectReader: the objects of a repository that somebody else may have written. git only unpacks
// them: each is hashed here, and believed when its hash is its name.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "helpers/git/fault.hpp"

namespace spark::helpers {

/// 40 hexadecimal digits, lower case.
bool is_object_id(std::string_view text);

/// SHA-1 of an object, as git names it.
std::string object_id(std::string_view type, std::string_view content);

class ObjectReader {
 public:
  /// Starts `git cat-file`. `repository`: a bare one of the caller's own, without objects;
  /// `objects`: the directory where they are. It ends at the deadline, whatever git does.
  static Result<ObjectReader> open(const std::string& repository, const std::string& objects,
                                   std::chrono::milliseconds deadline);
  ObjectReader(ObjectReader&& other) noexcept;
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;
  ObjectReader& operator=(ObjectReader&&) = delete;
  ~ObjectReader();

  /// The content of an object. Errors: kNotWhatItsNameSays where it is missing, of another type,
  /// longer than `limit_bytes`, or has another hash; `too_long` in place of that where it is
  /// longer, or missing: a fetch leaves out what is longer.
  OrFault<std::string> read(const std::string& id, std::string_view type, std::size_t limit_bytes,
                            GitId too_long = GitId::kNotWhatItsNameSays);
  /// "commit", "tag", "tree" or "blob". Errors: kNotWhatItsNameSays where it is missing.
  OrFault<std::string> type_of(const std::string& id);

 private:
  ObjectReader(UniqueFd in, UniqueFd out, int process, std::chrono::steady_clock::time_point end)
      : in_(std::move(in)), out_(std::move(out)), process_(process), end_(end) {}

  struct Header {
    std::string type;
    std::size_t size = 0;
  };
  /// `missing`: the fault where there is no such object.
  OrFault<Header> ask(std::string_view command, const std::string& id,
                      GitId missing = GitId::kNotWhatItsNameSays);
  OrFault<std::string> take_line(const std::string& id);
  OrFault<std::string> take(std::size_t bytes, const std::string& id);
  /// Waits for more of git's output. False: there is none, or the deadline has passed.
  bool fill();

  UniqueFd in_;   ///< git's
  UniqueFd out_;  ///< git's
  int process_;   ///< leads a group of its own; -1: moved away
  std::chrono::steady_clock::time_point end_;
  std::string buffer_;
};

}  // namespace spark::helpers
