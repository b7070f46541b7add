#pragma once
// open_key_file: opens the file of a secret that root wrote, for a helper that runs as a user of
// its own.

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "host/process/passwd.hpp"

namespace spark::host {

struct KeyFileFault {
  std::string what;        ///< "'/etc/x.key' can be read by everybody"
  std::string remedy;      ///< a command, or what to do
  bool is_denied = false;  ///< this process may not look
};

/// Who reads it beside root.
struct KeyReader {
  std::string name;                        ///< of the user, and of its group
  std::optional<UserIds> ids;              ///< empty: there is no such user
  std::string thing = "key";               ///< what the file holds
  std::string setting = "ready.key_file";  ///< what names the file
  std::string missing;  ///< what to do where there is no file; empty: copy it from a node
};

/// Opens it to be read: a regular file of root with one name, reached by no link, which nobody but
/// root writes and nobody but root and the reader's group reads. `path`: absolute, below `top`.
std::expected<UniqueFd, KeyFileFault> open_key_file(const std::string& top, const std::string& path,
                                                    const KeyReader& reader);

/// The same, and the reader may read it, which an open by root does not show.
std::optional<KeyFileFault> key_file_fault(const std::string& top, const std::string& path,
                                           const KeyReader& reader);

/// Of a process that has read such a file: a core, or another process of the same user, would show
/// what is in it.
void hide_memory();

// read_token_file: the token that agent.yaml names by `token_file`, for spark-web and for who looks
// whether it is right.

/// spark-web, which reads it; `passwd`: the text of /etc/passwd.
KeyReader token_reader(const std::string& path, std::string_view passwd);

/// Gives the token to `take`, and wipes it then. `path`: absolute, below `top`. The fault: the file
/// is not as open_key_file demands, or holds no token; in words that hold nothing of it.
std::optional<KeyFileFault> read_token_file(const std::string& top, const std::string& path,
                                            const KeyReader& reader,
                                            const std::function<void(std::string_view)>& take);

/// What keeps the reader from having a token of it.
std::optional<KeyFileFault> token_file_fault(const std::string& top, const std::string& path,
                                             const KeyReader& reader);

}  // namespace spark::host
