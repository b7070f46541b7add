#include "helpers/git/fetch.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/moment.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "helpers/git/host_keys.hpp"
#include "helpers/git/settings.hpp"
#include "helpers/git/store.hpp"
#include "host/process/child.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::helpers {
namespace {

namespace fs = std::filesystem;

/// For a first fetch by a slow line; a server that hangs is given up then.
constexpr std::chrono::seconds kPatience{100};
constexpr std::chrono::seconds kQuick{20};
/// For all that one run asks of git: the unit ends it a little later.
constexpr std::chrono::seconds kWholePatience{140};
constexpr std::uintmax_t kLargestStore = std::uintmax_t{1024} * 1024 * 1024;
/// Each fetch with something new adds one. Then all of it is fetched again, into one.
constexpr std::size_t kMostPacks = 200;
constexpr const char* kOffered = "refs/offer/";
constexpr const char* kHead = "refs/offer/head";
constexpr const char* kTags = "refs/offer/tags/";

class Fetch {
 public:
  Fetch(const config::SourceSpec& settings, const FetchPlace& place)
      : settings_(settings),
        place_(place),
        store_(place.own + "/repository"),
        fresh_(store_ + ".new"),
        config_(place.scratch + "/gitconfig"),
        end_(std::chrono::steady_clock::now() + kWholePatience) {}

  /// Comes before the others.
  OrFault<> prepare() {
    auto written = write_scratch(config_, git_config(settings_));
    std::string known_hosts;
    for (const auto& key : settings_.host_keys) {
      known_hosts += fmt::format("source {}\n", key.value);
    }
    if (written) written = write_scratch(place_.scratch + "/known_hosts", known_hosts);
    std::error_code error;
    fs::remove(place_.scratch + "/key", error);  // of a run that had one
    if (written && !place_.key.empty()) {
      // ssh refuses a key that others may read, where it is its own user's.
      written = host::replace_file(place_.scratch + "/key", place_.key, S_IRUSR);
    }
    if (!written) return found(GitId::kSettings, written.error());
    return {};
  }

  /// What the server shows as the references that are followed, as a digest.
  OrFault<std::string> references() {
    std::vector<std::string> words{"ls-remote", "--quiet", remote(),
                                   "refs/heads/" + settings_.branch.value};
    if (follows_tags()) words.push_back("refs/tags/" + settings_.tag.value);
    const auto shown = git(std::move(words), kQuick);
    if (!shown) return std::unexpected(shown.error());
    return sha256_of(shown->out);
  }

  OrFault<protocol::Offer> run() {
    discard(fresh_);  // of a run that was killed
    const auto before = tidy_store(store_);
    const bool is_of_it = url_of_store(store_) == settings_.url.value;
    if (!is_of_it || before.packs.size() > kMostPacks) return fetch_afresh();
    auto offer = fetch_into(store_);
    if (offer) return offer;
    const auto id = offer.error().id;
    if (id == GitId::kCorrupt || id == GitId::kTooLarge) keep_packs(store_, before.packs);
    if (id == GitId::kTooManyTags) discard(store_ + "/" + kTags);
    if (id == GitId::kTooLarge) {
      // What a rewritten branch left may be most of it: the next fetch is of all. Where it cannot
      // be noted, it is on top of this one.
      static_cast<void>(note_url_of_store(store_, ""));
      return offer;
    }
    // As after a power cut: all of it is fetched again.
    return id == GitId::kCorrupt || !is_whole() ? fetch_afresh() : offer;
  }

 private:
  /// All of it, into a store beside the one that is there, which stays where that fails: the
  /// judging program reads it.
  OrFault<protocol::Offer> fetch_afresh() {
    auto offer = fetch_into_new();
    discard(fresh_);  // the former one, where that went well
    return offer;
  }

  OrFault<protocol::Offer> fetch_into_new() {
    if (auto made = make_store(); !made) return std::unexpected(made.error());
    auto offer = fetch_into(fresh_);
    if (!offer) return offer;
    const auto placed = replace_store(store_, fresh_);
    if (!placed) return found(GitId::kSettings, placed.error());
    return offer;
  }

  OrFault<> make_store() {
    const auto made = git({"init", "--quiet", "--bare", "--template=", fresh_}, kQuick);
    if (!made) return std::unexpected(made.error());
    auto noted = note_url_of_store(fresh_, settings_.url.value);
    if (!noted) return found(GitId::kSettings, noted.error());
    return {};
  }

  /// Errors: also kTooLarge and kTooManyTags of what is there then.
  OrFault<protocol::Offer> fetch_into(const std::string& store) {
    const auto before = packs_time(store);
    if (auto fetched = fetch_all(store); !fetched) return std::unexpected(fetched.error());
    // Most fetches bring nothing, and leave all as it was looked through before.
    if (packs_time(store) != before && tidy_store(store).bytes > kLargestStore) {
      return found(GitId::kTooLarge,
                   fmt::format("{} has more than 1 GiB", in_quotes(settings_.url.value)));
    }
    return offer(store);
  }

  /// Whether git finds what the store refers to. git syncs packs, and neither references nor the
  /// files of a new repository: after a power cut these may be empty, or name what is not there.
  bool is_whole() {
    const auto listed =
        git({"--git-dir=" + store_, "for-each-ref", "--format=%(objecttype)", kOffered}, kQuick);
    return listed && listed->err.empty();
  }

  /// Most polls find what the one before wrote.
  static Result<> write_scratch(const std::string& path, const std::string& text) {
    const auto before = host::read_plain(path, text.size());
    return before && *before == text ? Result<>{} : host::replace_file(path, text);
  }

