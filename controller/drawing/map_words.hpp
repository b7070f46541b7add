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

/// "ring · 3 nodes · 3 cables · mtu 9000": of what there is, without what is gone.
std::string heading_of(const FabricMap& map);

/// Where on the case the cages are: they are drawn as they are seen from the back. Empty: no node
/// has a cage, or one has more than a Spark has.
std::string_view places_text(const FabricMap& map);

/// "192.168.177.11" for "192.168.177.11/24".
Compared without_length(const Compared& address);

/// The value, and what it was where only the value has changed, not the whole thing that has it.
std::string said(const Compared& value, Change whole);

/// The value of the rail; empty where there are fewer.
const Compared& of_rail(const std::vector<Compared>& values, std::size_t rail);

/// The same, or what is known of the rail now.
Mark mark_of_rail(const MapSegment& cable, std::size_t rail);
/// One word for why it is not proven; empty: it is, or nobody was asked.
std::string words_of_rail(const MapSegment& cable, std::size_t rail);

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

/// One thing that came, went, or has other values.
struct MapChange {
  struct Value {
    std::string what;  ///< "mtu", "rail 0", "spark1:0 rail 0"
    Compared text;
  };
  Change change = Change::kSame;
  std::string sort;
  std::string name;
  std::vector<Value> values;  ///< only of what has changed
};

std::vector<MapChange> changes_of(const FabricMap& map);

/// "~ cable spark1:0 ══ spark2:1".
std::string text_of(const MapChange& change);
/// "~ mtu 9000 (was 1500)", "+ port spark9:1  10.10.1.9/24".
std::string text_of(const MapChange::Value& value);

}  // namespace spark::drawing
