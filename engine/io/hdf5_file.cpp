// HDF5 files of others: every dataset named, the numeric ones readable slab by slab.
#include "engine/io/formats.h"

#ifdef ONDO_HAS_HDF5
#include "engine/io/hdf5_handle.h"
#include "engine/io/read_watch.h"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ondo {

namespace formats {

int scoreHdf5(const InputFile& file)
{
    static constexpr unsigned char kMagic[8] = {0x89, 'H', 'D', 'F', 0x0D, 0x0A, 0x1A, 0x0A};
    for (std::int64_t at = 0; at + 8 <= file.size() && at <= (1 << 24); at = at == 0 ? 512 : at * 2) {
        const auto bytes = file.bytes(at, 8);
        if (bytes && std::memcmp(bytes->data(), kMagic, 8) == 0) {
            return 100;
        }
    }
    return 0;
}

} // namespace formats

#ifndef ONDO_HAS_HDF5

namespace formats {

Result<ArrayFile> openHdf5(const InputFilePtr& file, const ModelSource&)
{
    return badInput(fmt::format("{}: an HDF5 file, and this program was built without HDF5", file->path()),
                    "use a build with libhdf5");
}

} // namespace formats

#else

namespace {

constexpr std::size_t kMostDatasets = 1000;
constexpr std::int64_t kSlabSamples = std::int64_t{1} << 21;

// Deflate makes at most 1032 bytes of one; shuffles of constants do no better.
constexpr std::int64_t kMostExpansion = 1040;
constexpr std::int64_t kSparseSamples = std::int64_t{1} << 22;

herr_t collect(hid_t, const char* name, const H5O_info_t* object, void* out)
{
    auto& names = *static_cast<std::vector<std::string>*>(out);
    if (object->type == H5O_TYPE_DATASET) {
        names.emplace_back(name);
    }
    return names.size() >= kMostDatasets ? 1 : 0;
}

struct OpenDataset {
    Hid file;
    Hid set;
    std::vector<hsize_t> shape;
    std::int64_t rowSamples = 1;
    std::int64_t firstRow = -1; // of the slab held
    std::int64_t rows = 0;
    std::vector<double> slab;
    ~OpenDataset()
    {
        const Hdf5Lock lock;
        set.reset();
        file.reset();
    }
    OpenDataset() = default;
    OpenDataset(const OpenDataset&) = delete;
    OpenDataset& operator=(const OpenDataset&) = delete;
    OpenDataset(OpenDataset&&) = delete;
    OpenDataset& operator=(OpenDataset&&) = delete;

    Result<> load(std::int64_t row);
};

Result<> OpenDataset::load(std::int64_t row)
{
    const Hdf5Lock lock;
    const auto all = shape.empty() ? std::int64_t{1} : static_cast<std::int64_t>(shape[0]);
    const std::int64_t many = std::clamp<std::int64_t>(kSlabSamples / rowSamples, 1, all - row);
    slab.resize(static_cast<std::size_t>(many * rowSamples));
    herr_t state = -1;
    if (shape.empty()) {
        state = H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, slab.data());
    } else {
        std::vector<hsize_t> start(shape.size(), 0);
        std::vector<hsize_t> count = shape;
        start[0] = static_cast<hsize_t>(row);
        count[0] = static_cast<hsize_t>(many);
        const Hid space(H5Dget_space(set.get()), H5Sclose);
        const Hid memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
        if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0) {
            state = H5Dread(set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, slab.data());
        }
    }
    if (state < 0) {
        firstRow = -1;
        return badInput("the dataset cannot be read: " + hdf5Why(),
                        "write it with the filters of a plain HDF5 library");
    }
    firstRow = row;
    rows = many;
    const auto stored = static_cast<double>(H5Dget_storage_size(set.get()));
    if (!ReadWatch::goesOn(static_cast<std::int64_t>(stored * static_cast<double>(many) / static_cast<double>(all)))) {
        return fail(ErrorKind::Cancelled, "reading was cancelled");
    }
    return {};
}

std::function<Result<>(std::int64_t, std::span<double>)> slabReader(std::shared_ptr<OpenDataset> data)
{
    return [data = std::move(data)](std::int64_t first, std::span<double> out) -> Result<> {
        std::size_t done = 0;
        while (done < out.size()) {
            const std::int64_t at = first + static_cast<std::int64_t>(done);
            const std::int64_t row = at / data->rowSamples;
            if (data->firstRow < 0 || row < data->firstRow || row >= data->firstRow + data->rows) {
                if (auto r = data->load(row); !r) {
                    return r;
                }
            }
            const std::int64_t inside = at - data->firstRow * data->rowSamples;
            const auto take = std::min(out.size() - done, data->slab.size() - static_cast<std::size_t>(inside));
            std::copy_n(data->slab.begin() + inside, take, out.begin() + static_cast<std::ptrdiff_t>(done));
            done += take;
        }
        return {};
    };
}

std::optional<SampleType> numericType(hid_t type, std::string& text)
{
    const std::size_t bytes = H5Tget_size(type);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_FLOAT) {
        text = fmt::format("float{}", bytes * 8);
        switch (bytes) {
        case 2: return SampleType::Float16;
        case 4: return SampleType::Float32;
        default: return SampleType::Float64;
        }
    }
    if (kind == H5T_INTEGER) {
        const bool isSigned = H5Tget_sign(type) == H5T_SGN_2;
        text = fmt::format("{}int{}", isSigned ? "" : "u", bytes * 8);
        switch (bytes) {
        case 1: return isSigned ? SampleType::Int8 : SampleType::UInt8;
        case 2: return isSigned ? SampleType::Int16 : SampleType::UInt16;
        case 4: return isSigned ? SampleType::Int32 : SampleType::UInt32;
        default: return isSigned ? SampleType::Int64 : SampleType::UInt64;
        }
    }
    text = kind == H5T_COMPOUND ? "compound"
                                : (kind == H5T_STRING ? "text" : (kind == H5T_REFERENCE ? "reference" : "other"));
    return std::nullopt;
}

