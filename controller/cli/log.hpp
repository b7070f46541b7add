#pragma once
// What -v tells on stderr. The only user of the logging library is log.cpp.

#include <string_view>

namespace spark {

/// 0: nothing; 1: what is done; 2 and more: in detail.
void set_verbosity(int verbosity);
void log_info(std::string_view text);
void log_debug(std::string_view text);

}  // namespace spark
