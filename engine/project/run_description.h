// Everything that one run needs, as a person writes it in a TOML file or sets it in the window. Value type.
// engine/io/run_file.h reads and writes the file; SimulationPlan::make judges it against a model and a device.
#pragma once

#include "engine/grid/boundary.h"
#include "engine/model/equation.h"
#include "engine/survey/survey.h"

#include <optional>
#include <string>
#include <vector>

namespace ondo {

enum class Precision { Float32, Float64 };

// Which file holds the model and how to read it. Empty path: the structural model of our own making (engine/model/sample_model.h).
struct ModelSource {
    std::string path;
    std::string dataset;              // HDF5 or MATLAB variable; empty: the only two- or three-dimensional one
    std::optional<int> nz, ny, nx;    // raw binary: required (ny for 3-D); otherwise checked against the file
    std::optional<double> dz, dy, dx; // m; required where the file does not say
    std::optional<double> originX, originY, originZ; // m
    std::string sampleType; // raw binary: "float32" "float64" "int16" "uint8" ...; empty: float32
    std::string byteOrder;  // raw binary: "little" (default) or "big"
    std::string axes;       // order on disk, slowest first: "zx" (default) "xz" "zyx" "xyz" ...
    std::string quantity;   // "velocity" (default) "slowness" "squared-slowness"
    std::string unit;       // "m/s" (default) "km/s" "ft/s"
    bool operator==(const ModelSource&) const = default;
};

// Where the density of a model comes from; one of three, or none.
struct DensitySource {
    std::string path;            // a file that is read as the model's is, on the same grid
    std::string dataset;         // as ModelSource
    std::string quantity;        // "density" (default) in kg/m^3, or "impedance", density times speed, in kg/(m^2 s)
    std::optional<double> value; // kg/m^3 everywhere
    bool gardner = false;        // 310 v^(1/4) kg/m^3, v in m/s (Gardner, Gardner and Gregory 1974)
    [[nodiscard]] bool given() const { return !path.empty() || value || gardner; }
    bool operator==(const DensitySource&) const = default;
};

struct OutputSettings {
    std::string results;      // HDF5; empty: none
    std::string picture;      // PNG of the field, model and gather; empty: none
    std::string gather;       // .sgy, .segy or .npy; empty: none
    double pictureTime = 0.0; // s: the field in the picture; 0: the last one
    bool operator==(const OutputSettings&) const = default;
};

// What was said of a shot without saying where its source is; withDefaultSurvey() (default_run.h) makes a shot of it.
struct UnplacedShot {
    std::optional<Wavelet> wavelet;
    std::vector<Receiver> receivers;
    bool operator==(const UnplacedShot&) const = default;
};

// What reading the description took for granted; told to the user, and no part of what the run is.
struct Remarks {
    std::vector<std::string> lines;
    bool operator==(const Remarks&) const { return true; }
};

struct RunDescription {
    std::string title;
    Equation equation = Equation::Acoustic;
    ModelSource model;
    DensitySource density;
    Boundary boundary;
    Survey survey;
    UnplacedShot unplaced; // only while the survey has no shot
    int spaceOrder = 8;    // any even number from 2 to 32
    Precision precision = Precision::Float32;
    double duration = 0.0;                // s; 0: chosen from the model's size and slowest speed
    std::optional<double> sampleInterval; // s between trace samples; none: the scheme's own step
    double courant = 0.0;                 // fraction of the scheme's stability limit, 0 < c < 1; 0: 0.7
    std::string device = "auto";          // "auto" "cpu" "cuda:0" ...
    int shotsAtOnce = 1;                  // shots in one launch
    OutputSettings output;
    Remarks remarks;

    bool operator==(const RunDescription&) const = default;
};

} // namespace ondo
