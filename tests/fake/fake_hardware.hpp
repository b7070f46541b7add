#pragma once
// FakeHardware: what a test says of PCIe, speed and heat.

#include "host/hardware.hpp"

namespace spark {

class FakeHardware : public Hardware {
 public:
  Result<HardwareFacts> look() override { return facts_; }

  HardwareFacts& facts() { return facts_; }

 private:
  HardwareFacts facts_;
};

}  // namespace spark
