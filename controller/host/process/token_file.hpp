#pragma once
// read_token_file: the token that agent.yaml names by `token_file`, for spark-web and for who looks
// whether it is right.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/process/key_file.hpp"

namespace spark::host {

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
