#pragma once
// The forms of all texts of the language. Each is a pattern of cluster.schema.json or
// agent.schema.json as well; tests/schema_agreement compares the two.

#include "config/yaml/read_scalar.hpp"

namespace spark::config {

extern const TextForm kName;           ///< cluster, node, switch, host name
extern const TextForm kInterfaceName;  ///< as the kernel has it: at most 15 bytes
extern const TextForm kCageEnd;        ///< "spark1:0"
extern const TextForm kCableEnd;       ///< the same, or the name of a host under `external`
extern const TextForm kMachineId;
extern const TextForm kSysctlKey;
extern const TextForm kSysctlValue;
extern const TextForm kModuleName;
extern const TextForm kHostsSuffix;
extern const TextForm kNqn;
extern const TextForm kPath;
extern const TextForm kFilesystemType;
extern const TextForm kMountOption;
extern const TextForm kNamespaceUuid;
extern const TextForm kNcclVariable;
extern const TextForm kJobVariable;
extern const TextForm kVariableValue;
extern const TextForm kHttpUrl;
extern const TextForm kEndpoint;
extern const TextForm kGitUrl;
extern const TextForm kGitBranch;
extern const TextForm kPathInTree;
extern const TextForm kTagPattern;
extern const TextForm kGitCommit;  ///< SHA-1, whole
extern const TextForm kSshKey;     ///< a public key as in known_hosts, without host and comment

}  // namespace spark::config
