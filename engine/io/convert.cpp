#include "engine/io/convert.h"

#include "engine/io/array_file.h"
#include "engine/io/atomic_file.h"
#include "engine/io/model_reader.h"
#include "engine/io/model_writer.h"
#include "engine/io/npy_writer.h"
#include "engine/io/sample_writer.h"

#include <fmt/format.h>

#include <filesystem>

namespace ondo {

namespace {

// Last index fastest, whatever the file does.
std::vector<float> inRowOrder(const StoredArray& a, std::vector<float> samples)
{
    if (!a.firstFastest || a.shape.size() < 2) {
        return samples;
    }
    std::vector<float> out(samples.size());
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

Result<std::string> copyArray(const ArrayFile& file, const std::string& out)
{
    const StoredArray* array = file.mainArray();
    const std::string ending = std::filesystem::path(out).extension().string();
    if (array == nullptr || !array->numeric) {
        return badInput(file.path + ": it holds no array of numbers");
    }
    if (ending != ".npy" && ending != ".bin" && ending != ".raw") {
        return badInput(fmt::format("{}: traces and plain arrays are written as .npy or .bin, not \"{}\"", out, ending),
                        "to convert a model state its spacing: model.dz and model.dx");
    }
    auto samples = readFloats(*array);
    if (!samples) {
        return tl::unexpected(samples.error());
    }
    const auto ordered = inRowOrder(*array, std::move(*samples));
    Result<> done;
    if (ending == ".npy") {
        done = writeNpy(out, ordered, array->shape);
    } else {
        done = writeAtomically(out, [&ordered](const std::string& temporary) {
            return SampleWriter::open(temporary).and_then([&ordered](SampleWriter writer) -> Result<> {
                writer.floats(ordered, ByteOrder::Little);
                return writer.close();
            });
        });
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return fmt::format("{}: {}, [{}] float32, values as they are\n", out, file.format, fmt::join(array->shape, ", "));
}

} // namespace

Result<std::string> convertFile(const std::string& in, const std::string& out, const ModelSource& hints)
{
    std::error_code code;
    if (std::filesystem::equivalent(in, out, code)) {
        return badInput(fmt::format("{}: is both the input and the output", in), "write to another name");
    }
    if (auto ok = checkModelEnding(out); !ok) {
        return tl::unexpected(ok.error());
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
        return copyArray(*file, out);
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
