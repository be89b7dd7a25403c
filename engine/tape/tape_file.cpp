#include "engine/tape/tape_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace ondo {

namespace {

std::string folderOf(const std::string& folder)
{
    if (!folder.empty()) {
        return folder;
    }
    std::error_code error;
    const auto path = std::filesystem::temp_directory_path(error);
    return error ? "/tmp" : path.string();
}

tl::unexpected<Error> refusal(const std::string& folder, const std::string& what)
{
    return fail(ErrorKind::BadInput, fmt::format("checkpoints on disk, in {}: {}", folder, what),
                "name another folder for them, or keep fewer of them on disk");
}

} // namespace

Result<std::size_t> TapeFile::room(const std::string& folder)
{
    const std::string where = folderOf(folder);
    std::error_code error;
    const auto space = std::filesystem::space(where, error);
    if (error) {
        return refusal(where, error.message());
    }
    if (::access(where.c_str(), W_OK | X_OK) != 0) {
        return refusal(where, std::strerror(errno));
    }
    return static_cast<std::size_t>(space.available);
}

Result<TapeFile> TapeFile::make(const std::string& folder, std::size_t bytes)
{
    TapeFile made;
    made.m_folder = folderOf(folder);
    const auto free = room(folder);
    if (!free) {
        return tl::unexpected<Error>(free.error());
    }
    if (bytes > *free || bytes > static_cast<std::size_t>(std::numeric_limits<off_t>::max())) {
        return refusal(made.m_folder, fmt::format("{:.3g} GB are needed and {:.3g} GB are free",
                                                  static_cast<double>(bytes) / 1e9, static_cast<double>(*free) / 1e9));
    }
    std::string name = made.m_folder + "/ondoscope-tape-XXXXXX";
    made.m_file = ::mkstemp(name.data());
    if (made.m_file < 0) {
        return refusal(made.m_folder, std::strerror(errno));
    }
    (void)::unlink(name.c_str());
    if (const int code = bytes > 0 ? ::posix_fallocate(made.m_file, 0, static_cast<off_t>(bytes)) : 0; code != 0) {
        return refusal(made.m_folder,
                       fmt::format("no room for {:.3g} GB: {}", static_cast<double>(bytes) / 1e9, std::strerror(code)));
    }
    return made;
}

TapeFile::TapeFile(TapeFile&& other) noexcept
    : m_file(std::exchange(other.m_file, -1))
    , m_folder(std::move(other.m_folder))
{
}

TapeFile& TapeFile::operator=(TapeFile&& other) noexcept
{
    std::swap(m_file, other.m_file);
    std::swap(m_folder, other.m_folder);
    return *this;
}

TapeFile::~TapeFile()
{
    if (m_file >= 0) {
        (void)::close(m_file);
    }
}

Result<> TapeFile::write(std::size_t at, const void* from, std::size_t bytes)
{
    const auto* next = static_cast<const char*>(from);
    while (bytes > 0) {
        const ssize_t done = ::pwrite(m_file, next, bytes, static_cast<off_t>(at));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return refusal(m_folder, std::string("writing failed: ") + std::strerror(done == 0 ? ENOSPC : errno));
        }
        next += done;
        at += static_cast<std::size_t>(done);
        bytes -= static_cast<std::size_t>(done);
    }
    return {};
}

void TapeFile::settle() const
{
    (void)::fdatasync(m_file);
}

Result<> TapeFile::read(std::size_t at, void* to, std::size_t bytes)
{
    auto* next = static_cast<char*>(to);
    while (bytes > 0) {
        const ssize_t done = ::pread(m_file, next, bytes, static_cast<off_t>(at));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return refusal(m_folder,
                           std::string("reading failed: ") + (done == 0 ? "the file ends" : std::strerror(errno)));
        }
        next += done;
        at += static_cast<std::size_t>(done);
        bytes -= static_cast<std::size_t>(done);
    }
    return {};
}

} // namespace ondo
