#include "base/moment.hpp"

#include <array>
#include <ctime>

namespace spark {

std::string utc_text(std::chrono::sys_time<std::chrono::milliseconds> wall) {
  // system_clock::to_time_t() counts nanoseconds, which end in 2262; a peer may name any time.
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, sizeof "-2147483648-01-31T09:30:00Z"> text{};
  const auto size = std::strftime(text.data(), text.size(), "%FT%TZ", &parts);
  return {text.data(), size};
}

std::optional<std::chrono::sys_time<std::chrono::milliseconds>> wall_from_utc(
    const std::string& text) {
  std::tm parts{};
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::seconds(timegm(&parts)));
}

Moment now() {
  timespec boot{};
  clock_gettime(CLOCK_BOOTTIME, &boot);  // cannot fail: the clock exists since Linux 2.6.39
  return {std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()),
          std::chrono::floor<std::chrono::milliseconds>(std::chrono::seconds(boot.tv_sec) +
                                                        std::chrono::nanoseconds(boot.tv_nsec))};
}

}  // namespace spark
