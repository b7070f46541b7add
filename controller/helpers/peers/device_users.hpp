#pragma once
// Who uses an RDMA device: beside a job nothing is measured unless somebody asks for that.

#include <string>

namespace spark::helpers {

/// "python3 (pid 4711) of alice uses rocep1s0f0"; "who uses rocep1s0f0 cannot be read: …". Empty:
/// nobody but probes of this program.
std::string users_text(const std::string& device);

}  // namespace spark::helpers
