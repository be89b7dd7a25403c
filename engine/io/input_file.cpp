#include "engine/io/input_file.h"

#include "engine/io/read_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ondo {

namespace {

constexpr std::size_t kChunk = std::size_t{4} << 20; // bytes between two looks at whether it is still wanted

}

Result<InputFilePtr> InputFile::open(const std::string& path)
{
    if (path.empty()) {
        return badInput("no file was named", "give the path of a file");
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return fail(ErrorKind::NotFound, fmt::format("{}: {}", path, std::strerror(errno)), "check the path");
    }
    if (!S_ISREG(status.st_mode)) {
        return badInput(fmt::format("{}: not a plain file", path), "name a file");
    }
    const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle < 0) {
        return fail(ErrorKind::Io, fmt::format("{}: {}", path, std::strerror(errno)), "check the permissions");
    }
    std::shared_ptr<InputFile> file(new InputFile);
    file->m_path = path;
    file->m_size = static_cast<std::int64_t>(status.st_size);
    file->m_handle = handle;
    ReadWatch::expect(file->m_size);
    return file;
}

InputFile::~InputFile()
{
    if (m_handle >= 0) {
        ::close(m_handle);
    }
}

Result<> InputFile::read(std::int64_t offset, std::span<unsigned char> out) const
{
    const auto count = static_cast<std::int64_t>(out.size());
    if (offset < 0 || offset > m_size || count > m_size - offset) {
        return badInput(
            fmt::format("{}: {} bytes are wanted at offset {} but the file has {}", m_path, count, offset, m_size),
            "the file is cut short or its header is damaged");
    }
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::pread(m_handle, out.data() + done, std::min(kChunk, out.size() - done),
                                    offset + static_cast<std::int64_t>(done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return fail(ErrorKind::Io, fmt::format("{}: reading at offset {}: {}", m_path, offset,
                                                   got == 0 ? "the file became shorter" : std::strerror(errno)));
        }
        done += static_cast<std::size_t>(got);
        if (!ReadWatch::goesOn(got)) {
            return fail(ErrorKind::Cancelled, fmt::format("{}: reading was cancelled", m_path));
        }
    }
    return {};
}

Result<std::vector<unsigned char>> InputFile::bytes(std::int64_t offset, std::int64_t count) const
{
    if (offset < 0 || count < 0 || offset > m_size || count > m_size - offset) {
        return badInput(
            fmt::format("{}: {} bytes are wanted at offset {} but the file has {}", m_path, count, offset, m_size),
            "the file is cut short or its header is damaged");
    }
    std::vector<unsigned char> out(static_cast<std::size_t>(count));
    if (auto r = read(offset, out); !r) {
        return tl::unexpected(r.error());
    }
    return out;
}

std::vector<unsigned char> InputFile::head(std::int64_t count) const
{
    std::vector<unsigned char> out(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, m_size)));
    if (!read(0, out)) {
        out.clear();
    }
    return out;
}

} // namespace ondo
