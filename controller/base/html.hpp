#pragma once
// html: makes text from anywhere safe for a page.

#include <string>
#include <string_view>

namespace spark {

/// The text as content of an element or a quoted attribute: markup escaped, and what is hidden or
/// no UTF-8 shown as an escape. Cut after `limit` code points, with "...".
std::string html(std::string_view text, std::size_t limit = 400);

/// A sentence of ours, in which `commands` stand between backticks.
std::string prose(std::string_view text);

}  // namespace spark
