#pragma once
// Pairing: what the nodes of an offer have opened and consented to. Pure, and it takes whatever
// anybody sends: what counts fits a commitment of the offer, or is signed by a key that does.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/discover/discovered_file.hpp"
#include "protocol/discover.hpp"
#include "signing/node_key.hpp"

namespace spark::cli {

// Four words for people to compare: they are the same where all have the same file, for the same
// nodes, each with the same key.

/// The proquint of 16 bits (D. S. Wilkerson, "A Proposal for Proquints", 2009): 0x7F00 is "lusab".
std::string proquint(std::uint16_t bits);

/// The first 64 bits of a transcript (protocol::transcript_of()): "lusab babad gutih tugad". All of
/// it was fixed by commitments before anybody knew any of it: who is in between guesses once in a
/// run, with a chance of 2^-64.
std::string four_words(std::string_view transcript);

/// Both are the same words; blanks, dashes and capitals do not count.
bool are_same_words(std::string_view a, std::string_view b);

/// What this node has to open.
struct OwnOpening {
  std::string node;
  signing::NodeKey key;
  protocol::Opening opening;

  /// A nonce of this run, and the node's key, which is made where there is none.
  static Result<OwnOpening> make(host::Files& files, const std::string& node,
                                 const std::string& run);
};

class Pairing {
 public:
  /// `offer`: the text of a DiscoverOffer, from anybody; `founder`: the run that makes it.
  /// Errors: kInvalid: it is none, or none of that run for this run of this node.
  static Result<Pairing> begin(const std::string& offer, const std::string& founder,
                               const OwnOpening& own);

  /// May be called with the same again.
  void take(const protocol::DiscoverSeen& seen);

  [[nodiscard]] const std::string& file() const { return offer_.text; }
  /// SHA-256 of the offer: what the records of nodes name that have it.
  [[nodiscard]] const std::string& digest() const { return digest_; }
  [[nodiscard]] std::vector<std::string> others() const;
  /// The name of the node that makes the offer.
  [[nodiscard]] const std::string& founder() const { return founder_; }

  /// Every node has opened its commitment: the words are certain.
  [[nodiscard]] bool is_open() const { return openings_.size() == offer_.nodes.size(); }
  /// To be called once it is open.
  [[nodiscard]] std::string words() const;
  [[nodiscard]] std::vector<TrustedKey> keys_of_others() const;
  /// What a consent is to; empty: it is not open.
  [[nodiscard]] std::string transcript() const;
  [[nodiscard]] protocol::Consent consent(const OwnOpening& own) const;

  /// The others that have not consented yet.
  [[nodiscard]] std::vector<std::string> awaited() const;
  /// One of them that has ended, or falls silent; empty: none has.
  [[nodiscard]] std::string gone(const std::vector<protocol::NodeRecord>& nodes) const;
  /// One that refuses this offer; empty: none does.
  [[nodiscard]] std::string refused_by() const { return refused_by_; }

 private:
  Pairing() = default;
  void take_opening(const protocol::Opening& opening);
  void take_consent(const protocol::Consent& consent);

  protocol::DiscoverOffer offer_;
  std::string text_;  ///< of the offer, as it was passed on
  std::string digest_;
  std::string own_run_;
  std::string founder_;
  std::map<std::string, protocol::Opening> openings_;  ///< by run
  std::set<std::string> consented_;                    ///< runs
  std::string refused_by_;
};

}  // namespace spark::cli
