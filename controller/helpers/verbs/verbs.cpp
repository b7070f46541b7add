#include "helpers/verbs/verbs.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace spark::helpers {

OpenedDevice open_device(const std::string& name) {
  int count = 0;
  const DeviceList list(ibv_get_device_list(&count));
  if (!list) {
    return {Context(), "ibv_get_device_list", errno};
  }
  const std::span devices(list.get(), static_cast<std::size_t>(count));
  const auto found = std::ranges::find_if(
      devices, [&](ibv_device* device) { return name == ibv_get_device_name(device); });
  if (found == devices.end()) {
    return {Context(), "ibv_get_device_list", ENODEV};
  }
  Context context(ibv_open_device(*found));
  const int error = context ? 0 : errno;
  return {std::move(context), error == 0 ? "" : "ibv_open_device", error};
}

}  // namespace spark::helpers
