#include "cli/init/setting_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "host/process/passwd.hpp"
#include "kinds/environment/nccl_environment.hpp"

namespace spark::cli {
namespace {

constexpr const char* kLoginDirectory = "/etc/profile.d";
constexpr const char* kSessionFile = "/etc/environment";
constexpr const char* kNcclFile = "/etc/nccl.conf";
constexpr const char* kPasswd = "/etc/passwd";
/// What a shell reads that somebody works in, and NCCL itself.
constexpr std::array<std::string_view, 4> kHomeFiles{".nccl.conf", ".profile", ".bash_profile",
                                                     ".bashrc"};
constexpr std::size_t kMostHomes = 64;
/// Nobody has so many; each is at most 1 MiB.
constexpr std::size_t kMostScripts = 256;

void read_settings_file(host::Files& files, const std::string& path, SettingReader reader,
                        SettingFiles& settings) {
  const auto text = files.read(path);
  if (!text) {
    settings.unread.push_back(text.error());
    return;
  }
  if (!*text) return;
  const auto syntax = reader == SettingReader::kSession ? EnvironmentSyntax::kPam
                      : reader == SettingReader::kLogin ? EnvironmentSyntax::kShell
                                                        : EnvironmentSyntax::kNccl;
  settings.files.push_back(
      {.path = path,
       .reader = reader,
       .lines = environment_lines(**text, syntax),
       .ours = reader == SettingReader::kLogin && kinds::is_written_by_us(**text)});
}

void read_homes(host::Files& files, SettingFiles& settings) {
  const auto passwd = files.read(kPasswd);
  if (!passwd) settings.unread.push_back(passwd.error());
  if (!passwd || !*passwd) return;
  auto logins = host::logins_of_root(**passwd);
  logins.resize(std::min(logins.size(), kMostHomes));
  for (const auto& [name, home] : logins) {
    for (const auto file : kHomeFiles) {
      const auto path = fmt::format("{}/{}", home, file);
      const auto text = files.read(path);
      if (!text) settings.unread.push_back(text.error());
      if (!text || !*text) continue;
      const bool is_nccl = file == kHomeFiles.front();
      settings.files.push_back(
          {.path = path,
           .reader = is_nccl ? SettingReader::kNccl : SettingReader::kLogin,
           .user = std::string(name),
           .lines = environment_lines(
               **text, is_nccl ? EnvironmentSyntax::kNccl : EnvironmentSyntax::kShell)});
    }
  }
}

}  // namespace

SettingFiles setting_files(host::Files& files) {
  SettingFiles settings;
  read_settings_file(files, kSessionFile, SettingReader::kSession, settings);
  auto names = files.list(kLoginDirectory);
  if (!names) {
    settings.unread.push_back(names.error());
  } else {
    std::erase_if(*names, [](const std::string& name) { return !name.ends_with(".sh"); });
    names->resize(std::min(names->size(), kMostScripts));
    for (const auto& name : *names) {
      read_settings_file(files, fmt::format("{}/{}", kLoginDirectory, name), SettingReader::kLogin,
                         settings);
    }
  }
  read_settings_file(files, kNcclFile, SettingReader::kNccl, settings);
  read_homes(files, settings);
  return settings;
}

}  // namespace spark::cli
