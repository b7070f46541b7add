#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"

namespace spark {

/// Fills it from the kernel (getrandom(2)). std::random_device is not for more than a few bytes: it
/// asks the processor for each word (RDSEED), and a virtual machine took 23 us for one, so that the
/// 9000 bytes of an echo took 208 ms; the kernel gives them in 20 us.
/// Errors: kSystem.
Result<void> fill_random(std::span<std::uint8_t> bytes);

/// So many random bytes in hexadecimal digits. Errors: kSystem.
Result<std::string> random_hex(std::size_t bytes);

}  // namespace spark
