#include "engine/io/segy.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <set>

namespace ondo {

namespace {

// Code page 037; what has no printable ASCII character is a dot.
constexpr const char* kFromEbcdic = "................................................................"
                                    " ...........<(+|&.........!$*);.-/.........,%_>?.........`:#@'=\""
                                    ".abcdefghi.......jklmnopqr.......~stuvwxyz......^.........[]...."
                                    "{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......";

std::set<std::string> attributesOf(std::string_view tag)
{
    std::set<std::string> names;
    std::size_t at = tag.find_first_of(" \t\r\n");
    while (at != tag.npos) {
        const auto first = tag.find_first_not_of(" \t\r\n/", at);
        const auto equals = first == tag.npos ? tag.npos : tag.find('=', first);
        if (equals == tag.npos) {
            break;
        }
        names.insert(std::string(tag.substr(first, equals - first)));
        const auto open = tag.find_first_of("\"'", equals);
        const auto close = open == tag.npos ? tag.npos : tag.find(tag[open], open + 1);
        at = close == tag.npos ? tag.npos : close + 1;
    }
    return names;
}

std::string attributeValue(std::string_view tag, std::string_view name)
{
    const auto at = tag.find(std::string(name) + "=\"");
    if (at == tag.npos) {
        return {};
    }
    const auto start = at + name.size() + 2;
    const auto end = tag.find('"', start);
    return end == tag.npos ? std::string() : std::string(tag.substr(start, end - start));
}

void checkEntry(std::string_view tag, std::vector<std::string>& wrong)
{
    static const std::set<std::string> kAttributes = {"name", "byte", "type", "if-non-zero", "requires"};
    static const std::set<std::string> kTypes = {"int2",  "int3",    "int4",     "int8",     "uint1",   "uint2",
                                                 "uint3", "uint4",   "uint8",    "ibm32",    "ieee32",  "ieee64",
                                                 "int1",  "linetrc", "reeltrc",  "coor4",    "elev4",   "scale6",
                                                 "time2", "spnum4",  "linetrc8", "reeltrc8", "string8", "ibmfp"};
    static const std::set<std::string> kNumbers = {"iline", "xline"};
    const std::string name = attributeValue(tag, "name");
    for (const auto& attribute : attributesOf(tag)) {
        if (!kAttributes.contains(attribute)) {
            wrong.push_back(
                fmt::format("the header layout gives entry \"{}\" an unknown attribute \"{}\"", name, attribute));
        }
    }
    const std::string type = attributeValue(tag, "type");
    const bool fraction = type.starts_with("ieee") || type.starts_with("ibm");
    if (!kTypes.contains(type) || (fraction && kNumbers.contains(name))) {
        wrong.push_back(fmt::format("the header layout gives entry \"{}\" an unsupported type \"{}\"", name, type));
    }
    const std::string byte = attributeValue(tag, "byte");
    if (byte.empty() || byte.find_first_not_of("0123456789") != byte.npos || byte.size() > 3 || std::stoi(byte) < 1 ||
        std::stoi(byte) > 240) {
        wrong.push_back(fmt::format("the header layout puts entry \"{}\" at byte \"{}\"", name, byte));
    }
}

} // namespace

char ebcdicToAscii(unsigned char c)
{
    return kFromEbcdic[c];
}

unsigned char asciiToEbcdic(char c)
{
    static const std::array<unsigned char, 128> kTable = [] {
        std::array<unsigned char, 128> t{};
        t.fill(0x4B);
        for (int i = 255; i >= 0; --i) {
            const char a = kFromEbcdic[i];
            if (a != '.' || i == 0x4B) {
                t[static_cast<unsigned char>(a) & 0x7F] = static_cast<unsigned char>(i);
            }
        }
        return t;
    }();
    return kTable[static_cast<unsigned char>(c) & 0x7F];
}

std::vector<std::string> segyStanzas(const std::string& text)
{
    std::vector<std::string> names;
    std::size_t at = text.find("((");
    while (at != std::string::npos && names.size() < 100) {
        const auto close = text.find("))", at);
        if (close == std::string::npos) {
            break;
        }
        const std::string name = text.substr(at + 2, close - at - 2);
        if (name.size() < 80 && name.find("EndText") == std::string::npos &&
            name.find("ENDTEXT") == std::string::npos) {
            names.push_back(name);
        }
        at = text.find("((", close);
    }
    return names;
}

std::vector<std::string> checkSegyStanza(const std::string& text)
{
    std::vector<std::string> wrong;
    if (text.find("((SEG:Layout") == std::string::npos) {
        return wrong;
    }
    bool rootSeen = false;
    int open = 0;
    std::size_t at = text.find('<');
    while (at != std::string::npos) {
        const auto close = text.find('>', at);
        if (close == std::string::npos) {
            wrong.push_back("the header layout is not well-formed XML: a tag does not end");
            return wrong;
        }
        const std::string_view tag(text.data() + at + 1, close - at - 1);
        const std::string name(tag.substr(0, tag.find_first_of(" \t\r\n/>")));
        if (tag.starts_with("?") || tag.starts_with("!")) {
        } else if (tag.starts_with("/")) {
            --open;
        } else {
            if (!rootSeen && name != "segy-layout") {
                wrong.push_back(
                    fmt::format("the header layout's root is <{}>, not <segy-layout>; it is left out", name));
            }
            rootSeen = true;
            if (name == "entry") {
                checkEntry(tag, wrong);
            }
            open += tag.ends_with("/") ? 0 : 1;
        }
        at = text.find('<', close);
    }
    if (open != 0) {
        wrong.push_back("the header layout is not well-formed XML: tags do not match");
    }
    return wrong;
}

} // namespace ondo
