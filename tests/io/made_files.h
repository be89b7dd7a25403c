// Files of our own making, byte by byte from the standards, for tests that read, damage or convert them.
#pragma once

#include <QByteArray>
#include <QString>
#include <QtEndian>

#include <cstring>

namespace made {

// 7 x 1 x 5 points of x, y, z: no two counts alike.
inline constexpr int kNx = 7;
inline constexpr int kNz = 5;

inline float valueAt(int i)
{
    return 1500.0F + 10.25F * static_cast<float>(i);
}

inline QByteArray floats(bool big)
{
    QByteArray out;
    for (int i = 0; i < kNx * kNz; ++i) {
        const float v = valueAt(i);
        char raw[4];
        if (big) {
            qToBigEndian(v, raw);
        } else {
            qToLittleEndian(v, raw);
        }
        out.append(raw, 4);
    }
    return out;
}

inline QByteArray word(quint64 value, int bytes, bool big)
{
    QByteArray out;
    for (int k = 0; k < bytes; ++k) {
        out.append(static_cast<char>(value >> (8 * (big ? bytes - 1 - k : k))));
    }
    return out;
}

struct Encoding {
    QString mode = "appended"; // ascii, binary, appended
    bool base64 = false;       // of what is appended
    bool zlib = false;
    int wordBytes = 4;
    bool big = false;
};

inline QByteArray vti(const Encoding& e, const QByteArray& extent = "0 6 0 0 0 4")
{
    const QByteArray raw = floats(e.big);
    const auto code = [&](const QByteArray& b) { return e.mode == "binary" || e.base64 ? b.toBase64() : b; };
    QByteArray data;
    if (e.mode == "ascii") {
        for (int i = 0; i < kNx * kNz; ++i) {
            data += QByteArray::number(static_cast<double>(valueAt(i))) + (i % 6 == 5 ? "\n" : " ");
        }
    } else if (!e.zlib) {
        data = code(word(static_cast<quint64>(raw.size()), e.wordBytes, e.big) + raw);
    } else {
        constexpr int kBlock = 48; // smaller than the array, with a part left over
        QByteArray head;
        QByteArray packed;
        const int blocks = (static_cast<int>(raw.size()) + kBlock - 1) / kBlock;
        head += word(static_cast<quint64>(blocks), e.wordBytes, e.big) + word(kBlock, e.wordBytes, e.big) +
                word(static_cast<quint64>(raw.size() % kBlock), e.wordBytes, e.big);
        for (int b = 0; b < blocks; ++b) {
            const QByteArray one = qCompress(raw.mid(b * kBlock, kBlock)).mid(4);
            head += word(static_cast<quint64>(one.size()), e.wordBytes, e.big);
            packed += one;
        }
        data = code(head) + code(packed);
    }
    QByteArray out = "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"0.1\" byte_order=\"";
    out += e.big ? "BigEndian" : "LittleEndian";
    out += e.wordBytes == 8 ? "\" header_type=\"UInt64\"" : "\"";
    out += e.zlib ? " compressor=\"vtkZLibDataCompressor\">\n" : ">\n";
    out += "<ImageData WholeExtent=\"" + extent + "\" Origin=\"-30 0 20\" Spacing=\"5 1 10\">\n<Piece Extent=\"" +
           extent + "\">\n<PointData Scalars=\"vp\">\n<DataArray type=\"Float32\" Name=\"vp\" format=\"" +
           e.mode.toLatin1() + "\"";
    out += e.mode == "appended" ? " offset=\"0\"/>\n" : ">\n" + data + "\n</DataArray>\n";
    out += "</PointData>\n</Piece>\n</ImageData>\n";
    if (e.mode == "appended") {
        out += QByteArray("<AppendedData encoding=\"") + (e.base64 ? "base64" : "raw") + "\">\n_" + data +
               "\n</AppendedData>\n";
    }
    return out + "</VTKFile>\n";
}

// A SEG-Y file word by word, in either order.
struct SegyBytes {
    bool big = true;
    QByteArray bytes = QByteArray(3600, '\0');
    void put(int at, qint64 value, int width) // `at` counts from 1, as the standard does
    {
        bytes.replace(at - 1, width, word(static_cast<quint64>(value), width, big));
    }
    void real(int at, double value)
    {
        quint64 raw = 0;
        std::memcpy(&raw, &value, 8);
        put(at, static_cast<qint64>(raw), 8);
    }
};

// Three traces with a header extension each, of revision 2.1.
inline SegyBytes revisionTwo(bool big, int samples)
{
    SegyBytes s;
    s.big = big;
    s.bytes.replace(0, 3200, QByteArray(3200, ' '));
    s.put(3217, 333, 2);
    s.put(3221, samples > 65535 ? 0 : samples, 2);
    s.put(3225, 3, 2);
    s.put(3255, 2, 2); // feet
    s.put(3269, samples, 4);
    s.real(3273, 333.25);
    s.put(3297, 0x01020304, 4);
    s.put(3501, 2, 1);
    s.put(3502, 1, 1);
    s.put(3505, 1, 2);
    s.put(3507, 1, 2);
    s.put(3513, 3, 8);
    s.put(3521, 6800, 8);
    s.put(3529, 1, 4);
    s.bytes += QByteArray("((SEG: Survey v1.0)) ").leftJustified(3200, ' ');
    for (int t = 0; t < 3; ++t) {
        const int start = static_cast<int>(s.bytes.size());
        s.bytes += QByteArray(480, '\0');
        s.put(start + 9, 7, 4);
        s.put(start + 13, t + 1, 4);
        s.put(start + 71, 1, 2);
        s.put(start + 81, 1, 4);
        s.put(start + 115, samples, 2);
        s.real(start + 240 + 97, 1234.5);
        s.real(start + 240 + 113, 2000.125 + t);
        s.put(start + 240 + 137, samples, 4);
        s.bytes.replace(start + 240 + 232, 8, "SEG00001");
        for (int i = 0; i < samples; ++i) {
            s.bytes += word(static_cast<quint64>(100 * t + i % 50), 2, big);
        }
    }
    s.bytes += QByteArray("((SEG: Trailer)) ").leftJustified(3200, ' ');
    return s;
}

// A small survey of SPS, revision 0: receivers, sources and who hears whom.
inline QByteArray sps()
{
    QByteArray out;
    for (int i = 0; i < 40; ++i) {
        out += QString("%1%2%3%4%5   0 0.0   0 0 0.0%6%7%8177042821\n")
                   .arg(i % 4 == 0 ? "S" : "R")
                   .arg("L1", -16)
                   .arg(101 + i, 8)
                   .arg(1)
                   .arg(i % 4 == 0 ? "E1" : "G1")
                   .arg(612000.5 + 25.0 * i, 9, 'f', 1)
                   .arg(9827000.0, 10, 'f', 1)
                   .arg(12.5, 6, 'f', 1)
                   .toLatin1();
    }
    for (int i = 0; i < 10; ++i) {
        out += QString("X%1%2%3%4%5%6%7%8%9%10%11%12%13\n")
                   .arg(1, 6)
                   .arg(i + 1, 4)
                   .arg("11")
                   .arg("L1", -16)
                   .arg(101 + 4 * i, 8)
                   .arg(1)
                   .arg(1, 4)
                   .arg(20, 4)
                   .arg(1)
                   .arg("L1", -16)
                   .arg(102, 8)
                   .arg(140, 8)
                   .arg(1)
                   .toLatin1();
    }
    return out;
}

} // namespace made
