// VTK's ImageData in XML (.vti): numbers as text, base64 or raw, inline or appended, plain or in zlib blocks; the file
// formats chapter of the VTK User's Guide. Only what a file says of its one piece is held; samples are read where they
// lie, block by block where they are compressed.
#include "engine/io/formats.h"
#include "engine/io/inflate.h"
#include "engine/io/text_numbers.h"
#include "engine/io/vtk_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace ondo::formats {

namespace {

constexpr std::int64_t kPiece = 1 << 16;
constexpr std::int64_t kLongestTag = 1 << 14;
constexpr std::size_t kMostArrays = 1000;

using Attributes = std::map<std::string, std::string, std::less<>>;

struct Tag {
    std::string name; // "/DataArray" for an end
    Attributes attributes;
    bool closed = false;     // <.../>
    std::int64_t after = 0;  // offset of what follows
    std::int64_t before = 0; // offset of its '<'
};

// Tags one by one; what lies between them is passed over unread by the caller's choice of `from`.
class TagReader {
public:
    explicit TagReader(const InputFile& file)
        : m_file(file)
    {
    }
    // The next tag from offset `from` on; nothing at the end of the file.
    Result<std::optional<Tag>> next(std::int64_t from);

private:
    // Offset of `c` from `from` on, or -1.
    Result<std::int64_t> find(unsigned char c, std::int64_t from);
    const InputFile& m_file;
    std::vector<unsigned char> m_block;
    std::int64_t m_start = -1;
};

Result<std::int64_t> TagReader::find(unsigned char c, std::int64_t from)
{
    while (from < m_file.size()) {
        if (m_start < 0 || from < m_start || from >= m_start + static_cast<std::int64_t>(m_block.size())) {
            auto block = m_file.bytes(from, std::min(kPiece, m_file.size() - from));
            if (!block) {
                return tl::unexpected<Error>(block.error());
            }
            m_block = std::move(*block);
            m_start = from;
        }
        const auto first = m_block.begin() + (from - m_start);
        const auto found = std::find(first, m_block.end(), c);
        from = m_start + (found - m_block.begin());
        if (found != m_block.end()) {
            return from;
        }
    }
    return std::int64_t{-1};
}

Attributes attributesOf(std::string_view text)
{
    Attributes out;
    while (true) {
        const auto equals = text.find('=');
        const auto open = equals == text.npos ? text.npos : text.find_first_of("\"'", equals);
        const auto close = open == text.npos ? text.npos : text.find(text[open], open + 1);
        if (close == text.npos) {
            return out;
        }
        std::string name(text.substr(0, equals));
        std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0; });
        out.emplace(name, text.substr(open + 1, close - open - 1));
        text.remove_prefix(close + 1);
    }
}

Result<std::optional<Tag>> TagReader::next(std::int64_t from)
{
    auto open = find('<', from);
    auto close = open && *open >= 0 ? find('>', *open) : open;
    if (!close) {
        return tl::unexpected<Error>(close.error());
    }
    if (*close < 0) {
        return std::optional<Tag>();
    }
    if (*close - *open > kLongestTag) {
        return badInput(fmt::format("the tag at byte {} does not end", *open), "the file is damaged");
    }
    auto raw = m_file.bytes(*open + 1, *close - *open - 1);
    if (!raw) {
        return tl::unexpected<Error>(raw.error());
    }
    std::string_view text(reinterpret_cast<const char*>(raw->data()), raw->size());
    Tag tag;
    tag.before = *open;
    tag.after = *close + 1;
    tag.closed = text.ends_with('/');
    text = tag.closed ? text.substr(0, text.size() - 1) : text;
    const auto end = std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; });
    tag.name.assign(text.begin(), end);
    tag.attributes = attributesOf(text.substr(static_cast<std::size_t>(end - text.begin())));
    return std::optional<Tag>(std::move(tag));
}

std::string value(const Attributes& a, std::string_view name, const char* standard = "")
{
    const auto found = a.find(name);
    return found == a.end() ? std::string(standard) : found->second;
}

