// Where sources and receivers stand, from the files in which surveys are handed on: SPS (revision 0 and 2.1, and files
// whose columns have slipped), P1/90, tables (DENISE, SPECFEM's STATIONS, shot-point lists, CSV with named columns) and
// the trace headers of SEG-Y and SU. Read as a stream; nothing is guessed in silence. Any thread.
//   Lengths are metres once read: the factor of the file's own unit, or of the one that was stated, is applied.
//   x and y are the file's map coordinates (easting, northing), elevation is positive up, depth below it positive down.
#pragma once

#include "engine/core/position.h"
#include "engine/core/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ondo {

struct GeometryPoint {
    double x = 0.0;
    double y = 0.0;
    double elevation = 0.0;
    double depth = 0.0;
    double number = 0.0;    // of the point on its line, as the file labels it
    std::int32_t line = -1; // into GeometryFile::lines; -1: the file names none
    std::int32_t index = 1; // of SPS: which occupation of the point
};

// An X record of SPS: one run of channels of one shot.
struct GeometryRelation {
    std::int64_t record = 0; // field record number
    std::int32_t sourceLine = -1;
    double sourcePoint = 0.0;
    std::int32_t sourceIndex = 1;
    std::int32_t fromChannel = 0, toChannel = 0, channelStep = 1;
    std::int32_t receiverLine = -1;
    double fromReceiver = 0.0, toReceiver = 0.0;
    std::int32_t receiverIndex = 1;
};

struct GeometryFile {
    std::string path;
    std::string format;                   // "SPS" "P1/90" ...
    std::vector<std::string> description; // one fact a line: layout, unit, columns
    std::vector<std::string> lines;       // names
    std::vector<GeometryPoint> sources;
    std::vector<GeometryPoint> receivers;
    std::vector<GeometryPoint> places; // of a table that does not say which of the two they are
    std::vector<GeometryRelation> relations;
    // For each source the receivers that listen to it, where the file itself says so (P1/90, traces); else empty.
    std::vector<std::vector<std::uint32_t>> spreads;
    double unit = 1.0; // metres
    bool unitStated = false;
    std::vector<std::string> warnings; // with the remedy
    std::vector<std::string> hints;

    [[nodiscard]] std::string text() const; // for a terminal
};

struct GeometryHints {
    std::string unit;    // "m" "km" "ft" "us-ft"; empty: what the file says, else metres, which is said
    std::string columns; // of a table: names parted by blanks, "x y - depth"; empty: by header line or by custom
    std::string sampleType, byteOrder; // SEG-Y and SU, as ModelSource
};

// Whether the bytes are one of the kinds that hold places and nothing else: `ondo check` asks before it reads an array.
[[nodiscard]] bool isGeometryFile(const std::string& path);
// Refuses what has no places in it, naming file, line and remedy.
[[nodiscard]] Result<GeometryFile> readGeometry(const std::string& path, const GeometryHints& hints = {});

// From map coordinates to the model's: x = along the azimuth from the origin, y to the left of it, z = datum - elevation
// + depth.
struct GeometryProjection {
    double originX = 0.0, originY = 0.0; // map coordinates of x = y = 0, metres
    double azimuth = 90.0;               // of the x axis, degrees clockwise from the y axis of the map (north)
    double datum = 0.0;                  // elevation of z = 0, metres
    [[nodiscard]] std::string describe() const;
};
[[nodiscard]] Position projected(const GeometryPoint& point, const GeometryProjection& how,
                                 std::optional<double> depth = std::nullopt);

} // namespace ondo
