#pragma once
// KernelProbe: the Probe port, by spark-verbs-probe.

#include <string>

#include "host/probe.hpp"

namespace spark {

class KernelProbe : public Probe {
 public:
  Result<LoopbackReport> loopback(const LoopbackRequest& request) override;
};

/// Reads what spark-verbs-probe prints. Errors: kInvalid.
Result<LoopbackReport> parse_loopback_report(const std::string& text);

}  // namespace spark