std::optional<SampleType> typeOf(const std::string& name)
{
    static const std::map<std::string, SampleType> kTypes = {
        {"Int8", SampleType::Int8},      {"UInt8", SampleType::UInt8},   {"Int16", SampleType::Int16},
        {"UInt16", SampleType::UInt16},  {"Int32", SampleType::Int32},   {"UInt32", SampleType::UInt32},
        {"Int64", SampleType::Int64},    {"UInt64", SampleType::UInt64}, {"Float32", SampleType::Float32},
        {"Float64", SampleType::Float64}};
    const auto found = kTypes.find(name);
    return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

int sixBits(unsigned char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : (c == '/' ? 63 : (c == '=' ? 0 : -1));
}

// Bytes of the file, as they are or through base64 without blanks in it, which is how VTK writes it.
struct ByteSource {
    InputFilePtr file;
    std::int64_t start = 0; // offset of the first byte or character
    bool base64 = false;

    // Where bytes that follow `count` bytes of their own base64 stream begin.
    [[nodiscard]] ByteSource past(std::int64_t count) const
    {
        return {file, start + (base64 ? (count + 2) / 3 * 4 : count), base64};
    }
    [[nodiscard]] Result<> read(std::int64_t at, std::span<unsigned char> out) const
    {
        if (!base64) {
            return file->read(start + at, out);
        }
        const std::int64_t first = at / 3;
        const std::int64_t last = (at + static_cast<std::int64_t>(out.size()) + 2) / 3;
        auto text = file->bytes(start + 4 * first, 4 * (last - first));
        if (!text) {
            return tl::unexpected<Error>(text.error());
        }
        std::int64_t skip = at % 3;
        std::size_t done = 0;
        for (std::size_t q = 0; q + 3 < text->size() && done < out.size(); q += 4) {
            std::uint32_t bits = 0;
            for (std::size_t k = 0; k < 4; ++k) {
                const int six = sixBits((*text)[q + k]);
                if (six < 0) {
                    return badInput(
                        fmt::format("byte {} is not base64", start + 4 * first + static_cast<std::int64_t>(q + k)),
                        "the file is damaged, or its base64 is broken into lines, which is not read");
                }
                bits = (bits << 6) | static_cast<std::uint32_t>(six);
            }
            for (int k = 2; k >= 0 && done < out.size(); --k) {
                if (skip > 0) {
                    --skip;
                    continue;
                }
                out[done++] = static_cast<unsigned char>((bits >> (8 * k)) & 0xFF);
            }
        }
        return {};
    }
};

// Blocks of zlib: how long each is, and the last one that was unpacked.
struct Blocks {
    ByteSource source;
    std::vector<std::int64_t> starts; // of each block's packed bytes, and the end
    std::int64_t blockBytes = 0;      // unpacked
    std::int64_t total = 0;
    std::int64_t held = -1;
    std::vector<unsigned char> bytes;

    Result<> unpack(std::int64_t block)
    {
        if (block == held) {
            return {};
        }
        const auto b = static_cast<std::size_t>(block);
        std::vector<unsigned char> packed(static_cast<std::size_t>(starts[b + 1] - starts[b]));
        if (auto r = source.read(starts[b], packed); !r) {
            return r;
        }
        auto plain = inflateBytes(packed, DeflateWrapper::Zlib, blockBytes);
        if (!plain) {
            return tl::unexpected<Error>(plain.error());
        }
        const std::int64_t wanted = std::min(blockBytes, total - block * blockBytes);
        if (static_cast<std::int64_t>(plain->size()) < wanted) {
            return badInput(fmt::format("block {} gives {} of {} bytes", block, plain->size(), wanted),
                            "the file is damaged");
        }
        bytes = std::move(*plain);
        held = block;
        return {};
    }
};

struct Layout {
    ByteOrder order = ByteOrder::Little;
    std::int64_t word = 4;      // bytes of a header word
    std::string compressor;     // empty: none
    std::int64_t appended = -1; // offset of the byte after the underscore
    bool appendedBase64 = false;
};

class Reading {
public:
    Reading(InputFilePtr file, ArrayFile& out)
        : m_file(std::move(file))
        , m_out(out)
        , m_tags(*m_file)
    {
    }
    Result<> read();

private:
    struct Pending {
        Attributes attributes;
        bool cells = false;
        std::int64_t start = 0; // of inline text
    };
    Result<> root(const Attributes& a);
    Result<> image(const Attributes& a);
    Result<> piece(const Attributes& a);
    Result<> scan();
    void add(const Pending& p);
    Result<> bind(StoredArray& a, const Pending& p);
    Result<> bindBytes(StoredArray& a, const ByteSource& source);
    Result<> bindBlocks(StoredArray& a, const ByteSource& source);
    Result<> bindText(StoredArray& a, std::int64_t start);
    Result<std::uint64_t> word(const ByteSource& s, std::int64_t index) const;

    InputFilePtr m_file;
    ArrayFile& m_out;
    TagReader m_tags;
    Layout m_layout;
    vtk::Image m_image;
    bool m_imageSeen = false;
    std::vector<Pending> m_pending;
};

Result<> Reading::root(const Attributes& a)
{
    if (value(a, "type") != "ImageData") {
        return badInput(fmt::format("this is VTK's {}, and only ImageData is a regular grid", value(a, "type")),
                        "resample it to an image first");
    }
    m_layout.order = value(a, "byte_order") == "BigEndian" ? ByteOrder::Big : ByteOrder::Little;
    m_layout.word = value(a, "header_type", "UInt32") == "UInt64" ? 8 : 4;
    m_layout.compressor = value(a, "compressor");
    return {};
}

Result<> Reading::image(const Attributes& a)
{
    const auto direction = vtk::numbers(value(a, "Direction", "1 0 0 0 1 0 0 0 1"));
    if (direction != std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}) {
        return badInput("its axes are turned by a Direction, which is not read", "resample it along x, y and z first");
    }
    m_imageSeen = true;
    return m_image.set(vtk::numbers(value(a, "WholeExtent")), vtk::numbers(value(a, "Origin", "0 0 0")),
                       vtk::numbers(value(a, "Spacing", "1 1 1")));
}

