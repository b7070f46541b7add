#pragma once
// What people see of the nodes that hear each other, and of a file that is offered.

#include <string>
#include <string_view>

#include "cli/discover/wiring.hpp"
#include "config/cluster.hpp"

namespace spark::cli {

/// Who is there, cable by cable; which cages lead nowhere and why that may be; and why no file can
/// be written yet.
std::string picture_of(const Wiring& wiring, const protocol::DiscoverTask& own);

/// Where the cages of this node lead by the file, and whether that is what is heard.
std::string cages_by_file(const config::Cluster& cluster, const Wiring& wiring,
                          const std::string& node);

/// The file as a screen, indented: whatever it holds shows itself.
std::string file_screen(std::string_view text);

}  // namespace spark::cli
