#include "engine/io/atomic_file.h"

#include "engine/io/input_file.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace ondo {

namespace fs = std::filesystem;

namespace {

std::string neighbourName(const std::string& path)
{
    static std::atomic<int> counter{0};
    const fs::path p(path);
    return (p.parent_path() / fmt::format(".{}.{}-{}.part", p.filename().string(), ::getpid(), ++counter)).string();
}

// The new name must not reach the disk before the bytes do.
void flushToDisk(const std::string& path)
{
    const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle >= 0) {
        ::fsync(handle);
        ::close(handle);
    }
}

} // namespace

Result<> writeAtomically(const std::string& path, const std::function<Result<>(const std::string&)>& write)
{
    if (path.empty()) {
        return badInput("no output file was named", "give a path");
    }
    std::error_code code;
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, code)) {
        return fail(ErrorKind::Io, fmt::format("{}: the folder {} does not exist", path, folder.string()),
                    "create it or write elsewhere");
    }
    if (fs::is_directory(path, code)) {
        return fail(ErrorKind::Io, fmt::format("{}: is a folder", path), "give a file name");
    }
    const std::string temporary = neighbourName(path);
    if (auto r = write(temporary); !r) {
        fs::resize_file(temporary, 0, code); // a library that cannot close it would hold its space until the end
        fs::remove(temporary, code);
        return within(r.error(), "while writing " + path);
    }
    flushToDisk(temporary);
    fs::rename(temporary, path, code);
    if (code) {
        const std::string why = code.message();
        fs::remove(temporary, code);
        return fail(ErrorKind::Io, fmt::format("{}: {}", path, why), "check that the file may be replaced");
    }
    return {};
}

void removeAbandoned(const std::string& path)
{
    const fs::path target(path);
    const std::string start = "." + target.filename().string() + ".";
    const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
    std::vector<fs::path> gone;
    std::error_code code;
    for (auto entry = fs::directory_iterator(folder, code); !code && entry != fs::directory_iterator();
         entry.increment(code)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(start) || !name.ends_with(".part")) {
            continue;
        }
        const int process = std::atoi(name.c_str() + start.size());
        if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) {
            gone.push_back(entry->path());
        }
    }
    for (const auto& one : gone) {
        fs::remove(one, code);
    }
}

Result<> writeBytes(const std::string& path, std::span<const unsigned char> bytes)
{
    return writeAtomically(path, [&](const std::string& temporary) -> Result<> {
        std::FILE* file = std::fopen(temporary.c_str(), "wb");
        if (file == nullptr) {
            return fail(ErrorKind::Io, std::strerror(errno), "check that the folder is writable");
        }
        const std::size_t done = bytes.empty() ? 0 : std::fwrite(bytes.data(), 1, bytes.size(), file);
        const int wrong = errno;
        if (std::fclose(file) != 0 || done != bytes.size()) {
            return fail(ErrorKind::Io, std::strerror(wrong), "check the space left on the disk");
        }
        return {};
    });
}

Result<> writeText(const std::string& path, std::string_view text)
{
    return writeBytes(path, {reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

Result<std::string> readText(const std::string& path, std::int64_t most)
{
    auto file = InputFile::open(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    if ((*file)->size() > most) {
        return badInput(fmt::format("{}: {} bytes are more than a text of this kind has", path, (*file)->size()),
                        "check that this is the right file");
    }
    auto bytes = (*file)->bytes(0, (*file)->size());
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    return std::string(bytes->begin(), bytes->end());
}

} // namespace ondo
