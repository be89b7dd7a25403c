#include "engine/io/array_file.h"

#include "engine/io/array_checks.h"
#include "engine/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

namespace ondo {

namespace {

constexpr int kThreshold = 40; // below it a file is not taken for the format
constexpr int kCertain = 90;   // a signature, or several facts that agree
constexpr int kSure = 60;      // from it on the names of foreign formats are not looked at

const std::array<formats::Format, 12> kFormats = {{{"NumPy .npy", formats::scoreNpy, formats::openNpy},
                                                   {"NumPy .npz", formats::scoreNpz, formats::openNpz},
                                                   {"HDF5", formats::scoreHdf5, formats::openHdf5},
                                                   {"MATLAB 5", formats::scoreMat5, formats::openMat5},
                                                   {"MATLAB 4", formats::scoreMat4, formats::openMat4},
                                                   {"SEG-Y", formats::scoreSegy, formats::openSegy},
                                                   {"SU", formats::scoreSu, formats::openSu},
                                                   {"Madagascar RSF", formats::scoreRsf, formats::openRsf},
                                                   {"Fortran records", formats::scoreFortran, formats::openFortran},
                                                   {"VTK ImageData", formats::scoreVti, formats::openVti},
                                                   {"VTK structured points", formats::scoreVtk, formats::openVtk},
                                                   {"text", formats::scoreText, formats::openText}}};

bool rawIsStated(const ModelSource& hints)
{
    return hints.nz && hints.nx;
}

std::int64_t statedBytes(const ModelSource& hints)
{
    if (!hints.nz || !hints.nx) {
        return -1;
    }
    const auto type = sampleTypeFromName(hints.sampleType.empty() ? "float32" : hints.sampleType);
    const auto count = productOf({*hints.nz, hints.ny.value_or(1), *hints.nx});
    return type && count && *count < (std::int64_t{1} << 58) ? *count * sampleBytes(*type) : -1;
}

Result<> chooseDataset(ArrayFile& file, const std::string& dataset)
{
    if (dataset.empty()) {
        return {};
    }
    std::string names;
    for (std::size_t i = 0; i < file.arrays.size(); ++i) {
        const std::string& name = file.arrays[i].name;
        if (name == dataset || "/" + name == dataset) {
            file.main = i;
            return {};
        }
        names += (names.empty() ? "" : ", ") + name;
    }
    return badInput(fmt::format("{}: there is no \"{}\" in it", file.path, dataset),
                    names.empty() ? "leave model.dataset out" : "it holds " + names);
}

} // namespace

namespace formats {

void chooseMain(ArrayFile& file)
{
    std::int64_t most = -1;
    for (std::size_t i = 0; i < file.arrays.size(); ++i) {
        const auto& a = file.arrays[i];
        if (a.numeric && a.problem.empty() && a.count() > most) {
            most = a.count();
            file.main = i;
        }
    }
}

} // namespace formats

Result<ArrayFile> openArrayFile(const std::string& path, const ModelSource& hints)
{
    auto file = InputFile::open(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    if ((*file)->size() == 0) {
        return badInput(path + ": the file is empty", "write it again");
    }
    int best = 0;
    const formats::Format* chosen = nullptr;
    for (const auto& format : kFormats) {
        const int score = format.score(**file);
        if (score > best) {
            best = score;
            chosen = &format;
        }
    }
    const std::string foreign = best < kSure && !rawIsStated(hints) ? formats::foreignFormat(**file) : std::string();
    const bool onlyText = foreign.starts_with("a text");
    if (!foreign.empty() && (!onlyText || best < kThreshold)) {
        return badInput(fmt::format("{}: this is {}, which is not read here", path, foreign),
                        "convert it to SEG-Y, SU, RSF, .npy or HDF5 first");
    }
    // A stated shape that is exactly the file's size says "raw"; only a sure signature contradicts it.
    const bool asRaw = best < kThreshold || (best < kCertain && statedBytes(hints) == (*file)->size());
    auto opened = asRaw ? formats::openRaw(*file, hints) : chosen->open(*file, hints);
    if (!opened) {
        Error error = opened.error();
        if (error.text().find(path) == std::string::npos) {
            error.what = path + ": " + error.what;
        }
        return tl::unexpected(error);
    }
    opened->path = path;
    if (auto r = chooseDataset(*opened, hints.dataset); !r) {
        return tl::unexpected(r.error());
    }
    return opened;
}

namespace {

Result<FileReport> inspectFile(const std::string& path, const ModelSource& hints, bool whole)
{
    auto file = openArrayFile(path, hints);
    if (!file) {
        return tl::unexpected(file.error());
    }
    FileReport report;
    report.path = path;
    report.format = file->format;
    report.bytes = InputFile::open(path).map([](const auto& f) { return f->size(); }).value_or(0);
    report.description = file->description;
    report.sampleInterval = file->sampleInterval;
    report.intervalUnit = file->intervalUnit;
    report.warnings = file->warnings;
    report.hints = file->hints;
    report.whole = whole;
    std::size_t readable = 0;
    for (std::size_t i = 0; i < file->arrays.size(); ++i) {
        const StoredArray& a = file->arrays[i];
        ArrayReport one{a.name, a.typeText.empty() ? std::string(sampleTypeName(a.type)) : a.typeText, a.shape,
                        std::nullopt, a.problem};
        if (a.numeric && a.problem.empty() && !whole) {
            ++readable;
            if (i == file->main) {
                report.shape = a.shape;
                report.axes = a.axes;
                report.sampleType = one.type;
                report.byteOrder = std::string(byteOrderName(a.order));
            }
        } else if (a.numeric && a.problem.empty()) {
            const bool traces = file->traces != nullptr && a.shape.size() == 2;
            TraceChecks checks(traces ? a.shape.back() : 0);
            auto statistics = traces ? statisticsOf(a, [&checks](std::span<const double> part) { checks.add(part); })
                                     : statisticsOf(a);
            if (traces && statistics) {
                const auto found = checks.findings();
                report.warnings.insert(report.warnings.end(), found.begin(), found.end());
            }
            if (!statistics && file->arrays.size() == 1) {
                return within(statistics.error(), path);
            }
            if (!statistics) {
                one.problem = statistics.error().what;
            } else {
                one.statistics = *statistics;
                ++readable;
            }
            if (i == file->main && statistics) {
                report.shape = a.shape;
                report.axes = a.axes;
                report.sampleType = one.type;
                report.byteOrder = std::string(byteOrderName(a.order));
                report.statistics = *statistics;
            }
        }
        report.arrays.push_back(std::move(one));
    }
    const bool allFail = readable == 0 && std::all_of(report.arrays.begin(), report.arrays.end(),
                                                      [](const ArrayReport& a) { return !a.problem.empty(); });
    if (allFail && !report.arrays.empty()) {
        return badInput(fmt::format("{}: none of its {} arrays can be read: {}", path, report.arrays.size(),
                                    report.arrays.front().problem));
    }
    if (report.statistics.nonFinite > 0) {
        report.warnings.push_back(fmt::format("{} of {} samples are NaN or infinite; they are left out of the range",
                                              report.statistics.nonFinite, report.statistics.count));
    }
    return report;
}

} // namespace

namespace {

Result<FileReport> guarded(const std::string& path, const ModelSource& hints, bool whole)
{
    try {
        return inspectFile(path, hints, whole);
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::OutOfMemory, path + ": this machine has not the memory to read it", "read it elsewhere");
    }
}

} // namespace

Result<FileReport> inspect(const std::string& path, const ModelSource& hints)
{
    return guarded(path, hints, true);
}

Result<FileReport> preview(const std::string& path, const ModelSource& hints)
{
    return guarded(path, hints, false);
}

std::string FileReport::text() const
{
    std::string out = fmt::format("{}: {}, {} bytes\n", path, format, bytes);
    const auto line = [&out](std::string_view name, const std::string& value) {
        out += fmt::format("  {:<16} {}\n", name, value);
    };
    for (const auto& fact : description) {
        out += "  " + fact + "\n";
    }
    if (!shape.empty()) {
        line("shape", fmt::format("{}{}", fmt::join(shape, " x "),
                                  axes.empty() ? "" : fmt::format(" ({})", fmt::join(axes, ", "))));
    }
    if (sampleInterval) {
        line("interval", fmt::format("{:.9g} {}", *sampleInterval, intervalUnit));
    }
    if (!sampleType.empty() && !whole) {
        line("samples", fmt::format("{}, {}-endian, {} of them, not read (ondo check reads them)", sampleType,
                                    byteOrder, productOf(shape).value_or(0)));
    } else if (!sampleType.empty()) {
        line("samples", fmt::format("{}, {}-endian, {} of them", sampleType, byteOrder, statistics.count));
        line("range", fmt::format("{:.10g} to {:.10g}", statistics.low, statistics.high));
        line("sum", fmt::format("{:.10g}", statistics.sum));
    }
    if (arrays.size() > 1 || (arrays.size() == 1 && !arrays.front().name.empty())) {
        for (const auto& a : arrays) {
            std::string values;
            if (a.statistics) {
                values = fmt::format(", {:.10g} to {:.10g}, sum {:.10g}", a.statistics->low, a.statistics->high,
                                     a.statistics->sum);
            }
            line("array", fmt::format("{} {} [{}]{}{}", a.name, a.type, fmt::join(a.shape, ", "), values,
                                      a.problem.empty() ? "" : " (" + a.problem + ")"));
        }
    }
    for (const auto& w : warnings) {
        out += "  warning: " + w + "\n";
    }
    for (const auto& h : hints) {
        out += "  hint: " + h + "\n";
    }
    return out;
}

} // namespace ondo
