#pragma once
// The words of a map that lists, pictures and JSON share.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drawing/fabric_map.hpp"

namespace spark::drawing {

/// "ring · 3 nodes · 3 cables · mtu 9000".
std::string heading_of(const FabricMap& map);

/// Where on the case the cages are: they are drawn as they are seen from the back. Empty: no node
/// has a cage, or one has more than a Spark has.
std::string_view places_text(const FabricMap& map);

/// "192.168.177.11" for "192.168.177.11/24".
std::string without_length(const std::string& address);

/// The value of the rail; empty where there are fewer.
const std::string& of_rail(const std::vector<std::string>& values, std::size_t rail);

/// "mtu 9000", "200 Gb/s", as far as the file says them; `common` stands elsewhere.
std::vector<std::string> traits_of(const MapSegment& segment, const CommonTraits& common = {});

/// The signs of what is known now, and what they mean.
inline constexpr std::array<std::pair<Mark, std::string_view>, 3> kProofs{
    {{Mark::kGood, "proven"}, {Mark::kOpen, "not proven"}, {Mark::kBad, "fails"}}};
/// "proven", "not proven: silent", "fails: mtu".
std::string proof_text(const Live& live);
/// "proven" of all, "rail 0 proven, rail 1 fails: mtu"; empty: nobody was asked.
std::string proofs_text(const std::vector<Live>& rails);
/// Of one rail; of more than there are, nothing is known.
const Live& live_of_rail(const std::vector<Live>& rails, std::size_t rail);

/// "spark1:0 ══ spark2:1"; of a switch its name.
std::string name_of(const MapSegment& segment);
/// "node", "host", "cable", "switch".
std::string_view sort_of(const MapNode& node);
std::string_view sort_of(const MapSegment& segment);

}  // namespace spark::drawing
