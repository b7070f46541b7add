#include "helpers/peers/own_probe.hpp"

#include <string_view>

#include <net/if.h>

#include "host/process/helper_program.hpp"

namespace spark::helpers {
namespace {

using Words = std::vector<std::string>;

Result<Words> words_for(std::string_view task, const protocol::RailRoute& route,
                        std::chrono::milliseconds time) {
  const auto program = host::find_helper(host::Helper::kVerbsProbe);
  if (!program) return std::unexpected(program.error());
  return Words{*program,
               std::string(task),
               route.device,
               std::to_string(route.port),
               std::to_string(if_nametoindex(route.link.c_str())),
               route.local.text(),
               std::to_string(time.count())};
}

}  // namespace

std::chrono::seconds bench_time(const protocol::BenchAsk& ask) {
  return kBesideBench + std::chrono::seconds(ask.seconds);
}

Result<Words> proof_words(const protocol::RailRoute& route) {
  return words_for("peer", route, kProofTime);
}

Result<Words> bench_words(const protocol::RailRoute& route, const protocol::BenchAsk& ask) {
  if (ask.operation == protocol::PeerOperation::kVerify) return proof_words(route);
  auto words = words_for("bench", route, bench_time(ask));
  if (words) {
    words->emplace_back(protocol::kPeerOperations.at(static_cast<std::size_t>(ask.operation)));
    words->push_back(std::to_string(ask.seconds));
    words->push_back(std::to_string(ask.queue_pairs));
  }
  return words;
}

}  // namespace spark::helpers
