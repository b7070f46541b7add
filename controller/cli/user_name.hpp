#pragma once

#include <string>

namespace spark {

/// Who asks: behind sudo, the one who called that.
std::string user_name();

}  // namespace spark
