#pragma once
// Whole reads and writes of open descriptors, as the adapters of this folder need them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

/// All that is left to read, at most `limit_bytes`. Errors name `what`; kSystem when there is more.
Result<std::string> read_all(int descriptor, std::size_t limit_bytes, const std::string& what);
/// Errors name `what`.
Result<> write_all(int descriptor, std::string_view text, const std::string& what);
/// The text as a file without a name, to be read from its beginning: nothing has to be written
/// while the reader runs, or does not read. Errors name `what`.
Result<UniqueFd> unnamed_file(std::string_view text, const std::string& what);
/// Names in an open directory but "." and "..", sorted. Errors name `what`.
Result<std::vector<std::string>> list_names(int directory, const std::string& what);
/// The whole of a text file of the running kernel, in /proc, /sys or beside its modules: no root is
/// put before `path`. Errors: kNotFound, kPermission, …
Result<std::string> read_proc(const std::string& path);
/// The line of a file that holds one, as the attributes of sysfs do; blanks folded. Errors: as
/// `read_proc`.
Result<std::string> read_attribute(const std::string& path);

/// The same; empty: there is none, or the driver does not tell.
std::string attribute(const std::string& path);
/// Names in the directory of that path, sorted. None when it cannot be read: processes and devices
/// come and go while this looks, and those of others may not be looked at.
std::vector<std::string> names_in(const std::string& path);
/// What a symbolic link leads to; empty: it is none, or cannot be read.
std::string link_target(const std::string& path);

}  // namespace spark::host
