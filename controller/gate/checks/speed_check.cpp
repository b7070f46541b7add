#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gate/checks/checks.hpp"

namespace spark::gate {
namespace {

constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kGiga = 1000 * kMega;

std::string text_of(std::uint64_t bits_per_second) {
  return bits_per_second % kGiga == 0 ? fmt::format("{} Gb/s", bits_per_second / kGiga)
                                      : fmt::format("{} Mb/s", bits_per_second / kMega);
}

/// What is at the other end decides it: a port of a switch can be set, a node's cannot be wrong.
std::string remedy_of(const GateSnapshot& snapshot, const std::string& link) {
  for (const auto& peer : snapshot.node.peers) {
    if (peer.link == link && !peer.segment.empty()) {
      return fmt::format("set the port of switch {} to that speed: autonegotiation may end lower",
                         peer.segment);
    }
  }
  return "look at the cable: it may be one of a lower speed; else correct `speed` in the file";
}

}  // namespace

void check_speed(RailObservation& look) {
  const auto& wanted = look.wanted.speed;
  const auto* hardware = look.snapshot.view.hardware_of(look.link->name);
  if (!wanted || hardware == nullptr || !hardware->speed) return;
  const auto speed = *hardware->speed * kMega;
  auto fact =
      speed >= wanted->value
          ? holds(kSpeedFact, text_of(speed))
          : fails(kSpeedFact, Verdict::kNotReady, Detail::kDiffers,
                  fmt::format("{}, the file says {}", text_of(speed), text_of(wanted->value)),
                  remedy_of(look.snapshot, look.link->name));
  fact.counts = look.snapshot.node.ready.peers.value == config::ReadyPolicy::kRequire;
  look.found.add(std::move(fact));
}

}  // namespace spark::gate
