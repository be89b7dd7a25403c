// Bytes and samples to a file through a buffer; the first failure is kept and told by close(). One thread.
#pragma once

#include "engine/core/result.h"
#include "engine/io/sample_type.h"

#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace ondo {

class SampleWriter {
public:
    [[nodiscard]] static Result<SampleWriter> open(const std::string& path);
    void bytes(std::span<const unsigned char> data);
    void floats(std::span<const float> samples, ByteOrder order);
    [[nodiscard]] Result<> close();

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Closer> m_file;
    int m_wrong = 0; // errno of the first failure
};

} // namespace ondo