Result<> Reading::piece(const Attributes& a)
{
    vtk::Image own = m_image;
    if (auto r = own.set(vtk::numbers(value(a, "Extent")), {0, 0, 0}, {1, 1, 1}); !r) {
        return r;
    }
    if (own.extent != m_image.extent) {
        return badInput("the image is cut into pieces, which are not put together", "write it as one piece");
    }
    return {};
}

Result<> Reading::scan()
{
    std::int64_t at = 0;
    bool cells = false;
    bool inside = false;
    while (true) {
        auto tag = m_tags.next(at);
        if (!tag) {
            return tl::unexpected<Error>(tag.error());
        }
        if (!*tag) {
            return {};
        }
        const Tag& t = **tag;
        at = t.after;
        Result<> done;
        if (t.name == "VTKFile") {
            done = root(t.attributes);
        } else if (t.name == "ImageData") {
            done = image(t.attributes);
        } else if (t.name == "Piece") {
            done = piece(t.attributes);
        } else if (t.name == "PointData" || t.name == "CellData") {
            cells = t.name == "CellData";
            inside = true;
        } else if (t.name == "/PointData" || t.name == "/CellData") {
            inside = false;
        } else if (t.name == "DataArray" && inside && m_pending.size() < kMostArrays) {
            m_pending.push_back({t.attributes, cells, t.after});
        } else if (t.name == "AppendedData") {
            auto head = m_file->bytes(t.after, std::min<std::int64_t>(kPiece, m_file->size() - t.after));
            const auto mark = head ? std::find(head->begin(), head->end(), '_') : decltype(head->begin()){};
            if (!head || mark == head->end()) {
                return badInput("the appended data do not begin with an underscore", "the file is damaged");
            }
            m_layout.appended = t.after + (mark - head->begin()) + 1;
            m_layout.appendedBase64 = value(t.attributes, "encoding") == "base64";
            return {};
        }
        if (!done) {
            return done;
        }
    }
}

Result<std::uint64_t> Reading::word(const ByteSource& s, std::int64_t index) const
{
    unsigned char raw[8] = {};
    if (auto r = s.read(index * m_layout.word, {raw, static_cast<std::size_t>(m_layout.word)}); !r) {
        return tl::unexpected<Error>(r.error());
    }
    return m_layout.word == 8 ? loadNumber<std::uint64_t>(raw, m_layout.order)
                              : std::uint64_t{loadNumber<std::uint32_t>(raw, m_layout.order)};
}

