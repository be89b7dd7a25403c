// MATLAB files of version 5 (also compressed) and version 4. Version 7.3 is HDF5 and read as such.
#include "engine/io/formats.h"
#include "engine/io/inflate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ondo::formats {

namespace {

constexpr std::int64_t kMostExpansion = 1040; // deflate makes at most 1032 bytes of one
constexpr int kMostDepth = 32;

enum Element : std::uint32_t {
    kInt8 = 1,
    kUInt8 = 2,
    kInt16 = 3,
    kUInt16 = 4,
    kInt32 = 5,
    kUInt32 = 6,
    kSingle = 7,
    kDouble = 9,
    kInt64 = 12,
    kUInt64 = 13,
    kMatrix = 14,
    kCompressed = 15,
    kUtf8 = 16,
    kUtf16 = 17,
    kUtf32 = 18
};

constexpr const char* kClassNames[19] = {"?",       "cell",   "struct",   "object", "char",   "sparse", "float64",
                                         "float32", "int8",   "uint8",    "int16",  "uint16", "int32",  "uint32",
                                         "int64",   "uint64", "function", "opaque", "object"};

std::optional<SampleType> storedType(std::uint32_t element)
{
    switch (element) {
    case kInt8: return SampleType::Int8;
    case kUInt8: return SampleType::UInt8;
    case kInt16: return SampleType::Int16;
    case kUInt16: return SampleType::UInt16;
    case kInt32: return SampleType::Int32;
    case kUInt32: return SampleType::UInt32;
    case kSingle: return SampleType::Float32;
    case kDouble: return SampleType::Float64;
    case kInt64: return SampleType::Int64;
    case kUInt64: return SampleType::UInt64;
    default: return std::nullopt;
    }
}

using Bytes = std::shared_ptr<const std::vector<unsigned char>>;

struct Part {
    std::uint32_t type = 0;
    std::size_t start = 0; // of the data
    std::size_t length = 0;
    std::size_t next = 0; // of the element after it
};

tl::unexpected<Error> damaged(const std::string& what)
{
    return badInput("the MATLAB file is damaged: " + what, "save it again");
}

Result<Part> partAt(const std::vector<unsigned char>& bytes, std::size_t at, std::size_t end, ByteOrder order)
{
    if (at > end || end - at < 8) {
        return damaged("an element's tag is cut short");
    }
    const auto word = loadNumber<std::uint32_t>(bytes.data() + at, order);
    if ((word >> 16) != 0) {
        const std::size_t length = word >> 16;
        if (length > 4) {
            return damaged(fmt::format("a small element claims {} bytes", length));
        }
        return Part{word & 0xFFFF, at + 4, length, at + 8};
    }
    const std::size_t length = loadNumber<std::uint32_t>(bytes.data() + at + 4, order);
    if (length > end - at - 8) {
        return damaged(fmt::format("an element claims {} bytes where {} are left", length, end - at - 8));
    }
    const std::size_t padded = (length + 7) / 8 * 8;
    return Part{word, at + 8, length, std::min(at + 8 + padded, end)};
}

class MatrixParser {
public:
    MatrixParser(Bytes bytes, ByteOrder order)
        : m_bytes(std::move(bytes))
        , m_order(order)
    {
    }

