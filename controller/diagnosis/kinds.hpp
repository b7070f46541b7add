#pragma once
// What a problem can be beside a fact of the gate, and the rank of each.

#include <string_view>

#include "diagnosis/problem.hpp"

namespace spark::diagnosis {

// Names of problems that have no id, or share one.
inline constexpr std::string_view kCopy = "copy";          ///< a disk that another node has too
inline constexpr std::string_view kHearsNobody = "hears";  ///< who is silent is not known then
inline constexpr std::string_view kUntold = "untold";      ///< not ready, and nobody knows why
inline constexpr std::string_view kSilent = "silent";
inline constexpr std::string_view kNoRdma = "no rdma";  ///< at an end that told of no problem of it
inline constexpr std::string_view kNoWay = "way";  ///< neither echo nor RDMA, and nobody says why
inline constexpr std::string_view kOtherFile = "file";
inline constexpr std::string_view kOtherVersion = "version";

/// A cable that is only not proven is a relation.
Rank rank_of(const Problem& problem);

}  // namespace spark::diagnosis
