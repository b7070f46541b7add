#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "helpers/peers/frames.hpp"
#include "helpers/peers/gathering.hpp"

namespace {

void expect_plain(std::string_view text) {
  if (!std::ranges::all_of(text, spark::is_ascii_print)) std::abort();
}

}  // namespace

// What a stranger on the cable sends before any file names the nodes: a frame. What is taken shows
// itself on any terminal, and fits into a frame again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto frame = spark::helpers::decode_discover(bytes);
  if (!frame) return 0;
  if (frame->record) {
    expect_plain(frame->record->node);
    expect_plain(frame->record->lan);
    for (const auto& cage : frame->record->cages) {
      for (const auto& end : cage.hears) expect_plain(end.node);
    }
  }
  const auto again = spark::helpers::encode_discover(*frame);
  if (!again.empty() && spark::helpers::decode_discover(again) != frame) std::abort();
  spark::helpers::Gathering gathering({.node = "spark1",
                                       .run = "0123456789abcdef",
                                       .commitment = std::string(64, 'c'),
                                       .is_founder = false,
                                       .own_file = {},
                                       .lan = {},
                                       .subnets = {},
                                       .links = {{.name = "enp1s0f0np0", .index = 2, .cage = 0}}});
  gathering.take(0, *frame, std::chrono::seconds(1));
  static_cast<void>(gathering.new_file(std::chrono::seconds(1)));
  for (const auto& sent : gathering.next_round(std::chrono::seconds(1))) {
    static_cast<void>(spark::helpers::encode_discover(sent));
  }
  return 0;
}
