#include "helpers/git/judge.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "helpers/git/history_line.hpp"

namespace spark::helpers {
namespace {

constexpr std::size_t kLargestTag = std::size_t{256} * 1024;
constexpr std::size_t kLargestTree = std::size_t{4} * 1024 * 1024;
/// A clock that is set by hand is minutes off, and one without a battery years.
constexpr std::int64_t kAhead = std::int64_t{10} * 60;
constexpr std::int64_t kBehind = std::int64_t{24} * 60 * 60;
/// The end of 9999: ssh-keygen takes no longer year.
constexpr std::int64_t kLastTime = 253402300799;
constexpr std::size_t kShortId = 12;

std::string short_id(const std::string& id) { return id.substr(0, kShortId); }

/// The text of the plain file at `path` in the tree of a commit.
OrFault<std::string> read_file_at(ObjectReader& objects, const NamedCommit& commit,
                                  std::string_view path) {
  const auto of_commit = fmt::format("'{}' in commit {}", path, short_id(commit.id));
  std::string tree = commit.commit.tree;
  while (true) {
    const auto slash = path.find('/');
    const auto name = path.substr(0, slash);
    const auto content = objects.read(tree, "tree", kLargestTree);
    if (!content) return std::unexpected(content.error());
    const auto entry = find_entry(*content, name, tree);
    if (!entry) return std::unexpected(entry.error());
    if (!*entry) return found(GitId::kNoFile, fmt::format("there is no {}", of_commit));
    if (slash == std::string_view::npos) {
      if ((*entry)->mode != "100644") {
        return found(GitId::kNotAFile,
                     fmt::format("{} is no plain file (mode {})", of_commit, (*entry)->mode));
      }
      return objects.read((*entry)->id, "blob", protocol::kLargestFollowed, GitId::kFileTooLarge);
    }
    if ((*entry)->mode != "40000") {
      return found(GitId::kNotAFile,
                   fmt::format("'{}' on the way to {} is no directory", name, of_commit));
    }
    tree = (*entry)->id;
    path.remove_prefix(slash + 1);
  }
}

bool is_ahead(std::int64_t time, std::int64_t now) { return time > now + kAhead; }

std::unexpected<Fault> from_the_future(const std::string& id, std::int64_t time, std::int64_t now) {
  return found(GitId::kFromTheFuture,
               fmt::format("commit {} is dated {} minutes ahead of this machine's clock",
                           short_id(id), (time - now) / 60));
}

/// The key does not count today, and counts at the time of a commit that is dated ahead: on a
/// machine without a clock today is another day.
bool waits_for_clock(const Fault& fault, const Signers& signers, const Signed& is_signed,
                     const std::string& what, std::int64_t time, std::int64_t now) {
  return fault.id == GitId::kSignerOutOfTime && is_ahead(time, now) && time <= kLastTime &&
         signers.check(is_signed, what, time);
}

/// A name, or the beginning of one and '*'.
bool matches(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                : name == pattern;
}

class Judge {
 public:
  Judge(const JudgeInput& input, ObjectReader& objects)
      : input_(input), objects_(objects), base_(base_of(input)) {}

  OrFault<std::optional<Found>> run() {
    const bool by_tag = input_.settings.verify.value == config::Verify::kTag;
    auto line = read_line(objects_, input_.offer.head, base_,
                          by_tag ? WithoutBase::kToTheRoot : WithoutBase::kHeadAlone);
    if (!line) return std::unexpected(line.error());
    if (!base_.empty() && !line->has_base) return std::unexpected(why_not_descended());
    if (by_tag) return run_tag(*line);
    if (input_.offer.head == base_ && is_accepted(base_) && is_judged_alike()) return std::nullopt;
    return run_head(std::move(*line));
  }

 private:
  /// The chain continues from what was accepted, unless somebody set its beginning since.
  static std::string base_of(const JudgeInput& input) {
    const auto from = input.settings.from ? input.settings.from->value : "";
    return input.accepted && from == input.accepted_from ? input.accepted->commit : from;
  }

  [[nodiscard]] bool is_accepted(const std::string& id) const {
    return input_.accepted && input_.accepted->commit == id;
  }

  /// What was accepted would be accepted in the same way: only the signers may have changed.
  [[nodiscard]] bool is_judged_alike() const {
    return input_.accepted_path == input_.settings.path.value &&
           (input_.signers == nullptr || !input_.accepted->signature.empty());
  }

