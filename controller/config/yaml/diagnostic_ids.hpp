#pragma once
// SpecId: every finding about a file has a number that never changes its meaning, and an entry that
// says what it is about, why it happens and what to do.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace spark::config {

/// The NNN of SR-SPEC-NNN. Below 100: the structure, which cluster.schema.json refuses too, and the
/// limits on YAML itself. From 101: the meaning. From 201: warnings.
enum class SpecId : std::uint16_t {
  kSyntax = 1,
  kLimit = 2,
  kBytes = 3,
  kUnknownKey = 4,
  kDuplicateKey = 5,
  kAnchor = 6,
  kTag = 7,
  kMergeKey = 8,
  kSecondDocument = 9,
  kDirective = 10,
  kKeyForm = 11,
  kMissingKey = 12,
  kWrongType = 13,
  kNeedsQuotes = 14,
  kNotInteger = 15,
  kNotBoolean = 16,
  kOutOfRange = 17,
  kNotOneOf = 18,
  kTextForm = 19,
  kItemCount = 20,
  kInlineSecret = 21,
  kEmptyValue = 22,
  kEmptyFile = 23,
  kPrefixForm = 24,
  kEndsForm = 25,
  kQuantityForm = 26,

  kMore = 100,

  kNoSuchAddress = 101,
  kAddressTwice = 102,
  kTwinsInOneSubnet = 103,
  kSubnetsOverlap = 104,
  kLinkLocal = 105,
  kAddressUnusable = 106,
  kSubnetHostBits = 107,
  kNumberOutsideSubnet = 108,
  kNumberMissing = 109,
  kUnknownNode = 110,
  kCageTwice = 111,
  kCableToItself = 112,
  kEndsDisagree = 113,
  kMtuTooSmall = 114,
  kContradiction = 115,
  kExclusiveOfHost = 116,
  kDownWithAddresses = 117,
  kManagementIsOurs = 118,
  kSameIdentity = 119,
  kCageNames = 120,
  kTwoWriters = 121,
  kMountPathTwice = 122,
  kMountPath = 123,
  kMountOptions = 124,
  kTargetTwice = 125,
  kSysctlHeld = 126,
  kSysctlTwice = 127,
  kModuleTwice = 128,
  kModuleNever = 129,
  kVariableDead = 130,
  kVariableRunsCode = 131,
  kSwitchTwice = 132,
  kHostsName = 133,
  kReceiverTwice = 134,
  kSysctlRefused = 135,
  kExternalHost = 136,
  kVariableTwice = 137,
  kSourceIncomplete = 138,
  kSourceTimes = 139,
  kRollout = 140,
  kPageToken = 141,
  kVariableUnknown = 142,
  kVariableWrongValue = 143,
  kRouteDestination = 144,
  kRouteWay = 145,
  kRouteTwice = 146,
  kRouteOfHost = 147,

  kHalfTheCable = 201,
  kTwinDown = 202,
  kRingSubnet = 203,
  kTcpOnly = 204,
  kGpuDirect = 205,
  kGidIndex = 206,
  kMountedNowhere = 207,
  kRoceMtu = 208,
  kSysctlReaches = 209,
  kOneRail = 210,
  kNoMtu = 211,
  kReadOnlyType = 212,
  kSameCageOnRing = 213,
  kRingOfFour = 214,
  kHostLinksInOneSubnet = 215,
  kKeyUnused = 216,
  kOpenChain = 217,
  kVariableExtra = 218,
  kVariableOffRails = 219,
};

/// What `explain` tells about one id.
struct SpecIdEntry {
  SpecId id;
  std::string_view title;
  std::string_view cause;
  std::string_view fix;
};

/// All of them, in order of their numbers.
std::span<const SpecIdEntry> spec_ids();

/// "SR-SPEC-004".
std::string text_of(SpecId id);

}  // namespace spark::config
