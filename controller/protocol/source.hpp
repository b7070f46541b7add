#pragma once
// What the two programs that follow a git repository leave for each other and for the daemon:
// spark-git-fetch an Offer, spark-git-judge a Judgement with the file that was accepted.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace spark::protocol {

/// spark-git-fetch's own: `repository` and kOfferName. The fetching user alone writes there.
inline constexpr const char* kFetchDirectory = "/var/lib/spark-reconcile-fetch";
inline constexpr const char* kOfferName = "/offer.json";
inline constexpr const char* kJudgementName = "/judgement.json";
/// Written by who wants a fetch now that is put off.
inline constexpr const char* kFetchAskedFile = "/run/spark-reconcile/fetch-asked";
/// The users of the two units (sysusers.d).
inline constexpr const char* kFetchUser = "spark-fetch";
inline constexpr const char* kJudgeUser = "spark-judge";
inline constexpr const char* kFollowedName = "/cluster.yaml";
/// The accepted file, as the daemon and the verbs read it.
inline constexpr const char* kFollowedFile = "/var/lib/spark-reconcile-judge/cluster.yaml";
inline constexpr const char* kJudgementFile = "/var/lib/spark-reconcile-judge/judgement.json";
/// More tags are refused.
inline constexpr std::size_t kMostTags = 500;
/// Of each document that the two programs leave.
inline constexpr std::size_t kMostRecordBytes = std::size_t{1024} * 1024;
/// A larger file is refused.
inline constexpr std::size_t kLargestFollowed = std::size_t{256} * 1024;

inline constexpr std::string_view kOfferSchema = "spark-reconcile/offer/v1";
inline constexpr std::string_view kJudgementSchema = "spark-reconcile/judgement/v1";

/// Why nothing new is taken from the repository.
struct SourceFault {
  std::string id;      ///< SR-GIT-NNN
  std::string what;    ///< what is so; printable
  std::string commit;  ///< the commit that was judged; empty: none was
  std::string since;   ///< UTC; empty in an Offer, which says how the last fetch ended
  bool operator==(const SourceFault&) const = default;
};

template <EitherConst<SourceFault> T, class Visit>
void each_field(T& fault, Visit visit) {
  visit("id", fault.id);
  visit("what", fault.what);
  visit("commit", unless_empty(fault.commit));
  visit("since", unless_empty(fault.since));
}

struct OfferedTag {
  std::string name;  ///< of the ref, without refs/tags/
  std::string id;    ///< of the tag object, or of the commit of a lightweight tag
  bool operator==(const OfferedTag&) const = default;
};

template <EitherConst<OfferedTag> T, class Visit>
void each_field(T& tag, Visit visit) {
  visit("name", tag.name);
  visit("id", tag.id);
}

/// When a fetch that ended with a fault is made again, unless the server shows something else.
struct FetchRetry {
  std::string references;  ///< SHA-256 of what the server showed as its references
  std::chrono::sys_time<std::chrono::milliseconds> at;  ///< when the fetch ended
  std::chrono::milliseconds wait{};                     ///< so long after it nothing is fetched
  bool operator==(const FetchRetry&) const = default;
};

template <EitherConst<FetchRetry> T, class Visit>
void each_field(T& retry, Visit visit) {
  visit("references", retry.references);
  visit("at_ms", retry.at);
  visit("wait_ms", retry.wait);
}

/// What the repository has. Nothing in it is believed: it only says which objects to judge.
struct Offer {
  std::string url;
  std::string branch;
  std::string head;  ///< commit; empty: nothing was ever fetched
  std::vector<OfferedTag> tags;
  std::optional<SourceFault> fault;  ///< of the last fetch; `head` is that of the last good one
  std::optional<FetchRetry> retry;   ///< empty: the next fetch is made in any case
  /// Instead of all that: what a server of ssh shows as its keys, where none is pinned yet.
  std::vector<std::string> host_keys;
  bool operator==(const Offer&) const = default;
};

template <EitherConst<Offer> T, class Visit>
void each_field(T& offer, Visit visit) {
  visit("url", offer.url);
  visit("branch", offer.branch);
  visit("head", offer.head);
  visit("tags", offer.tags);
  visit("fault", unless_empty(offer.fault));
  visit("retry", unless_empty(offer.retry));
  visit("host_keys", unless_empty(offer.host_keys));
}

/// The commit whose file is taken, and why it counts.
struct AcceptedCommit {
  std::string commit;
  std::string digest;       ///< SHA-256 of the file
  std::string subject;      ///< first line of its message; printable
  std::int64_t time = 0;    ///< the committer's, seconds since 1970
  std::string principal;    ///< whose signature counts, by the signers' file; empty: verify: none
  std::string key;          ///< fingerprint of that key
  std::string tag;          ///< verify: tag: its name; else empty
  std::string tag_id;       ///< and its object
  std::string signed_text;  ///< the commit or the tag as it is signed, to be judged again
  std::string signature;    ///< armoured
  std::string at;           ///< UTC, when it was accepted
  bool operator==(const AcceptedCommit&) const = default;
};

template <EitherConst<AcceptedCommit> T, class Visit>
void each_field(T& accepted, Visit visit) {
  visit("commit", accepted.commit);
  visit("digest", accepted.digest);
  visit("subject", accepted.subject);
  visit("time", accepted.time);
  visit("principal", unless_empty(accepted.principal));
  visit("key", unless_empty(accepted.key));
  visit("tag", unless_empty(accepted.tag));
  visit("tag_id", unless_empty(accepted.tag_id));
  visit("signed_text", unless_empty(accepted.signed_text));
  visit("signature", unless_empty(accepted.signature));
  visit("at", accepted.at);
}

struct Judgement {
  std::string url;
  std::string branch;
  std::string path;  ///< as the settings had it when last something was judged to count
  std::string from;  ///< the same: the chain begins there
  std::optional<AcceptedCommit> accepted;
  std::optional<SourceFault> refused;  ///< what the repository has now is not taken
  std::optional<SourceFault> waits;    ///< it is judged again by itself, as when the clock is right
};

template <EitherConst<Judgement> T, class Visit>
void each_field(T& judgement, Visit visit) {
  visit("url", judgement.url);
  visit("branch", judgement.branch);
  visit("path", judgement.path);
  visit("from", unless_empty(judgement.from));
  visit("accepted", unless_empty(judgement.accepted));
  visit("refused", unless_empty(judgement.refused));
  visit("waits", unless_empty(judgement.waits));
}

}  // namespace spark::protocol
