#pragma once
// SettingsHere: what this machine has of the things beside the rails that a file holds, each with
// its origin.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/init/yaml_text.hpp"
#include "config/parse/parse.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// Sysctls and the limit of locked memory become `host:`. Names, variables and storage need what
/// this machine does not know, the other nodes: they stand in comments.
class SettingsHere {
 public:
  SettingsHere(host::View& view, host::Files& files);

  void write(YamlText& yaml);
  /// Why files could not be read that the view has not, each with its path.
  [[nodiscard]] const std::vector<Error>& unread() const { return unread_; }
  /// The setting that the language refuses becomes a comment. False: the error is about none.
  bool step_down(const config::Diagnostic& error);

 private:
  struct Setting {
    std::string key;
    std::string value;
    std::string origin;
    int line = 0;         ///< in the text that was written last
    std::string refused;  ///< why it is a comment
  };

  void add_other_links(host::View& view);
  void add_sysctls(host::View& view);
  void add_memlock(host::View& view);
  void add_hosts(host::View& view);
  void add_variables(host::Files& files);
  void add_storage(host::View& view, host::Files& files);

  std::vector<std::string> other_links_;
  std::vector<Setting> sysctls_;
  std::vector<Setting> memlock_;   ///< one at most
  std::vector<std::string> left_;  ///< of sysctls that no file is to hold
  std::vector<std::string> hosts_;
  std::vector<std::string> variables_;
  std::vector<std::string> storage_;
  std::vector<Error> unread_;
};

}  // namespace spark::cli
