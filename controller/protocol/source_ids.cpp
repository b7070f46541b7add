#include "protocol/source_ids.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::protocol {
namespace {

constexpr std::array kEntries{
    GitIdEntry{GitId::kUnreachable, "repository not reached",
               "The server does not answer, or has no such repository.",
               "See that this machine reaches it: the message has git's own words. It is tried "
               "again by itself."},
    GitIdEntry{GitId::kTooSlow, "repository too slow",
               "The server did not finish in time, or sends hardly anything.",
               "See what keeps it busy. It is tried again by itself."},
    GitIdEntry{GitId::kHostKey, "another host key",
               "The server shows another key than the one that was pinned: it was set up again, or "
               "somebody else answers.",
               "Compare the keys at the server itself. If the new one is right: 'spark-reconcile "
               "follow URL "
               "--host-key KEY' with the URL that is followed."},
    GitIdEntry{
        GitId::kCertificate, "certificate not trusted",
        "The server's certificate is not one that this machine trusts, or is out of date.",
        "Renew it, or name your own authority's file with 'ca'; see that the clock is right."},
    GitIdEntry{GitId::kRedirect, "redirected",
               "The server sends this machine to another address, which nobody chose here.",
               "If the repository moved, 'spark-reconcile follow' its new URL."},
    GitIdEntry{GitId::kTooLarge, "repository too large",
               "The server sends more than this machine takes (256 MiB in one file, 1 GiB in all).",
               "Keep the cluster's file in a repository of its own, or on a server that supports "
               "partial clones."},
    GitIdEntry{GitId::kCorrupt, "broken objects",
               "What the server sends is not what git says it is.",
               "Run 'git fsck' at the server. Nothing of it was kept."},
    GitIdEntry{GitId::kNoBranch, "no such branch", "The repository has no branch of that name.",
               "Push it, or 'spark-reconcile follow' with another --branch."},
    GitIdEntry{GitId::kNoAccess, "no access",
               "The server wants a key or a password that this machine does not have.",
               "Give this machine's deploy key the right to read: docs/howto/git.md."},
    GitIdEntry{GitId::kTooManyTags, "too many tags",
               "More than 500 tags match the pattern of 'tag'.",
               "Use a longer pattern, as in 'release-2026-*'."},
    GitIdEntry{GitId::kSettings, "settings not usable",
               "agent.yaml has no section 'source', or has errors, or others than root can write "
               "it.",
               "Run 'spark-reconcile doctor', or 'spark-reconcile follow' again."},
    GitIdEntry{GitId::kNotWhatItsNameSays, "object not what its name says",
               "An object that was fetched is missing, larger than it may be, or has another hash "
               "than its name.",
               "Run 'git fsck' at the server; if it is well, look who can write "
               "/var/lib/spark-reconcile-fetch here."},
    GitIdEntry{
        GitId::kRewound, "branch rewound",
        "The branch is at a commit that is older than the one in force: somebody pushed with "
        "force, or the server shows an old state.",
        "If that is meant: 'spark-reconcile follow --accept COMMIT' on each node. Better: "
        "'git revert', which goes forward."},
    GitIdEntry{GitId::kForked, "branch does not descend",
               "The branch's commit does not descend from the one in force: somebody rewrote "
               "history, or it is another repository.",
               "If that is meant: 'spark-reconcile follow --accept COMMIT' on each node."},
    GitIdEntry{
        GitId::kUnsigned, "not signed", "The commit has no signature.",
        "Sign it ('git commit -S', or 'git commit --amend -S' before it is pushed), or put a "
        "signed commit on top of it."},
    GitIdEntry{GitId::kUnknownSigner, "signed by nobody who counts",
               "The signature is good, and its key is not in the signers' file.",
               "Have somebody who is in the file sign a commit on top, or add the key to the file "
               "on each node."},
    GitIdEntry{GitId::kSignerOutOfTime, "signer's time is over",
               "The key is in the signers' file, and does not count today: valid-after or "
               "valid-before there says so.",
               "Have somebody whose key counts sign a commit on top."},
    GitIdEntry{GitId::kRevoked, "key revoked", "The key of the signature is revoked.",
               "Find out who signed with it. Have somebody whose key counts sign a commit on top."},
    GitIdEntry{GitId::kNotSsh, "not an SSH signature",
               "The signature is by OpenPGP or X.509, which this program does not judge. A forge's "
               "merge button signs so.",
               "Merge on a machine of yours with 'git merge --no-ff -S', or use 'verify: tag'."},
    GitIdEntry{GitId::kBadSignature, "bad signature", "The signature is not one over this commit.",
               "Find out who changed the commit."},
    GitIdEntry{GitId::kBackdated, "older than what is in force",
               "The commit's date is more than a day before that of the commit in force.",
               "Set the clock of the committer's machine, and commit again."},
    GitIdEntry{
        GitId::kFromTheFuture, "from the future",
        "The commit's date is more than ten minutes ahead of this machine's clock: the clock "
        "is wrong here, as at a boot without time, or there.",
        "Nothing: it is judged again by itself. If it stays, look at 'timedatectl' here and "
        "at the committer's clock."},
    GitIdEntry{GitId::kNoFile, "no such file", "The commit has no file at the path.",
               "Commit it there, or 'spark-reconcile follow' with another --path."},
    GitIdEntry{GitId::kNotAFile, "not a plain file",
               "At the path is a directory, a symbolic link, a submodule or an executable file.",
               "Commit the file itself there ('git ls-files -s' shows 100644)."},
    GitIdEntry{GitId::kFileTooLarge, "file too large", "The file has more than 256 KiB.",
               "A cluster's file has a few. See that it is the right one."},
    GitIdEntry{GitId::kNoTag, "no tag that counts",
               "No annotated tag of that pattern, signed by somebody who counts, lies between the "
               "commit in force and the branch's head.",
               "Tag the commit with 'git tag -s', and push the tag."},
    GitIdEntry{GitId::kTagNamedOtherwise, "tag with another name inside",
               "The signed object of the tag has another name than the tag: somebody gave an old "
               "tag a new name.",
               "Find out who pushed it. Tag with 'git tag -s'."},
    GitIdEntry{GitId::kTagMoved, "tag moved",
               "The tag whose commit is in force is another object now.",
               "Find out who pushed it. Make a new tag instead of moving one."},
    GitIdEntry{GitId::kSignersUnusable, "signers' file not usable",
               "The file of 'signers' or 'revoked' is missing, or others than root can write it.",
               "Put it back, root's alone to write."},
    GitIdEntry{
        GitId::kNoLongerSigned, "accepted commit counts no more",
        "The signers changed, and the signature of the commit in force does not count any "
        "more. Its file stays in force.",
        "Look at what that commit changed; then have somebody whose key counts sign a commit "
        "on top."},
    GitIdEntry{GitId::kLineTooLong, "too many commits",
               "More than 20 000 commits lie between the one in force and the branch's head.",
               "'spark-reconcile follow --accept COMMIT' with a commit nearer to the head."},
    GitIdEntry{GitId::kSignersLine, "signers' line does not count",
               "The key is in the signers' file, in a line that ssh-keygen does not understand, or "
               "that is for something else than git.",
               "Write that line as 'NAME namespaces=\"git\" ssh-ed25519 KEY', on each node."},
};

}  // namespace

std::span<const GitIdEntry> git_ids() { return kEntries; }

const GitIdEntry* git_id(std::string_view text) {
  const auto found = std::ranges::find_if(
      kEntries, [&](const GitIdEntry& entry) { return text_of(entry.id) == text; });
  return found == kEntries.end() ? nullptr : &*found;
}

std::string text_of(GitId id) { return fmt::format("SR-GIT-{:03}", std::to_underlying(id)); }

std::string fault_text(const SourceFault& fault, std::string_view before_fix) {
  const auto* entry = git_id(fault.id);
  return printable(fmt::format("{} [{}]", fault.what, fault.id)) +
         (entry == nullptr ? "" : fmt::format("{}{}", before_fix, entry->fix));
}

}  // namespace spark::protocol
