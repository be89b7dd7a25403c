#include "engine/io/convert.h"

#include "engine/io/array_file.h"
#include "engine/io/atomic_file.h"
#include "engine/io/model_reader.h"
#include "engine/io/model_writer.h"
#include "engine/io/npy_writer.h"
#include "engine/io/sample_writer.h"
#include "engine/io/trace_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ondo {

namespace {

// Last index fastest, whatever the file does.
std::vector<double> inRowOrder(const StoredArray& a, std::vector<double> samples)
{
    if (!a.firstFastest || a.shape.size() < 2) {
        return samples;
    }
    std::vector<double> out(samples.size());
    std::vector<std::int64_t> index(a.shape.size(), 0);
    for (auto& value : out) {
        std::int64_t at = 0;
        for (std::size_t k = a.shape.size(); k-- > 0;) {
            at = at * a.shape[k] + index[k];
        }
        value = samples[static_cast<std::size_t>(at)];
        for (std::size_t k = a.shape.size(); k-- > 0;) {
            if (++index[k] < a.shape[k]) {
                break;
            }
            index[k] = 0;
        }
    }
    return out;
}

template<class T>
void storeAll(std::span<const double> values, std::vector<unsigned char>& out)
{
    out.resize(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        storeNumber(out.data() + i * sizeof(T), static_cast<T>(values[i]), ByteOrder::Little);
    }
}

// The type of a .npy file that holds every sample of one of these.
SampleType exactType(SampleType type)
{
    switch (type) {
    case SampleType::Float16: return SampleType::Float32;
    case SampleType::Int24:
    case SampleType::UInt24: return SampleType::Int32;
    case SampleType::Ibm32:
    case SampleType::FixedGain32:
    // Sixty-four bits of a whole number pass through a double here; those of traces do not.
    case SampleType::Int64:
    case SampleType::UInt64: return SampleType::Float64;
    case SampleType::Bool8: return SampleType::UInt8;
    default: return type;
    }
}

void store(SampleType type, std::span<const double> values, std::vector<unsigned char>& out)
{
    switch (type) {
    case SampleType::Int8: return storeAll<std::int8_t>(values, out);
    case SampleType::UInt8: return storeAll<std::uint8_t>(values, out);
    case SampleType::Int16: return storeAll<std::int16_t>(values, out);
    case SampleType::UInt16: return storeAll<std::uint16_t>(values, out);
    case SampleType::Int32: return storeAll<std::int32_t>(values, out);
    case SampleType::UInt32: return storeAll<std::uint32_t>(values, out);
    case SampleType::Float64: return storeAll<double>(values, out);
    default: return storeAll<float>(values, out);
    }
}

Result<> writeSamples(const StoredArray& array, SampleType type, bool header, const std::string& path)
{
    constexpr std::int64_t kBlock = 1 << 16;
    std::vector<double> whole;
    if (array.firstFastest && array.shape.size() > 1) {
        auto read = readDoubles(array);
        if (!read) {
            return tl::unexpected<Error>(read.error());
        }
        whole = inRowOrder(array, std::move(*read));
    }
    return writeAtomically(path, [&](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([&](SampleWriter writer) -> Result<> {
            if (header) {
                writer.bytes(npyHeader(type, array.shape));
            }
            std::vector<double> block(static_cast<std::size_t>(std::min(kBlock, array.count())));
            std::vector<unsigned char> raw;
            for (std::int64_t first = 0; first < array.count(); first += kBlock) {
                std::span<double> part(block.data(), static_cast<std::size_t>(std::min(kBlock, array.count() - first)));
                if (!whole.empty()) {
                    std::copy_n(whole.begin() + first, part.size(), part.begin());
                } else if (auto r = array.read(first, part); !r) {
                    return r;
                }
                store(type, part, raw);
                writer.bytes(raw);
            }
            return writer.close();
        });
    });
}

Result<std::string> copyArray(const ArrayFile& file, const std::string& out)
{
    const StoredArray* array = file.mainArray();
    const std::string ending = std::filesystem::path(out).extension().string();
    if (array == nullptr || !array->numeric || !array->read) {
        return badInput(file.path + ": it holds no array of numbers");
    }
    if (ending != ".npy" && ending != ".bin" && ending != ".raw") {
        return badInput(fmt::format("{}: plain arrays are written as .npy or .bin, not \"{}\"", out, ending),
                        "to convert a model state its spacing: model.dz and model.dx");
    }
    const SampleType type = ending == ".npy" ? exactType(array->type) : SampleType::Float32;
    if (auto r = writeSamples(*array, type, ending == ".npy", out); !r) {
        return tl::unexpected<Error>(r.error());
    }
    return fmt::format("{}: {}, [{}] {}, values as they are\n", out, file.format, fmt::join(array->shape, ", "),
                       sampleTypeName(type));
}

} // namespace

Result<std::string> convertFile(const std::string& in, const std::string& out, const ModelSource& hints)
{
    std::error_code code;
    if (std::filesystem::equivalent(in, out, code)) {
        return badInput(fmt::format("{}: is both the input and the output", in), "write to another name");
    }
    auto file = openArrayFile(in, hints);
    if (!file) {
        return tl::unexpected(file.error());
    }
    // The RSF writer's own samples go to a second file.
    for (const std::string& written : {out, out + "@"}) {
        if (std::filesystem::equivalent(file->dataPath, written, code)) {
            return badInput(fmt::format("{}: holds the samples of {}", written, in), "write to another name");
        }
    }
    const bool traces = (file->format == "SEG-Y" || file->format == "SU") && !hints.dz &&
                        file->textHeader.find("ONDOSCOPE MODEL") == std::string::npos;
    if (traces) {
        return convertTraces(*file, out);
    }
    if (auto ok = checkModelEnding(out); !ok) {
        return tl::unexpected(ok.error());
    }
    ModelSource source = hints;
    source.path = in;
    auto loaded = readModel(source);
    if (!loaded) {
        const bool plain = out.ends_with(".npy") || out.ends_with(".bin") || out.ends_with(".raw");
        return plain && !hints.dz ? copyArray(*file, out) : tl::unexpected(loaded.error());
    }
    auto written = writeModel(out, loaded->model);
    if (!written) {
        return written;
    }
    std::string lines = fmt::format("{}: {}\n", in, loaded->model.grid().describe());
    for (const auto& note : loaded->notes) {
        lines += "  " + note + "\n";
    }
    return lines + fmt::format("{}: {}\n", out, *written);
}

} // namespace ondo
