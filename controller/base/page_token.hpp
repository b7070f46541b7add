#pragma once
// The token that spark-web asks strangers for: how its text is, and how one is made.

#include <cstddef>
#include <string>
#include <string_view>

namespace spark {

/// The file that pages and messages name; agent.yaml may name another.
inline constexpr const char* kTokenFile = "/etc/spark-reconcile/page.token";
/// Characters of a token.
inline constexpr std::size_t kLeastTokenBytes = 16;
inline constexpr std::size_t kMostTokenBytes = 256;

/// The command that makes a token and puts it where root and spark-web alone read it.
std::string token_command(std::string_view path);

/// The token in the text of its file: the one line, without its end.
std::string_view token_in(std::string_view text);

/// Why that text of a file is no token, in words that hold nothing of it: "line 1, column 7: a
/// blank, where …". Empty: it is one.
std::string why_no_token(std::string_view text);

/// Whether a text has the form of a token.
bool is_token(std::string_view text);

}  // namespace spark