std::vector<double> attributeNumbers(hid_t object, const char* name, std::size_t wanted)
{
    if (H5Aexists(object, name) <= 0) {
        return {};
    }
    const Hid attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Hid space(H5Aget_space(attribute.get()), H5Sclose);
    const Hid type(H5Aget_type(attribute.get()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.get());
    if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(wanted) ||
        (kind != H5T_FLOAT && kind != H5T_INTEGER)) {
        return {};
    }
    std::vector<double> out(wanted);
    return H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, out.data()) >= 0 ? out : std::vector<double>();
}

StoredArray describeDataset(hid_t file, const std::string& name)
{
    StoredArray a;
    a.name = name;
    a.numeric = false;
    auto data = std::make_shared<OpenDataset>();
    data->set = Hid(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data->set.good()) {
        a.typeText = "unread";
        a.problem = "it does not open: " + hdf5Why();
        return a;
    }
    const Hid type(H5Dget_type(data->set.get()), H5Tclose);
    const Hid space(H5Dget_space(data->set.get()), H5Sclose);
    const auto numeric = numericType(type.get(), a.typeText);
    const H5S_class_t extent = H5Sget_simple_extent_type(space.get());
    if (extent == H5S_NULL || extent == H5S_NO_CLASS) {
        a.typeText += " (empty)";
        return a;
    }
    const int rank = std::max(0, H5Sget_simple_extent_ndims(space.get()));
    data->shape.resize(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.get(), data->shape.data(), nullptr);
    for (std::size_t i = 0; i < data->shape.size(); ++i) {
        a.shape.push_back(static_cast<std::int64_t>(std::min<hsize_t>(data->shape[i], hsize_t{1} << 62)));
        data->rowSamples *= i > 0 ? static_cast<std::int64_t>(std::max<hsize_t>(data->shape[i], 1)) : 1;
    }
    const auto count = productOf(a.shape);
    if (!numeric || !count) {
        a.problem = count ? "" : "its dimensions are impossible";
        return a;
    }
    const auto stored = static_cast<std::int64_t>(H5Dget_storage_size(data->set.get()));
    if (*count > kSparseSamples && *count / kMostExpansion > stored) {
        a.problem = fmt::format("it claims {} samples and stores {} bytes", *count, stored);
        return a;
    }
    a.type = *numeric;
    a.order = H5Tget_order(type.get()) == H5T_ORDER_BE ? ByteOrder::Big : ByteOrder::Little;
    a.numeric = true;
    a.spacing = attributeNumbers(data->set.get(), "spacing", a.shape.size());
    a.origin = attributeNumbers(data->set.get(), "origin", a.shape.size());
    const auto interval = attributeNumbers(data->set.get(), "sample_interval", 1);
    a.sampleInterval = interval.empty() ? 0.0 : interval.front();
    data->file = Hid(H5Iget_file_id(data->set.get()), H5Fclose);
    a.read = slabReader(std::move(data));
    return a;
}

herr_t innermost(unsigned, const H5E_error2_t* error, void* out)
{
    auto& text = *static_cast<std::string*>(out);
    if (error->desc != nullptr && text.empty()) {
        text = error->desc;
    }
    return 0;
}

// One line for a person: of a driver's report, what the system said.
std::string plainly(std::string text)
{
    static constexpr std::string_view kSystem = "error message = '";
    if (const auto at = text.find(kSystem); at != std::string::npos) {
        const auto from = at + kSystem.size();
        return text.substr(from, text.find('\'', from) - from);
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

} // namespace

Hdf5Lock::Hdf5Lock()
{
    static std::recursive_mutex mutex;
    m_lock = std::unique_lock(mutex);
    // A file that a full disk kept from closing crashes the library's own clearing up at the end of the program; every
    // handle of ours closes itself.
    [[maybe_unused]] static const herr_t once = H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5Why()
{
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
    return text.empty() ? "the HDF5 library does not say why" : plainly(std::move(text));
}

namespace formats {

Result<ArrayFile> openHdf5(const InputFilePtr& file, const ModelSource&)
{
    const Hdf5Lock lock;
    const Hid access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Datasets that outlive this function keep the file open, and the last of them closes it.
    H5Pset_fclose_degree(access.get(), H5F_CLOSE_WEAK);
    const Hid opened(H5Fopen(file->path().c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!opened.good()) {
        return badInput(fmt::format("{}: HDF5 does not open it: {}", file->path(), hdf5Why()),
                        "the file is damaged, or its writer did not close it");
    }
    std::vector<std::string> names;
    if (H5Ovisit(opened.get(), H5_INDEX_NAME, H5_ITER_NATIVE, collect, &names) < 0) {
        return badInput(fmt::format("{}: HDF5 cannot list it: {}", file->path(), hdf5Why()), "the file is damaged");
    }
    ArrayFile out;
    out.format = "HDF5";
    const auto head = file->head(20);
    if (std::string_view(reinterpret_cast<const char*>(head.data()), head.size()).starts_with("MATLAB 7.3")) {
        out.format = "MATLAB 7.3 (HDF5)";
    }
    for (const auto& name : names) {
        out.arrays.push_back(describeDataset(opened.get(), name));
    }
    out.description.push_back(fmt::format("{} datasets", out.arrays.size()));
    chooseMain(out);
    return out;
}

} // namespace formats

#endif

} // namespace ondo
