#include "helpers/git/fetch.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/text.hpp"
#include "helpers/git/git_environment.hpp"
#include "helpers/git/git_errors.hpp"
#include "helpers/git/host_keys.hpp"
#include "helpers/git/refs.hpp"
#include "helpers/git/settings.hpp"
#include "host/process/child.hpp"
#include "host/process/own_file.hpp"

namespace spark::helpers {
namespace {

namespace fs = std::filesystem;

/// For a first fetch by a slow line; a server that hangs is given up then.
constexpr std::chrono::seconds kPatience{100};
constexpr std::chrono::seconds kQuick{20};
constexpr std::uintmax_t kLargestStore = std::uintmax_t{1024} * 1024 * 1024;
/// Each fetch with something new adds one. Then all of it is fetched again, into one.
constexpr std::size_t kMostPacks = 200;
constexpr const char* kOffered = "refs/offer/";
constexpr const char* kHead = "refs/offer/head";
constexpr const char* kTags = "refs/offer/tags/";

/// What git is told in a file: children of git read it too, which do not see `-c`.
std::string git_config(const config::SourceSpec& settings) {
  std::string text =
      "[core]\n"
      "  hooksPath = /dev/null\n"
      "  fsmonitor = false\n"
      "  symlinks = false\n"
      "  bigFileThreshold = 1m\n"  // larger ones are hashed as they come, and take no memory
      "[protocol]\n"
      "  allow = never\n"
      "[protocol \"https\"]\n"
      "  allow = always\n"
      "[protocol \"ssh\"]\n"
      "  allow = always\n"
      "[protocol \"file\"]\n"
      "  allow = always\n"
      "[http]\n"
      "  followRedirects = false\n"
      "  lowSpeedLimit = 1000\n"
      "  lowSpeedTime = 30\n"
      "[credential]\n"
      "  helper =\n"
      "[transfer]\n"
      "  fsckObjects = true\n"
      "  bundleURI = false\n"
      "[fetch]\n"
      "  unpackLimit = 1\n"
      "  recurseSubmodules = false\n"
      "  writeCommitGraph = false\n"
      "[gc]\n"
      "  auto = 0\n"
      "[maintenance]\n"
      "  auto = false\n"
      "[safe]\n"
      "  directory = *\n"  // file://: the repository is another user's
      "[ssh]\n"
      "  variant = ssh\n"
      "[gpg]\n"
      "  program = /bin/false\n";
  // The other two are off: nothing but what was asked for may carry a fetch.
  const auto& url = settings.url.value;
  for (const std::string_view other : {"https", "ssh", "file"}) {
    if (!url.starts_with(other)) {
      text += fmt::format("[protocol \"{}\"]\n  allow = never\n", other);
    }
  }
  // A form of the language has seen to it that none of the two has a quote or a backslash.
  if (settings.ca) text += fmt::format("[http]\n  sslCAInfo = \"{}\"\n", settings.ca->value);
  if (settings.proxy) text += fmt::format("[http]\n  proxy = \"{}\"\n", settings.proxy->value);
  return text;
}

class Fetch {
 public:
  Fetch(const config::SourceSpec& settings, const FetchPlace& place)
      : settings_(settings),
        place_(place),
        repository_(place.own + "/repository"),
        config_(place.scratch + "/gitconfig") {}

  OrFault<protocol::Offer> run() {
    auto fetched = prepare_and_fetch();
    if (!fetched && !is_whole()) {
      // As after a power cut: all of it is fetched again.
      remove_store();
      fetched = prepare_and_fetch();
    }
    if (!fetched) {
      // Nothing of it stays: what is corrupt would be taken for what is there already.
      const auto id = fetched.error().id;
      if (id == GitId::kCorrupt || id == GitId::kTooLarge) remove_store();
      tidy_store();
      return std::unexpected(fetched.error());
    }
    // Most fetches bring nothing, and leave all as it was looked through before.
    if (packs_time() != packs_time_ && tidy_store().bytes > kLargestStore) {
      remove_store();
      return found(GitId::kTooLarge,
                   fmt::format("{} has more than 1 GiB", in_quotes(settings_.url.value)));
    }
    return offer();
  }

 private:
  OrFault<> prepare_and_fetch() {
    if (auto prepared = prepare(); !prepared) return prepared;
    return fetch_all();
  }

  /// Whether git finds what the store refers to. git syncs packs, and neither references nor the
  /// files of a new repository: after a power cut these may be empty, or name what is not there.
  bool is_whole() {
    const auto listed =
        git({"-C", repository_, "for-each-ref", "--format=%(objecttype)", kOffered}, kQuick);
    return listed && listed->err.empty();
  }

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
    const auto contents = tidy_store();
    if (is_of_another() || contents.packs > kMostPacks) remove_store();
    packs_time_ = packs_time();
    if (fs::exists(repository_ + "/HEAD", error)) return {};
    const auto made = git({"init", "--quiet", "--bare", "--template=", repository_}, kQuick);
    if (!made) return std::unexpected(made.error());
    auto noted = host::replace_file(repository_ + "/of", settings_.url.value);
    if (!noted) return found(GitId::kSettings, noted.error());
    return {};
  }