  [[nodiscard]] bool follows_tags() const { return settings_.verify.value == config::Verify::kTag; }
  [[nodiscard]] bool is_bundle() const {
    const auto& url = settings_.url.value;
    return url.starts_with("file://") && url.ends_with(".bundle");
  }
  /// A bundle on a stick is a file, which git wants without a scheme.
  [[nodiscard]] std::string remote() const {
    const auto& url = settings_.url.value;
    return is_bundle() ? url.substr(std::string_view("file://").size()) : url;
  }

  OrFault<> fetch_all(const std::string& store) {
    std::vector<std::string> words{"--git-dir=" + store,
                                   "fetch",
                                   "--quiet",
                                   "--no-tags",
                                   "--no-write-fetch-head",
                                   "--no-recurse-submodules",
                                   "--prune",
                                   "--no-auto-maintenance",
                                   "--no-show-forced-updates"};
    // A larger file is refused anyway: a server that can leave it out does.
    if (!is_bundle()) {
      words.push_back(fmt::format("--filter=blob:limit={}", protocol::kLargestFollowed + 1));
    }
    words.push_back(remote());
    words.push_back(fmt::format("+refs/heads/{}:{}", settings_.branch.value, kHead));
    if (follows_tags()) {
      words.push_back(fmt::format("+refs/tags/{0}:{1}{0}", settings_.tag.value, kTags));
    }
    const auto fetched = git(std::move(words), kPatience);
    if (!fetched) return std::unexpected(fetched.error());
    return {};
  }

  OrFault<protocol::Offer> offer(const std::string& store) {
    protocol::Offer offer{
        .url = settings_.url.value, .branch = settings_.branch.value, .fault = {}};
    for (auto& [name, id] : read_refs(store, kOffered, protocol::kMostTags + 1)) {
      if (name == kHead) {
        offer.head = id;
      } else if (name.starts_with(kTags)) {
        offer.tags.push_back({name.substr(std::string_view(kTags).size()), id});
      }
    }
    if (offer.tags.size() > protocol::kMostTags) {
      return found(GitId::kTooManyTags, fmt::format("more than {} tags match '{}'",
                                                    protocol::kMostTags, settings_.tag.value));
    }
    if (offer.head.empty()) {
      return found(GitId::kNoBranch,
                   fmt::format("there is no branch '{}'", settings_.branch.value));
    }
    return offer;
  }

  /// Errors: by its words.
  OrFault<host::ChildOutput> git(std::vector<std::string> words,
                                 std::chrono::milliseconds patience) {
    auto environment = git_environment(config_);
    environment.push_back("GIT_SSH=" + place_.program);
    environment.push_back("GIT_SSH_VARIANT=ssh");
    environment.push_back(fmt::format("{}={}", kAsSsh, place_.scratch));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end_ - std::chrono::steady_clock::now());
    const auto deadline =
        std::clamp<std::chrono::milliseconds>(left, std::chrono::seconds(1), patience);
    auto output =
        host::run_child(git_words(std::move(words)), deadline,
                        {.environment = std::move(environment), .most_memory = kMostMemory});
    if (!output && output.error().code == ErrorCode::kTimeout) {
      return found(GitId::kTooSlow,
                   fmt::format("{} did not finish within {} s", in_quotes(settings_.url.value),
                               deadline.count() / 1000));
    }
    if (!output) return found(GitId::kUnreachable, output.error());
    if (output->status != 0) {
      return std::unexpected(fault_of_fetch(output->err, settings_.url.value));
    }
    return std::move(*output);
  }

  const config::SourceSpec& settings_;
  const FetchPlace& place_;
  std::string store_;
  std::string fresh_;  ///< a store until it is whole
  std::string config_;
  std::chrono::steady_clock::time_point end_;
};

protocol::SourceFault fault_of(const Fault& fault) {
  return {.id = protocol::text_of(fault.id), .what = printable(fault.what, 1000)};
}

}  // namespace

protocol::Offer offer_host_keys(const config::SourceSpec& settings) {
  protocol::Offer offer{.url = settings.url.value, .branch = settings.branch.value};
  if (auto keys = ask_for_host_keys(settings.url.value)) {
    offer.host_keys = std::move(*keys);
  } else {
    offer.fault = fault_of(keys.error());
  }
  return offer;
}

protocol::Offer fetch(const config::SourceSpec& settings, const FetchPlace& place,
                      const protocol::Offer& former, WallTime asked) {
  const bool is_same = former.url == settings.url.value && former.branch == settings.branch.value;
  protocol::Offer next = is_same ? former : protocol::Offer{};
  next.url = settings.url.value;
  next.branch = settings.branch.value;
  const auto with_fault = [&](const Fault& fault) {
    next.fault = fault_of(fault);
    return next;
  };
  Fetch fetch(settings, place);
  if (auto prepared = fetch.prepare(); !prepared) return with_fault(prepared.error());
  std::string references;
  if (next.fault) {
    auto shown = fetch.references();
    if (!shown) return with_fault(shown.error());
    if (is_put_off(next.retry, *shown, asked, now().wall)) return next;
    references = std::move(*shown);
  }
  auto offer = fetch.run();
  if (offer) return std::move(*offer);
  if (!references.empty()) {
    next.retry = retry_after(next.retry, std::move(references), settings.every.value, now().wall);
  }
  return with_fault(offer.error());
}

}  // namespace spark::helpers
