#include "daemon/moment.hpp"

#include <ctime>

namespace spark {

Moment now() {
  timespec boot{};
  clock_gettime(CLOCK_BOOTTIME, &boot);  // cannot fail: the clock exists since Linux 2.6.39
  return {std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()),
          std::chrono::floor<std::chrono::milliseconds>(std::chrono::seconds(boot.tv_sec) +
                                                        std::chrono::nanoseconds(boot.tv_nsec))};
}

}  // namespace spark