  /// Most polls find what the one before wrote.
  static Result<> write_scratch(const std::string& path, const std::string& text) {
    const auto before = host::read_plain(path, text.size());
    return before && *before == text ? Result<>{} : host::replace_file(path, text);
  }

  /// The store is of another URL, or was never finished.
  bool is_of_another() {
    const auto of = host::read_plain(repository_ + "/of", 4096);
    return !of || !*of || **of != settings_.url.value;
  }

  OrFault<> fetch_all() {
    // A bundle on a stick is a file, which git wants without a scheme.
    const auto& url = settings_.url.value;
    const bool is_bundle = url.starts_with("file://") && url.ends_with(".bundle");
    std::vector<std::string> words{"-C",
                                   repository_,
                                   "fetch",
                                   "--quiet",
                                   "--no-tags",
                                   "--no-write-fetch-head",
                                   "--no-recurse-submodules",
                                   "--prune",
                                   "--no-auto-maintenance",
                                   "--no-show-forced-updates"};
    // A larger file is refused anyway: a server that can leave it out does.
    if (!is_bundle) {
      words.push_back(fmt::format("--filter=blob:limit={}", protocol::kLargestFollowed + 1));
    }
    words.push_back(is_bundle ? url.substr(std::string_view("file://").size()) : url);
    words.push_back(fmt::format("+refs/heads/{}:{}", settings_.branch.value, kHead));
    if (settings_.verify.value == config::Verify::kTag) {
      words.push_back(fmt::format("+refs/tags/{0}:{1}{0}", settings_.tag.value, kTags));
    }
    const auto fetched = git(std::move(words), kPatience);
    if (!fetched) return std::unexpected(fetched.error());
    return {};
  }

  OrFault<protocol::Offer> offer() {
    protocol::Offer offer{.url = settings_.url.value,
                          .branch = settings_.branch.value,
                          .head = {},
                          .tags = {},
                          .fault = {}};
    for (auto& [name, id] : read_refs(repository_, kOffered, protocol::kMostTags + 1)) {
      if (name == kHead) {
        offer.head = id;
      } else if (name.starts_with(kTags)) {
        offer.tags.push_back({name.substr(std::string_view(kTags).size()), id});
      }
    }
    if (offer.tags.size() > protocol::kMostTags) {
      remove_store();
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
                                 std::chrono::milliseconds deadline) {
    auto environment = git_environment(config_);
    environment.push_back("GIT_SSH=" + place_.program);
    environment.push_back("GIT_SSH_VARIANT=ssh");
    environment.push_back(fmt::format("{}={}", kAsSsh, place_.scratch));
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

  struct Contents {
    std::uintmax_t bytes = 0;
    std::size_t packs = 0;
  };

  /// Removes what a git that was killed leaves: half a pack, its mark that it is in use, and locks
  /// that would stop every other git. Returns what is there then.
  Contents tidy_store() {
    Contents contents;
    std::vector<fs::path> unfinished;
    std::error_code error;
    for (fs::recursive_directory_iterator at(repository_, error), end; !error && at != end;
         at.increment(error)) {
      std::error_code passed;
      if (!at->is_regular_file(passed)) continue;
      const auto name = at->path().filename().string();
      if (name.starts_with("tmp_") || name.ends_with(".lock") || name.ends_with(".keep")) {
        unfinished.push_back(at->path());
        continue;
      }
      const auto size = at->file_size(passed);
      contents.bytes += passed ? 0 : size;
      contents.packs += name.ends_with(".pack") ? 1 : 0;
    }
    for (const auto& path : unfinished) {
      std::error_code passed;
      fs::remove(path, passed);
    }
    return contents;
  }

  /// When a pack came or went last; zero: there are none.
  fs::file_time_type packs_time() const {
    std::error_code error;
    const auto time = fs::last_write_time(repository_ + "/objects/pack", error);
    return error ? fs::file_time_type{} : time;
  }

  void remove_store() {
    std::error_code passed;
    fs::remove_all(repository_, passed);
  }

  const config::SourceSpec& settings_;
  const FetchPlace& place_;
  std::string repository_;
  std::string config_;
  fs::file_time_type packs_time_;  ///< before this fetch
};

protocol::SourceFault fault_of(const Fault& fault) {
  return {.id = protocol::text_of(fault.id),
          .what = printable(fault.what, 1000),
          .commit = {},
          .since = {}};
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
                      const protocol::Offer& former) {
  auto offer = Fetch(settings, place).run();
  if (offer) return std::move(*offer);
  const bool is_same = former.url == settings.url.value && former.branch == settings.branch.value;
  protocol::Offer failed = is_same ? former : protocol::Offer{};
  failed.url = settings.url.value;
  failed.branch = settings.branch.value;
  failed.fault = fault_of(offer.error());
  return failed;
}

}  // namespace spark::helpers
