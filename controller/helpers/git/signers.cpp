#include "helpers/git/signers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "host/process/child.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::helpers {
namespace {

bool is_key_type(std::string_view word) {
  constexpr std::array<std::string_view, 8> kTypes{"ssh-ed25519",
                                                   "ssh-rsa",
                                                   "ssh-dss",
                                                   "ecdsa-sha2-nistp256",
                                                   "ecdsa-sha2-nistp384",
                                                   "ecdsa-sha2-nistp521",
                                                   "sk-ssh-ed25519@openssh.com",
                                                   "sk-ecdsa-sha2-nistp256@openssh.com"};
  return word.ends_with("-cert-v01@openssh.com") || std::ranges::find(kTypes, word) != kTypes.end();
}

/// Of patterns as ssh_config(5) has them: "git,!file*".
bool is_for_git(std::string_view patterns) {
  bool is_named = false;
  for (const auto part : std::views::split(patterns, ',')) {
    std::string one(part.begin(), part.end());
    const bool excludes = one.starts_with('!');
    if (excludes) one.erase(0, 1);
    if (fnmatch(one.c_str(), "git", 0) != 0) continue;
    if (excludes) return false;
    is_named = true;
  }
  return is_named;
}

/// Words between blanks; one in quotes may have blanks.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty()) return words;
    bool quoted = false;
    const auto* const end = std::ranges::find_if(line, [&](char one) {
      quoted ^= one == '"';
      return !quoted && kBlanks.contains(one);
    });
    words.emplace_back(line.begin(), end);
    line.remove_prefix(words.back().size());
  }
}

/// Of one option, as "namespaces="git"".
std::string fault_of_option(std::string_view option) {
  const auto equals = option.find('=');
  const auto name = ascii_lower(option.substr(0, equals));
  if (name == "cert-authority") {
    return "the key is a certificate authority's: what it signs itself does not count";
  }
  const bool is_known = name == "namespaces" || name == "valid-after" || name == "valid-before";
  if (equals == std::string_view::npos || !is_known) {
    return fmt::format("'{}' is no option", printable(option, 40));
  }
  const auto value = option.substr(equals + 1);
  if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"')) {
    return fmt::format("the value of {} needs quotes: {}=\"…\"", name, name);
  }
  return name == "namespaces" && !is_for_git(value.substr(1, value.size() - 2))
             ? fmt::format("its namespaces are {}, without git", printable(value, 40))
             : std::string();
}

}  // namespace

std::string fault_of_line(std::string_view line) {
  const auto words = words_of(line);
  if (words.empty() || words.front().starts_with('#')) return {};
  if (is_key_type(words.front())) return "it has no name before the key";
  for (const auto word : words | std::views::drop(1)) {
    if (is_key_type(word)) return {};
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t at = 0; at <= word.size(); ++at) {
      quoted ^= at < word.size() && word[at] == '"';
      if (at < word.size() && (quoted || word[at] != ',')) continue;
      if (auto fault = fault_of_option(word.substr(begin, at - begin)); !fault.empty()) {
        return fault;
      }
      begin = at + 1;
    }
  }
  return "it has no key";
}