  /// A rewind where the branch's head is an ancestor of the base.
  Fault why_not_descended() {
    const auto back = read_line(objects_, base_, input_.offer.head);
    const auto head = short_id(input_.offer.head);
    const auto base = short_id(base_);
    if (back && back->has_base) {
      return {GitId::kRewound,
              fmt::format("the branch is at {}, which is older than {}, the commit "
                          "in force",
                          head, base)};
    }
    return {GitId::kForked, fmt::format("the branch is at {}, which does not descend from {}, the "
                                        "commit in force",
                                        head, base)};
  }

  OrFault<std::optional<Found>> run_head(HistoryLine line) {
    // The head is the base where the first commit of all is judged.
    if (line.first_parents.empty()) {
      auto commit = read_commit(objects_, base_);
      if (!commit) return std::unexpected(commit.error());
      line.first_parents.push_back({base_, std::move(*commit)});
    }
    if (input_.settings.verify.value == config::Verify::kRange && !base_.empty()) {
      if (!line.is_on_line) {
        return found(GitId::kForked,
                     fmt::format("{}, the commit in force, is not on the line of first parents of "
                                 "{}",
                                 short_id(base_), short_id(input_.offer.head)));
      }
      for (const auto& [id, commit] : line.first_parents) {
        const auto good = check(commit.is_signed, "commit " + short_id(id), {id, commit.time});
        if (!good) return std::unexpected(good.error());
      }
    }
    const auto& head = line.first_parents.front();
    const auto good =
        check(head.commit.is_signed, "commit " + short_id(head.id), {head.id, head.commit.time});
    if (!good) return std::unexpected(good.error());
    return take(head, head.commit.is_signed, *good);
  }

  /// Of all tags that count, that of the commit nearest to the head: the newest by descent. Dates
  /// say nothing.
  OrFault<std::optional<Found>> run_tag(const HistoryLine& line) {
    if (input_.offer.tags.size() > protocol::kMostTags) {
      return found(GitId::kTooManyTags, fmt::format("more than {} tags", protocol::kMostTags));
    }
    if (auto same = check_accepted_tag(); !same) return std::unexpected(same.error());
    // Below a base that is only a second parent lies what is older than it.
    if (!base_.empty() && !line.is_on_line) return std::unexpected(why_not_descended());
    auto line_with_base = line.first_parents;
    if (!base_.empty() && line.is_on_line) {
      auto commit = read_commit(objects_, base_);
      if (!commit) return std::unexpected(commit.error());
      line_with_base.push_back({base_, std::move(*commit)});
    }
    // What is wrong with a tag counts where none that is nearer to the head is good.
    std::optional<Fault> first_fault;
    std::vector<OfferedOn> tags;
    for (const auto& offered : input_.offer.tags) {
      // The fetch asked for these alone, but it proves nothing.
      if (!matches(input_.settings.tag.value, offered.name)) continue;
      auto tag = read_tag(offered);
      if (tag) {
        tags.push_back(std::move(*tag));
      } else if (!first_fault) {
        first_fault = tag.error();
      }
    }
    for (const auto& named : line_with_base) {
      const bool is_in_force = is_accepted(named.id) && is_judged_alike();
      for (const auto& [offered, commit, tag] : tags) {
        if (commit != named.id) continue;
        if (!tag) {
          if (!first_fault && !is_in_force) first_fault = tag.error();
          continue;
        }
        if (is_in_force) continue;
        auto good =
            check(tag->is_signed, "tag " + in_quotes(offered.name), {named.id, named.commit.time});
        if (!good) {
          if (!first_fault) first_fault = good.error();
          continue;
        }
        auto taken = take(named, tag->is_signed, *good);
        if (taken && *taken) {
          (*taken)->commit.tag = offered.name;
          (*taken)->commit.tag_id = offered.id;
        }
        return taken;
      }
    }
    if (first_fault) return std::unexpected(*first_fault);
    if (input_.accepted) return std::nullopt;  // no newer tag yet
    return found(GitId::kNoTag, fmt::format("no tag of the pattern '{}' is on the branch",
                                            input_.settings.tag.value));
  }

