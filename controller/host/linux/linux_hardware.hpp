#pragma once
// LinuxHardware: the Hardware port, from sysfs, procfs and ethtool's ioctl.

#include "host/hardware.hpp"

namespace spark::host {

class LinuxHardware : public Hardware {
 public:
  /// `root` stands before /sys, /proc and /etc: "" on a real machine.
  explicit LinuxHardware(std::string root = "") : root_(std::move(root)) {}

  Result<HardwareFacts> look() override;

 private:
  std::string root_;
};

}  // namespace spark::host
