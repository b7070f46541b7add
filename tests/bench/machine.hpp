#pragma once
// Machine: the network namespace that the benchmarks run in, with a management link and rails to
// come, and the directory that stands for its files.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/process.hpp"

namespace spark::bench {

/// The network namespace of all far ends.
inline constexpr const char* kFar = "far";

class Machine {
 public:
  /// `files` is empty and on a disk, where an fsync costs what it costs there.
  Machine(std::filesystem::path program, std::filesystem::path files);

  /// Makes these links again: down, with a far end in another namespace that is up. The files of
  /// earlier runs go; directories stay: they are made once in the life of a machine.
  void renew(const std::vector<std::string>& links) const;

  /// Puts down an input of a run, and gives its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;

  /// `spark-reconcile apply -f FILE -n NODE` on this machine.
  [[nodiscard]] Argv apply(const std::string& file, const std::string& node) const;
  /// `spark-reconcile daemon -n NODE` there, with its file where it looks for it.
  [[nodiscard]] Argv daemon(const std::string& text, const std::string& node) const;
  /// A path of this machine as this process has to name it.
  [[nodiscard]] std::filesystem::path path(const char* path) const { return root_.string() + path; }

 private:
  std::filesystem::path program_;
  std::filesystem::path inputs_;
  std::filesystem::path root_;  ///< that /etc, /var and /run are below
};

/// Runs `function` in the network namespace of the far ends; sockets opened there stay there.
void at_far_end(const std::function<void()>& function);
/// A program there.
Argv at_far_end(const Argv& argv);

/// `ip` with those words.
Argv ip(Argv words);

}  // namespace spark::bench