Result<> Reading::bindBytes(StoredArray& a, const ByteSource& source)
{
    const auto bytes = word(source, 0);
    if (!bytes) {
        return tl::unexpected<Error>(bytes.error());
    }
    const auto wanted = static_cast<std::uint64_t>(a.count()) * static_cast<std::uint64_t>(sampleBytes(a.type));
    if (*bytes != wanted) {
        return badInput(fmt::format("it says {} bytes but its shape needs {}", *bytes, wanted), "the file is damaged");
    }
    a.read = [source, type = a.type, order = a.order, head = m_layout.word](std::int64_t first,
                                                                            std::span<double> out) -> Result<> {
        const auto width = static_cast<std::size_t>(sampleBytes(type));
        std::vector<unsigned char> raw(out.size() * width);
        // Length and samples are one stream of base64.
        if (auto r = source.read(head + first * static_cast<std::int64_t>(width), raw); !r) {
            return r;
        }
        decodeSamples(raw.data(), type, order, out);
        return {};
    };
    return {};
}

Result<> Reading::bindBlocks(StoredArray& a, const ByteSource& source)
{
    auto blocks = std::make_shared<Blocks>();
    std::uint64_t head[3] = {};
    for (std::int64_t k = 0; k < 3; ++k) {
        const auto w = word(source, k);
        if (!w) {
            return tl::unexpected<Error>(w.error());
        }
        head[k] = *w;
    }
    const auto limit = static_cast<std::uint64_t>(m_file->size());
    if (head[0] > limit || head[1] == 0 || head[1] > (std::uint64_t{1} << 30) || head[2] > head[1]) {
        return badInput(fmt::format("its compression header says {} blocks of {} bytes", head[0], head[1]),
                        "the file is damaged");
    }
    blocks->blockBytes = static_cast<std::int64_t>(head[1]);
    // The last block may be a part, whose length is then said.
    const auto whole = static_cast<std::int64_t>(head[0]) - (head[2] > 0 ? 1 : 0);
    blocks->total = whole * blocks->blockBytes + static_cast<std::int64_t>(head[2]);
    if (blocks->total != a.count() * sampleBytes(a.type)) {
        return badInput(fmt::format("its blocks give {} bytes but its shape needs {}", blocks->total,
                                    a.count() * sampleBytes(a.type)),
                        "the file is damaged");
    }
    blocks->starts.push_back(0);
    for (std::uint64_t k = 0; k < head[0]; ++k) {
        const auto packed = word(source, static_cast<std::int64_t>(k) + 3);
        if (!packed) {
            return tl::unexpected<Error>(packed.error());
        }
        if (*packed > limit) {
            return badInput(fmt::format("block {} says {} bytes", k, *packed), "the file is damaged");
        }
        blocks->starts.push_back(blocks->starts.back() + static_cast<std::int64_t>(*packed));
    }
    // The header is a stream of base64 of its own, the blocks together another.
    blocks->source = source.past(m_layout.word * (static_cast<std::int64_t>(head[0]) + 3));
    a.read = [blocks, type = a.type, order = a.order](std::int64_t first, std::span<double> out) -> Result<> {
        const auto width = static_cast<std::int64_t>(sampleBytes(type));
        std::vector<unsigned char> raw(out.size() * static_cast<std::size_t>(width));
        std::int64_t at = first * width;
        std::size_t done = 0;
        while (done < raw.size()) {
            const std::int64_t block = at / blocks->blockBytes;
            if (block + 1 >= static_cast<std::int64_t>(blocks->starts.size())) {
                return badInput("the blocks end before the array does", "the file is damaged");
            }
            if (auto r = blocks->unpack(block); !r) {
                return r;
            }
            const std::int64_t inside = at % blocks->blockBytes;
            const auto have = static_cast<std::int64_t>(blocks->bytes.size()) - inside;
            const auto take =
                static_cast<std::size_t>(std::min<std::int64_t>(have, static_cast<std::int64_t>(raw.size() - done)));
            if (take == 0) {
                return badInput("the blocks end before the array does", "the file is damaged");
            }
            std::copy_n(blocks->bytes.begin() + inside, take, raw.begin() + static_cast<std::ptrdiff_t>(done));
            done += take;
            at += static_cast<std::int64_t>(take);
        }
        decodeSamples(raw.data(), type, order, out);
        return {};
    };
    return {};
}