  OrFault<> check_accepted_tag() {
    if (!input_.accepted || input_.accepted->tag.empty()) return {};
    const auto& accepted = *input_.accepted;
    const auto now =
        std::ranges::find(input_.offer.tags, accepted.tag, &protocol::OfferedTag::name);
    if (now != input_.offer.tags.end() && now->id != accepted.tag_id) {
      return found(GitId::kTagMoved,
                   fmt::format("tag {} was object {} and is {}", in_quotes(accepted.tag),
                               short_id(accepted.tag_id), short_id(now->id)));
    }
    return {};
  }

  /// A tag that was offered, and the commit that it is on.
  struct OfferedOn {
    protocol::OfferedTag offered;
    std::string commit;
    OrFault<Tag> tag;  ///< what is wrong with it matters where the commit is newer
  };

  /// Errors: where its commit is not known.
  OrFault<OfferedOn> read_tag(const protocol::OfferedTag& offered) {
    const auto name = in_quotes(offered.name);
    const auto type = objects_.type_of(offered.id);
    if (!type) return std::unexpected(type.error());
    if (*type != "tag") {
      return OfferedOn{
          offered, offered.id,
          found(GitId::kUnsigned,
                fmt::format("tag {} is a lightweight one, which has no signature", name))};
    }
    const auto content = objects_.read(offered.id, "tag", kLargestTag);
    if (!content) return std::unexpected(content.error());
    auto tag = parse_tag(*content, offered.id);
    if (!tag) return std::unexpected(tag.error());
    auto commit = tag->commit;
    if (tag->name != offered.name) {
      return OfferedOn{offered, std::move(commit),
                       found(GitId::kTagNamedOtherwise, fmt::format("tag {} has the name {} inside",
                                                                    name, in_quotes(tag->name)))};
    }
    return OfferedOn{offered, std::move(commit), std::move(tag)};
  }

  struct Dated {
    std::string commit;
    std::int64_t time;
  };

  [[nodiscard]] OrFault<GoodSignature> check(const Signed& is_signed, const std::string& what,
                                             const Dated& dated) const {
    if (input_.signers == nullptr) return GoodSignature{};
    auto good = input_.signers->check(is_signed, what);
    if (!good &&
        waits_for_clock(good.error(), *input_.signers, is_signed, what, dated.time, input_.now)) {
      return from_the_future(dated.commit, dated.time, input_.now);
    }
    return good;
  }

  OrFault<std::optional<Found>> take(const NamedCommit& named, const Signed& is_signed,
                                     const GoodSignature& good) {
    const auto& [id, commit] = named;
    if (is_ahead(commit.time, input_.now)) return from_the_future(id, commit.time, input_.now);
    if (input_.accepted && base_ == input_.accepted->commit &&
        commit.time < input_.accepted->time - kBehind) {
      return found(
          GitId::kBackdated,
          fmt::format("commit {} is dated {} hours before {}, the commit in force", short_id(id),
                      (input_.accepted->time - commit.time) / 3600, short_id(base_)));
    }
    auto text = read_file_at(objects_, named, input_.settings.path.value);
    if (!text) return std::unexpected(text.error());
    Found taken{.commit = {.commit = id,
                           .digest = sha256_of(*text),
                           .subject = commit.subject,
                           .time = commit.time,
                           .principal = good.principal,
                           .key = good.key,
                           .tag = {}},
                .text = std::move(*text)};
    if (input_.signers != nullptr) {
      taken.commit.signed_text = is_signed.text;
      taken.commit.signature = is_signed.signature;
    }
    return taken;
  }

  const JudgeInput& input_;
  ObjectReader& objects_;
  std::string base_;
};

}  // namespace

OrFault<std::optional<Found>> judge(const JudgeInput& input, ObjectReader& objects) {
  return Judge(input, objects).run();
}

OrFault<> judge_again(const protocol::AcceptedCommit& accepted, const Signers& signers,
                      std::int64_t now) {
  const auto what = accepted.tag.empty() ? "commit " + short_id(accepted.commit)
                                         : "tag " + in_quotes(accepted.tag);
  const Signed is_signed{accepted.signed_text, accepted.signature};
  const auto good = signers.check(is_signed, what);
  if (good) return {};
  if (waits_for_clock(good.error(), signers, is_signed, what, accepted.time, now)) {
    return from_the_future(accepted.commit, accepted.time, now);
  }
  // What keeps the signers from being asked is no judgement.
  if (good.error().id == GitId::kSignersUnusable) return std::unexpected(good.error());
  return found(GitId::kNoLongerSigned,
               fmt::format("the commit in force counts no more: {}", good.error().what));
}

}  // namespace spark::helpers