    // The matrix whose sub-elements lie in [at, end).
    Result<StoredArray> parse(std::size_t at, std::size_t end, int depth) const
    {
        if (depth > kMostDepth) {
            return damaged("arrays are nested too deep");
        }
        if (at == end) {
            StoredArray none;
            none.numeric = false;
            none.typeText = "empty";
            none.shape = {0, 0};
            return none;
        }
        auto flags = partAt(*m_bytes, at, end, m_order);
        if (!flags) {
            return tl::unexpected(flags.error());
        }
        if (flags->type != kUInt32 || flags->length != 8) {
            return damaged("an array has no flags");
        }
        const auto word = loadNumber<std::uint32_t>(m_bytes->data() + flags->start, m_order);
        const std::uint32_t kind = word & 0xFF;
        if (kind == 0 || kind > 17) {
            return damaged(fmt::format("an array is of class {}", kind));
        }
        StoredArray a;
        a.order = m_order;
        if (kind == 17) {
            a.numeric = false;
            a.typeText = "opaque";
            return a;
        }
        std::size_t next = 0;
        if (auto r = parseShapeAndName(flags->next, end, a, next); !r) {
            return tl::unexpected(r.error());
        }
        a.firstFastest = a.shape.size() > 1;
        if (kind >= 6 && kind <= 15) {
            if (auto r = parseNumbers(next, end, (word & 0x0800) != 0, kind, a); !r) {
                return tl::unexpected(r.error());
            }
            return a;
        }
        a.numeric = false;
        a.typeText = kClassNames[kind];
        if (auto r = checkInside(kind, next, end, a, depth); !r) {
            return tl::unexpected(r.error());
        }
        return a;
    }

private:
    Result<> parseShapeAndName(std::size_t at, std::size_t end, StoredArray& a, std::size_t& next) const
    {
        auto dims = partAt(*m_bytes, at, end, m_order);
        if (!dims) {
            return tl::unexpected(dims.error());
        }
        if ((dims->type != kInt32 && dims->type != kUInt32) || dims->length % 4 != 0 || dims->length < 8 ||
            dims->length > std::size_t{4} * 64) {
            return damaged("an array's dimensions are not a list of 32-bit integers");
        }
        for (std::size_t i = 0; i < dims->length; i += 4) {
            const auto n = loadNumber<std::int32_t>(m_bytes->data() + dims->start + i, m_order);
            if (n < 0) {
                return damaged(fmt::format("an array's dimension is {}", n));
            }
            a.shape.push_back(n);
        }
        auto name = partAt(*m_bytes, dims->next, end, m_order);
        if (!name) {
            return tl::unexpected(name.error());
        }
        if ((name->type != kInt8 && name->type != kUInt8 && name->type != kUtf8) || name->length > 4096) {
            return damaged("an array's name is not text");
        }
        a.name.assign(reinterpret_cast<const char*>(m_bytes->data()) + name->start, name->length);
        next = name->next;
        return {};
    }

    Result<> parseNumbers(std::size_t at, std::size_t end, bool isComplex, std::uint32_t kind, StoredArray& a) const
    {
        const auto count = a.shape.empty() ? std::nullopt : productOf(a.shape);
        if (!count) {
            return damaged("an array's dimensions are impossible");
        }
        if (*count == 0) {
            a.numeric = false;
            a.typeText = kClassNames[kind];
            return {};
        }
        for (int part = 0; part < (isComplex ? 2 : 1); ++part) {
            auto data = partAt(*m_bytes, at, end, m_order);
            if (!data) {
                return tl::unexpected(data.error());
            }
            const auto type = storedType(data->type);
            if (!type) {
                return damaged(fmt::format("the numbers of {} are stored as type {}", a.name, data->type));
            }
            if (static_cast<std::int64_t>(data->length) != *count * sampleBytes(*type)) {
                return damaged(fmt::format("{} has {} samples but {} bytes of them", a.name, *count, data->length));
            }
            if (part == 0) {
                a.type = *type;
                a.read = memoryReader(m_bytes, data->start, *type, m_order);
            }
            at = data->next;
        }
        if (isComplex) {
            a.numeric = false;
            a.typeText = a.type == SampleType::Float32 ? "complex64" : "complex128";
        }
        return {};
    }

