#include "engine/io/sample_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace ondo {

Result<SampleWriter> SampleWriter::open(const std::string& path)
{
    SampleWriter writer;
    writer.m_file.reset(std::fopen(path.c_str(), "wb"));
    if (writer.m_file == nullptr) {
        return fail(ErrorKind::Io, std::strerror(errno), "check that the folder is writable");
    }
    return writer;
}

void SampleWriter::bytes(std::span<const unsigned char> data)
{
    if (m_wrong == 0 && !data.empty() && std::fwrite(data.data(), 1, data.size(), m_file.get()) != data.size()) {
        m_wrong = errno != 0 ? errno : EIO;
    }
}

void SampleWriter::floats(std::span<const float> samples, ByteOrder order)
{
    constexpr std::size_t kBlock = 1 << 14;
    std::vector<unsigned char> raw;
    for (std::size_t first = 0; first < samples.size(); first += kBlock) {
        const auto part = samples.subspan(first, std::min(kBlock, samples.size() - first));
        raw.resize(part.size() * 4);
        for (std::size_t i = 0; i < part.size(); ++i) {
            storeNumber(raw.data() + 4 * i, part[i], order);
        }
        bytes(raw);
    }
}

Result<> SampleWriter::close()
{
    std::FILE* file = m_file.release();
    if (std::fclose(file) != 0 && m_wrong == 0) {
        m_wrong = errno;
    }
    if (m_wrong != 0) {
        return fail(ErrorKind::Io, std::strerror(m_wrong), "check the space left on the disk");
    }
    return {};
}

} // namespace ondo
