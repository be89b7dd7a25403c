// VTK's older files (.vtk): structured points as text or big-endian binary; the file formats chapter of the VTK User's
// Guide. Arrays of SCALARS and of FIELD are read, other attributes end the reading with a warning.
#include "engine/io/formats.h"
#include "engine/io/text_numbers.h"
#include "engine/io/vtk_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace ondo::formats {

namespace {

constexpr std::int64_t kLongestLine = 4096;

class Reading {
public:
    Reading(InputFilePtr file, ArrayFile& out)
        : m_file(std::move(file))
        , m_out(out)
    {
    }
    Result<> read();

private:
    // The next line that is not blank, split by blanks; empty at the end of the file.
    Result<std::vector<std::string>> line();
    Result<> head();
    Result<> dataset();
    Result<> attributes();
    Result<bool> attribute(const std::vector<std::string>& words, bool cells, std::int64_t tuples);
    Result<> array(const std::string& name, const std::string& type, std::int64_t components, bool cells,
                   std::int64_t tuples);

    InputFilePtr m_file;
    ArrayFile& m_out;
    std::int64_t m_at = 0;
    bool m_binary = false;
    vtk::Image m_image;
};

std::int64_t countOf(const std::string& word)
{
    const auto v = vtk::numbers(word);
    return v.size() == 1 && v[0] >= 0 && v[0] <= 0x1p40 ? static_cast<std::int64_t>(v[0]) : -1;
}

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

Result<std::vector<std::string>> Reading::line()
{
    std::vector<std::string> words;
    while (words.empty() && m_at < m_file->size()) {
        auto block = m_file->bytes(m_at, std::min(kLongestLine, m_file->size() - m_at));
        if (!block) {
            return tl::unexpected<Error>(block.error());
        }
        const auto end = std::find(block->begin(), block->end(), static_cast<unsigned char>('\n'));
        if (end == block->end() && static_cast<std::int64_t>(block->size()) == kLongestLine) {
            return badInput(fmt::format("the line at byte {} does not end", m_at), "the file is damaged");
        }
        m_at += (end - block->begin()) + (end == block->end() ? 0 : 1);
        std::string word;
        for (auto c = block->begin(); c != end; ++c) {
            if (std::isspace(*c) == 0) {
                word += static_cast<char>(*c);
            } else if (!word.empty()) {
                words.push_back(std::move(word));
                word.clear();
            }
        }
        if (!word.empty()) {
            words.push_back(std::move(word));
        }
    }
    return words;
}

Result<> Reading::head()
{
    auto first = m_file->bytes(0, std::min<std::int64_t>(1024, m_file->size()));
    if (!first) {
        return tl::unexpected<Error>(first.error());
    }
    // The second line is a title, which may be blank.
    for (int i = 0; i < 2; ++i) {
        const auto end = std::find(first->begin() + m_at, first->end(), static_cast<unsigned char>('\n'));
        if (end == first->end()) {
            return badInput("its two lines of title do not end", "the file is damaged");
        }
        m_at = end - first->begin() + 1;
    }
    auto kind = line();
    if (!kind) {
        return tl::unexpected<Error>(kind.error());
    }
    const std::string word = kind->empty() ? std::string() : upper(kind->front());
    if (word != "ASCII" && word != "BINARY") {
        return badInput(fmt::format("\"{}\" stands where ASCII or BINARY should", word.substr(0, 40)),
                        "the file is damaged");
    }
    m_binary = word == "BINARY";
    return {};
}

Result<> Reading::dataset()
{
    std::vector<double> dimensions;
    std::vector<double> origin = {0, 0, 0};
    std::vector<double> spacing = {1, 1, 1};
    while (true) {
        const std::int64_t before = m_at;
        auto words = line();
        if (!words) {
            return tl::unexpected<Error>(words.error());
        }
        const std::string key = words->empty() ? std::string() : upper(words->front());
        const std::string rest =
            words->empty() ? std::string() : fmt::format("{}", fmt::join(words->begin() + 1, words->end(), " "));
        if (key == "DATASET") {
            if (upper(rest) != "STRUCTURED_POINTS") {
                return badInput(
                    fmt::format("this is VTK's {}, and only STRUCTURED_POINTS is a regular grid", rest.substr(0, 40)),
                    "resample it to structured points first");
            }
        } else if (key == "DIMENSIONS") {
            dimensions = vtk::numbers(rest);
        } else if (key == "ORIGIN") {
            origin = vtk::numbers(rest);
        } else if (key == "SPACING" || key == "ASPECT_RATIO") {
            spacing = vtk::numbers(rest);
        } else if (key == "POINT_DATA" || key == "CELL_DATA") {
            m_at = before;
            break;
        } else {
            return badInput(key.empty() ? "there are no samples in it"
                                        : fmt::format("\"{}\" is not known before the samples", key.substr(0, 40)),
                            "the file is damaged");
        }
    }
    if (dimensions.size() != 3) {
        return badInput("the grid has no DIMENSIONS", "the file is damaged");
    }
    return m_image.set({0, dimensions[0] - 1, 0, dimensions[1] - 1, 0, dimensions[2] - 1}, origin, spacing);
}

Result<> Reading::array(const std::string& name, const std::string& type, std::int64_t components, bool cells,
                        std::int64_t tuples)
{
    static const std::map<std::string, SampleType> kTypes = {
        {"char", SampleType::Int8},         {"unsigned_char", SampleType::UInt8},
        {"short", SampleType::Int16},       {"unsigned_short", SampleType::UInt16},
        {"int", SampleType::Int32},         {"unsigned_int", SampleType::UInt32},
        {"long", SampleType::Int64},        {"unsigned_long", SampleType::UInt64},
        {"float", SampleType::Float32},     {"double", SampleType::Float64},
        {"vtktypeint64", SampleType::Int64}};
    const auto found = kTypes.find(type);
    if (found == kTypes.end() || components < 1 || components > 64) {
        return badInput(fmt::format("array \"{}\" is of \"{}\", which is not read", name, type), "write it as float");
    }
    StoredArray a;
    a.name = name;
    a.type = found->second;
    a.order = ByteOrder::Big;
    m_image.shape(a, cells, components);
    if (a.count() != tuples * components) {
        // A field of another length than the grid: a list.
        a.shape = {tuples, components};
        a.axes.clear();
        a.spacing.clear();
        a.origin.clear();
    }
    const std::int64_t count = a.count();
    if (m_binary) {
        const std::int64_t left = m_file->size() - m_at;
        if (count > left / sampleBytes(a.type)) {
            return badInput(fmt::format("array \"{}\" needs {} samples but {} bytes follow", name, count, left),
                            "the file is cut short");
        }
        a.read = contiguousReader(m_file, m_at, a.type, a.order);
        m_at += count * sampleBytes(a.type);
    } else {
        auto values = parseCounted(*m_file, m_at, count);
        if (!values) {
            return within(values.error(), fmt::format("array \"{}\"", name));
        }
        a.read = numbersReader(std::make_shared<const std::vector<double>>(std::move(*values)));
    }
    m_out.arrays.push_back(std::move(a));
    return {};
}

Result<bool> Reading::attribute(const std::vector<std::string>& words, bool cells, std::int64_t tuples)
{
    const std::string key = upper(words.front());
    if (key == "SCALARS" && words.size() >= 3) {
        const std::int64_t before = m_at;
        auto table = line();
        if (table && (table->empty() || upper(table->front()) != "LOOKUP_TABLE")) {
            m_at = before;
        }
        return array(words[1], words[2], words.size() > 3 ? countOf(words[3]) : 1, cells, tuples).map([] {
            return true;
        });
    }
    if (key == "FIELD" && words.size() >= 3) {
        const std::int64_t arrays = countOf(words[2]);
        for (std::int64_t k = 0; k < std::min<std::int64_t>(arrays, 1000); ++k) {
            auto row = line();
            if (!row || row->size() < 4) {
                return badInput("an array of a FIELD has no name, counts and type", "the file is damaged");
            }
            const std::int64_t rows = countOf((*row)[2]);
            if (rows < 0) {
                return badInput(fmt::format("\"{}\" is no number of rows", (*row)[2].substr(0, 40)),
                                "the file is damaged");
            }
            if (auto r = array((*row)[0], (*row)[3], countOf((*row)[1]), cells, rows); !r) {
                return tl::unexpected<Error>(r.error());
            }
        }
        return true;
    }
    return key == "METADATA";
}

Result<> Reading::attributes()
{
    bool cells = false;
    std::int64_t tuples = 0;
    bool metadata = false;
    while (true) {
        auto words = line();
        if (!words) {
            return tl::unexpected<Error>(words.error());
        }
        if (words->empty()) {
            return {};
        }
        const std::string key = upper(words->front());
        if ((key == "POINT_DATA" || key == "CELL_DATA") && words->size() >= 2) {
            cells = key == "CELL_DATA";
            tuples = countOf((*words)[1]);
            StoredArray whole;
            m_image.shape(whole, cells, 1);
            if (tuples != whole.count()) {
                return badInput(fmt::format("{} says {} but the grid has {}", key, (*words)[1], whole.count()),
                                "the file is damaged");
            }
            continue;
        }
        auto known = attribute(*words, cells, tuples);
        if (!known) {
            return tl::unexpected<Error>(known.error());
        }
        metadata = *known && key == "METADATA";
        if (!*known) {
            // METADATA goes on in lines of its own, which end with a blank one.
            const bool told = metadata || key == "INFORMATION" || key == "COMPONENT_NAMES";
            if (!told) {
                m_out.warnings.push_back(
                    fmt::format("from \"{}\" on the file is not read", words->front().substr(0, 40)));
                return {};
            }
        }
    }
}

Result<> Reading::read()
{
    if (auto r = head(); !r) {
        return r;
    }
    if (auto r = dataset(); !r) {
        return r;
    }
    if (auto r = attributes(); !r) {
        return r;
    }
    if (m_out.arrays.empty()) {
        return badInput("there is no array of scalars in it", "write the model as SCALARS");
    }
    m_out.description.push_back(m_image.describe());
    m_out.description.emplace_back(m_binary ? "binary, big-endian" : "text");
    return {};
}

} // namespace

int scoreVtk(const InputFile& file)
{
    const auto head = file.head(32);
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return text.starts_with("# vtk DataFile Version") ? 95 : 0;
}

Result<ArrayFile> openVtk(const InputFilePtr& file, const ModelSource&)
{
    ArrayFile out;
    out.format = "VTK structured points";
    if (auto r = Reading(file, out).read(); !r) {
        return within(r.error(), file->path());
    }
    chooseMain(out);
    return out;
}

} // namespace ondo::formats