namespace {

constexpr const char* kSshKeygen = "/usr/bin/ssh-keygen";
constexpr std::string_view kBegin = "-----BEGIN SSH SIGNATURE-----";
constexpr std::size_t kLargestList = std::size_t{1024} * 1024;
constexpr std::size_t kMostPrincipals = 20;
constexpr std::chrono::seconds kPatience{10};

struct Answer {
  bool good = false;
  std::string text;
};

/// `ssh-keygen -Y …`, with the signed text as its input.
OrFault<Answer> ask(const std::string& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), {kSshKeygen, "-Y"});
  const UniqueFd text(::open((scratch + "/signed").c_str(), O_RDONLY | O_CLOEXEC));
  const auto output = host::run_child(
      words, kPatience,
      {.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent"}, .in = text.get()});
  if (!output) return found(GitId::kSignersUnusable, output.error());
  return Answer{.good = output->status == 0, .text = output->out};
}

/// The option for another time than now, in UTC.
std::string verify_time(std::int64_t at) {
  const std::chrono::sys_seconds time{std::chrono::seconds{at}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("-Overify-time={:04}{:02}{:02}{:02}{:02}{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

/// "Good "git" signature with ED25519 key SHA256:…".
std::string fingerprint_in(std::string_view text) {
  const auto at = text.find("SHA256:");
  if (at == std::string_view::npos) return {};
  return printable(text.substr(at, text.find_first_of(" \n", at) - at), 60);
}

/// The bytes of an SSH signature.
std::string decoded(std::string_view armoured) {
  std::string digits;
  for (const auto line : lines_of(armoured)) {
    if (!line.starts_with('-')) digits += line;
  }
  return from_base64(digits);
}

/// The public key in an SSH signature, in base64 as key files have it: PROTOCOL.sshsig of OpenSSH.
/// Three bytes are four characters, and the key begins after 10 + 4 bytes, so it is read from the
/// decoded bytes. Empty: the signature is malformed.
std::string public_key_in(std::string_view armoured) {
  constexpr std::string_view kMagic = "SSHSIG";
  constexpr std::size_t kLengthAt = 10;  // behind the magic and the version
  const auto bytes = decoded(armoured);
  if (!bytes.starts_with(kMagic) || bytes.size() < kLengthAt + 4) return {};
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    length = (length << 8U) | static_cast<unsigned char>(bytes[kLengthAt + i]);
  }
  if (length > bytes.size() - kLengthAt - 4) return {};
  return to_base64(std::string_view(bytes).substr(kLengthAt + 4, length));
}

/// The names in what `find-principals` printed: a line of the signers' file may have several.
std::vector<std::string> principals_in(std::string_view text) {
  std::vector<std::string> names;
  for (auto line : lines_of(text)) {
    while (!line.empty() && names.size() < kMostPrincipals) {
      const auto comma = line.find(',');
      if (comma != 0) names.emplace_back(line.substr(0, comma));
      line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
    }
  }
  return names;
}

bool is_comment(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

}  // namespace

OrFault<Signers> Signers::read(const config::SourceSpec& settings, const std::string& scratch) {
  auto signers = host::read_of_root(settings.signers->value, kLargestList);
  if (!signers) return found(GitId::kSignersUnusable, signers.error());
  auto copied = host::replace_file(scratch + "/signers", *signers);
  if (copied && settings.revoked) {
    const auto revoked = host::read_of_root(settings.revoked->value, kLargestList);
    if (!revoked) return found(GitId::kSignersUnusable, revoked.error());
    copied = host::replace_file(scratch + "/revoked", *revoked);
  }
  if (!copied) return found(GitId::kSignersUnusable, copied.error());
  return Signers(std::move(*signers), settings.revoked.has_value(), scratch);
}

OrFault<GoodSignature> Signers::check(const Signed& is_signed, std::string_view what,
                                      std::optional<std::int64_t> at) const {
  if (is_signed.signature.empty()) {
    return found(GitId::kUnsigned, fmt::format("{} is not signed", what));
  }
  if (!is_signed.signature.starts_with(kBegin)) {
    return found(GitId::kNotSsh, fmt::format("{} has a signature that is none by SSH", what));
  }
  const auto signature = scratch_ + "/signature";
  if (auto copied = host::replace_file(scratch_ + "/signed", is_signed.text); !copied) {
    return found(GitId::kSignersUnusable, copied.error());
  }
  if (auto copied = host::replace_file(signature, is_signed.signature); !copied) {
    return found(GitId::kSignersUnusable, copied.error());
  }
  const auto valid = ask(scratch_, {"check-novalidate", "-n", "git", "-s", signature});
  if (!valid) return std::unexpected(valid.error());
  if (!valid->good) {
    return found(GitId::kBadSignature,
                 fmt::format("{} has a signature that is not over what it says", what));
  }
  const auto key = fingerprint_in(valid->text);
  const auto signers = scratch_ + "/signers";
  std::vector<std::string> find{"find-principals", "-f", signers, "-s", signature};
  if (at) find.push_back(verify_time(*at));
  const auto names = ask(scratch_, std::move(find));
  if (!names) return std::unexpected(names.error());
  const auto verify = [&](const std::string& name, bool with_revoked) {
    std::vector<std::string> words{"verify", "-f",  signers, "-I",     name,
                                   "-n",     "git", "-s",    signature};
    if (with_revoked) words.insert(words.end(), {"-r", scratch_ + "/revoked"});
    if (at) words.push_back(verify_time(*at));
    return ask(scratch_, std::move(words));
  };
  bool is_revoked = false;
  const auto principals = names->good ? principals_in(names->text) : std::vector<std::string>{};
  for (const auto& name : principals) {
    const auto good = verify(name, has_revoked_);
    if (!good) return std::unexpected(good.error());
    if (good->good) return GoodSignature{.principal = printable(name, 100), .key = key};
    if (has_revoked_) {
      const auto without = verify(name, false);
      is_revoked |= without && without->good;
    }
  }
  if (is_revoked) {
    return found(GitId::kRevoked, fmt::format("{} is signed with {}, which is revoked", what, key));
  }
  const auto public_key = public_key_in(is_signed.signature);
  bool is_listed = false;
  int number = 0;
  for (const auto line : lines_of(signers_)) {
    ++number;
    if (public_key.empty() || !line.contains(public_key) || is_comment(line)) continue;
    is_listed = true;
    if (const auto fault = fault_of_line(line); !fault.empty()) {
      return found(GitId::kSignersLine,
                   fmt::format("{} is signed with {}, and line {} of the signers' file, which has "
                               "that key, does not count: {}",
                               what, key, number, fault));
    }
  }
  return is_listed
             ? found(GitId::kSignerOutOfTime,
                     fmt::format("{} is signed with {}, which does not count today", what, key))
             : found(GitId::kUnknownSigner,
                     fmt::format("{} is signed with {}, which is no signer's", what, key));
}

}  // namespace spark::helpers
