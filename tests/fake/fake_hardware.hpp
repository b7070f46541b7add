#pragma once
// FakeHardware: what a test says of PCIe, speed and heat.

#include "host/hardware.hpp"

namespace spark::test {

class FakeHardware : public host::Hardware {
 public:
  Result<host::HardwareFacts> look() override { return facts_; }

  host::HardwareFacts& facts() { return facts_; }

 private:
  host::HardwareFacts facts_;
};

}  // namespace spark::test
