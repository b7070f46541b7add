#pragma once
// What is known of releases of the kernel on this machine: the table of this program, and over it
// the owner's own file.

#include <string>

#include "host/files.hpp"
#include "host/kernel_releases.hpp"

namespace spark::state {

inline constexpr const char* kReleasesFile = "/etc/spark-reconcile/releases.yaml";

struct KnownReleases {
  host::KernelReleases releases;
  /// "/etc/spark-reconcile/releases.yaml:3:5: …", why nothing of the file counts; empty: it is in
  /// order, or there is none.
  std::string fault;
};

KnownReleases read_known_releases(host::Files& files);

}  // namespace spark::state