    // Cells and structures are only named, but what they hold must be whole.
    Result<> checkInside(std::uint32_t kind, std::size_t at, std::size_t end, const StoredArray& a, int depth) const
    {
        std::int64_t members = -1;
        if (kind == 1) {
            members = a.count();
        } else if (kind == 2 || kind == 3) {
            if (kind == 3) {
                auto className = partAt(*m_bytes, at, end, m_order);
                if (!className) {
                    return tl::unexpected(className.error());
                }
                at = className->next;
            }
            auto length = partAt(*m_bytes, at, end, m_order);
            if (!length || length->length != 4) {
                return damaged("a structure has no field length");
            }
            const auto each = loadNumber<std::int32_t>(m_bytes->data() + length->start, m_order);
            auto names = partAt(*m_bytes, length->next, end, m_order);
            if (!names || each <= 0 || names->length % static_cast<std::size_t>(each) != 0) {
                return damaged("a structure's field names do not fit");
            }
            members = a.count() * static_cast<std::int64_t>(names->length / static_cast<std::size_t>(each));
            at = names->next;
        }
        if (members >= 0) {
            return checkMembers(members, at, end, depth);
        }
        while (at < end) {
            auto part = partAt(*m_bytes, at, end, m_order);
            if (!part) {
                return tl::unexpected(part.error());
            }
            at = part->next;
        }
        return {};
    }

    Result<> checkMembers(std::int64_t members, std::size_t at, std::size_t end, int depth) const
    {
        for (std::int64_t i = 0; i < members; ++i) {
            auto part = partAt(*m_bytes, at, end, m_order);
            if (!part) {
                return tl::unexpected(part.error());
            }
            if (part->type != kMatrix) {
                return damaged("a cell or field is not an array");
            }
            if (auto inner = parse(part->start, part->start + part->length, depth + 1); !inner) {
                return tl::unexpected(inner.error());
            }
            at = part->next;
        }
        return {};
    }

    Bytes m_bytes;
    ByteOrder m_order;
};

std::optional<ByteOrder> mat5Order(const InputFile& file)
{
    const auto head = file.head(128);
    if (head.size() < 128) {
        return std::nullopt;
    }
    const bool little = head[126] == 'I' && head[127] == 'M';
    const bool big = head[126] == 'M' && head[127] == 'I';
    if (!little && !big) {
        return std::nullopt;
    }
    const ByteOrder order = little ? ByteOrder::Little : ByteOrder::Big;
    const auto version = loadNumber<std::uint16_t>(head.data() + 124, order);
    return version == 0x0100 ? std::optional(order) : std::nullopt;
}

struct Mat4Header {
    ByteOrder order = ByteOrder::Little;
    int precision = 0;
    int kind = 0; // 0 numbers, 1 text, 2 sparse
    std::int64_t rows = 0, columns = 0;
    bool isComplex = false;
    std::string name;
    std::int64_t dataStart = 0;
    std::int64_t next = 0;
};

constexpr SampleType kMat4Types[6] = {SampleType::Float64, SampleType::Float32, SampleType::Int32,
                                      SampleType::Int16,   SampleType::UInt16,  SampleType::UInt8};

std::optional<Mat4Header> mat4At(const InputFile& file, std::int64_t at)
{
    auto bytes = file.bytes(at, 20);
    if (!bytes) {
        return std::nullopt;
    }
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        std::int32_t word[5];
        for (std::size_t i = 0; i < 5; ++i) {
            word[i] = loadNumber<std::int32_t>(bytes->data() + 4 * i, order);
        }
        const int machine = word[0] / 1000;
        const int precision = word[0] / 10 % 10;
        const int kind = word[0] % 10;
        const bool fits = word[0] >= 0 && machine == (order == ByteOrder::Big ? 1 : 0) && word[0] / 100 % 10 == 0 &&
                          precision < 6 && kind < 3 && word[1] >= 0 && word[2] >= 0 && (word[3] == 0 || word[3] == 1) &&
                          word[4] >= 2 && word[4] <= 256;
        if (!fits) {
            continue;
        }
        auto name = file.bytes(at + 20, word[4]);
        if (!name || name->back() != 0) {
            continue;
        }
        Mat4Header h{order, precision, kind, word[1], word[2], word[3] == 1, {}, at + 20 + word[4], 0};
        h.name.assign(name->begin(), std::find(name->begin(), name->end(), static_cast<unsigned char>(0)));
        const bool printable = !h.name.empty() && std::all_of(h.name.begin(), h.name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
        const auto count = productOf({h.rows, h.columns});
        const std::int64_t width = std::int64_t{sampleBytes(kMat4Types[precision])} * (h.isComplex ? 2 : 1);
        if (!printable || !count || *count > (file.size() - h.dataStart) / width) {
            continue;
        }
        h.next = h.dataStart + *count * width;
        return h;
    }
    return std::nullopt;
}

} // namespace

