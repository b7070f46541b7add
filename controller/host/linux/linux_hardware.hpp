#pragma once
// KernelHardware: the Hardware port, from sysfs, procfs and ethtool's ioctl.

#include "host/hardware.hpp"

namespace spark {

class KernelHardware : public Hardware {
 public:
  /// `root` stands before /sys, /proc and /etc: "" on a real machine.
  explicit KernelHardware(std::string root = "") : root_(std::move(root)) {}

  Result<HardwareFacts> look() override;

 private:
  std::string root_;
};

}  // namespace spark
