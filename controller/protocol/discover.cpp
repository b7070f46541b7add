#include "protocol/discover.hpp"

#include "base/sha256.hpp"

namespace spark::protocol {

// No name, number or base64 holds a line feed: each part has one place alone.

std::string commitment_of(const std::string& node, const Opening& opening) {
  return sha256_of("spark-reconcile/commitment/2\n" + node + "\n" + opening.run + "\n" +
                   opening.nonce + "\n" + opening.key + "\n");
}

std::string transcript_of(const std::string& offer, const std::vector<Opening>& openings) {
  std::string all = "spark-reconcile/join/2\n" + sha256_of(offer) + "\n";
  for (const auto& [run, nonce, key] : openings) {
    all += run + "\n" + nonce + "\n" + key + "\n";
  }
  return sha256_of(all);
}

std::string consent_text(const std::string& run, const std::string& transcript) {
  return "spark-reconcile/consent/2\n" + run + "\n" + transcript + "\n";
}

}  // namespace spark::protocol