Result<> Reading::bindText(StoredArray& a, std::int64_t start)
{
    auto end = m_tags.next(start);
    if (!end || !*end) {
        return badInput("its numbers do not end", "the file is damaged");
    }
    auto values = parseNumbers(*m_file, start, (*end)->before);
    if (!values) {
        return tl::unexpected<Error>(values.error());
    }
    if (static_cast<std::int64_t>(values->values.size()) != a.count()) {
        return badInput(fmt::format("it holds {} numbers but its shape needs {}", values->values.size(), a.count()),
                        "the file is damaged");
    }
    a.read = numbersReader(std::make_shared<const std::vector<double>>(std::move(values->values)));
    return {};
}

Result<> Reading::bind(StoredArray& a, const Pending& p)
{
    const auto format = value(p.attributes, "format", "ascii");
    if (format == "ascii") {
        return bindText(a, p.start);
    }
    ByteSource source{m_file, p.start, true};
    if (format == "appended") {
        const auto text = value(p.attributes, "offset");
        std::int64_t offset = -1;
        std::from_chars(text.data(), text.data() + text.size(), offset);
        if (m_layout.appended < 0 || offset < 0 || offset > m_file->size() - m_layout.appended) {
            return badInput(fmt::format("its offset \"{}\" is not in the file", text), "the file is damaged");
        }
        source = {m_file, m_layout.appended + offset, m_layout.appendedBase64};
    } else if (format == "binary") {
        auto head = m_file->bytes(p.start, std::min<std::int64_t>(kPiece, m_file->size() - p.start));
        const auto first =
            head ? std::find_if(head->begin(), head->end(), [](unsigned char c) { return std::isspace(c) == 0; })
                 : decltype(head->begin()){};
        source.start += head ? first - head->begin() : 0;
    } else {
        return badInput(fmt::format("its format \"{}\" is none of VTK's", format), "the file is damaged");
    }
    if (!m_layout.compressor.empty() && m_layout.compressor != "vtkZLibDataCompressor") {
        return badInput(fmt::format("its samples are packed by {}, which is not read", m_layout.compressor),
                        "write it with zlib, or without compression");
    }
    return m_layout.compressor.empty() ? bindBytes(a, source) : bindBlocks(a, source);
}

void Reading::add(const Pending& p)
{
    StoredArray a;
    a.name = value(p.attributes, "Name");
    a.order = m_layout.order;
    const auto type = typeOf(value(p.attributes, "type"));
    std::int64_t components = 1;
    const auto text = value(p.attributes, "NumberOfComponents", "1");
    std::from_chars(text.data(), text.data() + text.size(), components);
    m_image.shape(a, p.cells, components);
    if (!type || components < 1 || components > 64) {
        a.numeric = false;
        a.typeText = value(p.attributes, "type");
        a.problem = "a type that is not read";
    } else {
        a.type = *type;
        if (auto r = bind(a, p); !r) {
            a.problem = r.error().text();
        }
    }
    m_out.arrays.push_back(std::move(a));
}

Result<> Reading::read()
{
    if (auto r = scan(); !r) {
        return r;
    }
    if (!m_imageSeen || m_pending.empty()) {
        return badInput("there is no array on an image in it", "look whether it is the file that was meant");
    }
    for (const auto& p : m_pending) {
        add(p);
    }
    m_out.description.push_back(m_image.describe());
    m_out.description.push_back(fmt::format(
        "{}, {}-endian", m_layout.compressor.empty() ? "not compressed" : "compressed", byteOrderName(m_layout.order)));
    return {};
}

} // namespace

int scoreVti(const InputFile& file)
{
    const auto head = file.head(1024);
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    const auto at = text.find("<VTKFile");
    return at != text.npos && text.find_first_not_of(" \t\r\n") == text.find('<') ? 95 : 0;
}

Result<ArrayFile> openVti(const InputFilePtr& file, const ModelSource&)
{
    ArrayFile out;
    out.format = "VTK ImageData";
    if (auto r = Reading(file, out).read(); !r) {
        return within(r.error(), file->path());
    }
    chooseMain(out);
    return out;
}

} // namespace ondo::formats
