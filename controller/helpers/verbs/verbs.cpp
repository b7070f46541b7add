#include "helpers/verbs/verbs.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace spark::helpers {

std::unexpected<Failure> failed(std::string_view step, int error_number, std::string why) {
  return std::unexpected(
      Failure{std::string(step), error_number,
              why.empty() ? std::generic_category().message(error_number) : std::move(why)});
}

Attempt<Context> open_device(const std::string& name) {
  int count = 0;
  const DeviceList list(ibv_get_device_list(&count));
  if (!list) return failed("ibv_get_device_list", errno);
  const std::span devices(list.get(), static_cast<std::size_t>(count));
  const auto found = std::ranges::find_if(
      devices, [&](ibv_device* device) { return name == ibv_get_device_name(device); });
  if (found == devices.end()) return failed("ibv_get_device_list", ENODEV);
  Context context(ibv_open_device(*found));
  if (!context) return failed("ibv_open_device", errno);
  return context;
}

}  // namespace spark::helpers