int scoreMat5(const InputFile& file)
{
    return mat5Order(file) ? 95 : 0;
}

Result<ArrayFile> openMat5(const InputFilePtr& file, const ModelSource&)
{
    const ByteOrder order = mat5Order(*file).value_or(ByteOrder::Little);
    ArrayFile out;
    out.format = "MATLAB 5";
    const auto head = file->head(116);
    std::string text(head.begin(), head.end());
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    out.description.push_back(text);
    std::int64_t at = 128;
    while (at + 8 <= file->size()) {
        auto tag = file->bytes(at, 8);
        if (!tag) {
            return tl::unexpected(tag.error());
        }
        const auto type = loadNumber<std::uint32_t>(tag->data(), order);
        const std::int64_t length = loadNumber<std::uint32_t>(tag->data() + 4, order);
        if (length > file->size() - at - 8) {
            return damaged(fmt::format("the element at byte {} claims {} bytes where {} are left", at, length,
                                       file->size() - at - 8));
        }
        auto raw = file->bytes(at + 8, length);
        if (!raw) {
            return tl::unexpected(raw.error());
        }
        Bytes bytes;
        std::size_t start = 0;
        std::size_t end = raw->size();
        if (type == kCompressed) {
            auto inflated = inflateBytes(*raw, DeflateWrapper::Zlib, kMostExpansion * (length + 64));
            if (!inflated) {
                return tl::unexpected(inflated.error());
            }
            auto inner = partAt(*inflated, 0, inflated->size(), order);
            if (!inner) {
                return tl::unexpected(inner.error());
            }
            if (inner->type != kMatrix || inner->start + inner->length != inflated->size()) {
                return damaged("a compressed element is longer than the array in it");
            }
            start = inner->start;
            end = start + inner->length;
            bytes = std::make_shared<const std::vector<unsigned char>>(std::move(*inflated));
        } else if (type == kMatrix) {
            bytes = std::make_shared<const std::vector<unsigned char>>(std::move(*raw));
        } else {
            return damaged(fmt::format("an element of type {} stands at byte {}", type, at));
        }
        auto array = MatrixParser(bytes, order).parse(start, end, 0);
        if (!array) {
            return tl::unexpected(array.error());
        }
        out.arrays.push_back(std::move(*array));
        at += 8 + (type == kCompressed ? length : (length + 7) / 8 * 8);
    }
    if (out.arrays.empty()) {
        return damaged("it holds no variable");
    }
    if (at < file->size()) {
        return damaged(fmt::format("{} bytes are left over at its end", file->size() - at));
    }
    chooseMain(out);
    return out;
}

int scoreMat4(const InputFile& file)
{
    const auto first = mat4At(file, 0);
    if (!first) {
        return 0;
    }
    return first->next == file.size() || mat4At(file, first->next) ? 85 : 0;
}

Result<ArrayFile> openMat4(const InputFilePtr& file, const ModelSource&)
{
    ArrayFile out;
    out.format = "MATLAB 4";
    std::int64_t at = 0;
    while (at < file->size()) {
        const auto h = mat4At(*file, at);
        if (!h) {
            return damaged(fmt::format("no variable stands at byte {}", at));
        }
        StoredArray a;
        a.name = h->name;
        a.order = h->order;
        a.type = kMat4Types[h->precision];
        a.shape = {h->rows, h->columns};
        a.firstFastest = true;
        a.numeric = h->kind == 0 && !h->isComplex && a.count() > 0;
        if (h->kind != 0) {
            a.typeText = h->kind == 1 ? "char" : "sparse";
        } else if (h->isComplex) {
            a.typeText = "complex128";
        }
        a.read = contiguousReader(file, h->dataStart, a.type, a.order);
        out.arrays.push_back(std::move(a));
        at = h->next;
    }
    chooseMain(out);
    return out;
}

} // namespace ondo::formats
