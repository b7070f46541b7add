#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "host/view.hpp"

// Facts that are accepted are written and read again without change.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto view = spark::host::View::from_json(std::string(data, data + size));
  if (view) {
    const auto text = view->to_json();
    const auto again = spark::host::View::from_json(text);
    if (!again || again->to_json() != text) {
      std::abort();
    }
  }
  return 0;
}
