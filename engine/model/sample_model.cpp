#include "engine/model/sample_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ondo {

namespace {

constexpr double kWater = 1480.0;
constexpr double kSalt = 4480.0;
constexpr int kBeds = 48;

double smoothStep(double low, double high, double v)
{
    const double t = std::clamp((v - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

double bell(double v, double centre, double width)
{
    const double t = (v - centre) / width;
    return std::exp(-t * t);
}

// A number in [-1, 1) from an integer, the same everywhere.
double scatter(unsigned n)
{
    n = (n ^ 61U) ^ (n >> 16U);
    n *= 9U;
    n ^= n >> 4U;
    n *= 0x27d4eb2dU;
    n ^= n >> 15U;
    return static_cast<double>(n) / 2147483648.0 - 1.0;
}

double seaFloor(double x)
{
    return 200.0 + 220.0 * smoothStep(2300.0, 8200.0, x) + 14.0 * std::sin(x / 620.0) +
           6.0 * std::sin(x / 173.0 + 1.0) - 60.0 * bell(x, 5000.0, 900.0);
}

// The erosion surface under the young drape, with a valley cut into it.
double unconformity(double x)
{
    return seaFloor(x) + 230.0 + 150.0 * smoothStep(4200.0, 8600.0, x) + 70.0 * bell(x, 1700.0, 1000.0) -
           95.0 * bell(x, 5000.0, 1000.0) + 12.0 * std::sin(x / 390.0) + 95.0 * bell(x, 7350.0, 300.0);
}

struct Fault {
    double top; // x where it meets the surface, m
    double dip; // horizontal metres a metre of depth at the surface; it flattens downwards
    double throwAtDepth;
    double reach; // lateral metres over which the beds beyond roll back
    int side;     // +1: the beds at larger x go down
};

constexpr std::array<Fault, 7> kFaults = {{{350.0, 0.46, 130.0, 1300.0, 1},
                                           {1150.0, 0.52, 230.0, 1500.0, 1},
                                           {2000.0, 0.44, 120.0, 1000.0, 1},
                                           {2560.0, 0.40, 170.0, 800.0, 1},
                                           {7250.0, -0.42, 130.0, 900.0, -1},
                                           {8050.0, -0.48, 210.0, 1300.0, -1},
                                           {8900.0, -0.44, 150.0, 1200.0, -1}}};

double faultTrace(const Fault& f, double z)
{
    return f.top + f.dip * z * (1.0 + z / 5200.0);
}

// How far down a point's bed was carried by the faults.
double carried(double x, double z)
{
    double down = 0.0;
    // Growth: the deeper the bed, the more it had moved.
    const double grown = 0.25 + 0.75 * smoothStep(450.0, 2200.0, z);
    for (const auto& f : kFaults) {
        const double beyond = (x - faultTrace(f, z)) * f.side;
        if (beyond <= 0.0 || beyond > 4.0 * f.reach) {
            continue;
        }
        // Rollover: the beds come back up away from the fault.
        const double back = 1.0 - beyond / (4.0 * f.reach);
        down += f.throwAtDepth * grown * back * (0.35 + 0.65 * std::exp(-beyond / f.reach));
    }
    return down;
}

constexpr double kSaltLeft = 2150.0; // beyond these the salt is not felt
constexpr double kSaltRight = 8500.0;
constexpr double kFarDrag = 0.045; // of the drag, where it is cut to nothing

// The diapir: a leaning feeder, a bulb, a tongue that overhangs to the left, and pillows on the old salt bed. Metres to
// its edge, negative inside.
double saltDistance(double x, double z)
{
    struct Body {
        double strength, x, z, halfWidth, halfHeight, lean; // lean: metres of z a metre of x
    };
    static constexpr std::array<Body, 9> kBodies = {{{0.80, 5150.0, 1010.0, 640.0, 235.0, -0.06},
                                                     {0.72, 4480.0, 1150.0, 640.0, 150.0, -0.22},
                                                     {0.60, 3860.0, 1330.0, 420.0, 95.0, -0.30},
                                                     {0.70, 5500.0, 1420.0, 330.0, 360.0, 0.10},
                                                     {0.74, 5620.0, 1880.0, 290.0, 380.0, 0.15},
                                                     {0.80, 5600.0, 2340.0, 400.0, 300.0, 0.0},
                                                     {0.95, 5350.0, 2660.0, 1050.0, 170.0, 0.03},
                                                     {0.72, 4100.0, 2700.0, 640.0, 95.0, 0.02},
                                                     {0.72, 6800.0, 2690.0, 560.0, 120.0, -0.05}}};
    double field = 0.0;
    for (const auto& b : kBodies) {
        const double u = (x - b.x) / b.halfWidth;
        const double w = (z - b.z - b.lean * (x - b.x)) / b.halfHeight;
        const double square = u * u + w * w;
        field += square < 9.0 ? b.strength * std::exp(-square) : 0.0;
    }
    // Roots of a sum of bells grow evenly with distance once their logarithm is taken.
    const double distance = 300.0 * std::sqrt(std::max(0.0, -std::log(std::max(field, 1e-4) / 1.3))) - 300.0 * 0.9;
    return distance + 13.0 * std::sin(x / 88.0 + 0.7 * std::sin(z / 140.0)) + 8.0 * std::sin(z / 61.0 + x / 210.0);
}

// What depends on x alone, worked out once a column.
struct Column {
    explicit Column(double at)
        : x(at)
        , floor(seaFloor(at))
        , base(unconformity(at))
        , foldWide(std::sin((at - 300.0) / 930.0))
        , foldNarrow(34.0 * std::sin(at / 410.0 + 0.5) + 9.0 * std::sin(at / 187.0))
        , foldSlow(std::sin(at / 1700.0 + 2.2))
        , dome(150.0 * bell(at, 5000.0, 1400.0))
        , shelter(bell(at, 4250.0, 640.0))
        , channel(75.0 * bell(at, 3250.0, 210.0))
        , ripple(0.22 * std::sin(at / 700.0))
    {
    }
    double x, floor, base, foldWide, foldNarrow, foldSlow, dome, shelter, channel, ripple;
    double crystalline = 0.0;
};

// Depth of the folded beds below the datum: the coordinate in which they are flat.
double bedDepth(const Column& c, double z, double salt)
{
    // Folds grow with depth; tilted before the erosion; dragged up along the salt.
    const double fold = (45.0 + 0.085 * z) * c.foldWide + c.foldNarrow + 0.040 * z * c.foldSlow;
    const double tilt = 0.085 * (c.x - 4600.0) * (0.35 + 0.65 * smoothStep(300.0, 1900.0, z));
    const double near = std::max(0.0, std::exp(-std::max(0.0, salt) / 200.0) - kFarDrag);
    const double drag = 300.0 * near * smoothStep(600.0, 1500.0, z);
    return z - fold + tilt - carried(c.x, z) + drag + c.dome;
}

struct Bed {
    double top;      // bed coordinate, m
    double contrast; // m/s against the trend
    double gradient; // 1/s inside the bed
};

// Beds of uneven thickness, soft and hard by turns with a few strong markers.
std::array<Bed, kBeds> makeBeds()
{
    std::array<Bed, kBeds> beds{};
    double top = -600.0;
    for (unsigned i = 0; i < kBeds; ++i) {
        const double thick = 78.0 + 44.0 * scatter(3U * i + 11U) + 30.0 * scatter(7U * i + 5U);
        double contrast = (i % 2U == 0U ? -1.0 : 1.0) * (110.0 + 90.0 * std::abs(scatter(5U * i + 2U)));
        contrast += 80.0 * scatter(13U * i + 1U);
        if (i == 17U || i == 26U || i == 34U) {
            contrast += 560.0; // carbonate and anhydrite
        }
        if (i == 22U || i == 31U) {
            contrast -= 330.0; // overpressured shale
        }
        beds[i] = {top, contrast, 0.15 + 0.35 * std::abs(scatter(17U * i + 9U))};
        top += std::max(30.0, thick);
    }
    return beds;
}

double bedSpeed(std::span<const Bed> beds, double s, double burial)
{
    const auto above = std::upper_bound(beds.begin(), beds.end(), s, [](double v, const Bed& b) { return v < b.top; });
    const Bed& bed = above == beds.begin() ? beds.front() : *(above - 1);
    const double inside = std::max(0.0, s - bed.top);
    // Compaction: fast at first, then slower.
    const double trend = 1660.0 + 0.98 * burial - 0.000120 * burial * burial;
    return trend + bed.contrast * (0.7 + 0.3 * smoothStep(0.0, 1600.0, burial)) +
           bed.gradient * std::min(inside, 150.0);
}

// The drape: thin, gently dipping sheets that fill the relief of the unconformity, with one cut-and-filled channel.
double drapeSpeed(const Column& c, double z)
{
    const double depth = z - c.floor;
    const double sheet = depth / std::max(40.0, c.base - c.floor) * 7.0 + c.ripple;
    const auto index = static_cast<unsigned>(std::clamp(sheet, 0.0, 9.0));
    const double filled = c.channel - (depth - 55.0);
    if (filled > 0.0 && depth > 55.0) {
        return 1760.0 + 0.3 * filled;
    }
    return 1560.0 + 0.62 * depth + 70.0 * scatter(29U * index + 3U);
}

double basementTop(double x)
{
    const double block = 190.0 * smoothStep(-60.0, 60.0, x - 3350.0) - 240.0 * smoothStep(-50.0, 50.0, x - 6150.0);
    return 2690.0 + 0.022 * (x - 4600.0) + block + 40.0 * std::sin(x / 530.0) + 15.0 * std::sin(x / 160.0);
}

// Hydrocarbon sands: flat-bottomed where fluids meet, curved above with the beds. Metres per second to add.
double sands(double x, double z, double s)
{
    double add = 0.0;
    // The sand thins out towards its sides; below the contact it holds water and does not differ.
    const auto trap = [&](double top, double thickness, double contact, double middle, double half, double change) {
        const double u = (x - middle) / half;
        if (std::abs(u) < 1.0 && s > top && s < top + thickness * (1.0 - u * u) && z < contact) {
            add += change;
        }
    };
    trap(1110.0, 90.0, 1165.0, 1500.0, 800.0, -330.0); // gas in the rollover
    trap(1480.0, 100.0, 1560.0, 2700.0, 750.0, -260.0);
    trap(1500.0, 110.0, 1640.0, 6900.0, 800.0, -280.0);
    // Channel bodies, lens by lens.
    struct Lens {
        double x, z, halfWidth, halfHeight, change;
    };
    static constexpr std::array<Lens, 6> kLenses = {{{1050.0, 860.0, 330.0, 22.0, -190.0},
                                                     {2680.0, 1010.0, 250.0, 20.0, 230.0},
                                                     {6850.0, 1060.0, 380.0, 24.0, -200.0},
                                                     {8450.0, 1270.0, 300.0, 26.0, 240.0},
                                                     {3480.0, 1700.0, 260.0, 24.0, -260.0},
                                                     {7900.0, 1900.0, 420.0, 30.0, 300.0}}};
    for (const auto& l : kLenses) {
        const double u = (x - l.x) / l.halfWidth;
        // Flat top, bellied base, and bent with the folds around it.
        const double w = (z - l.z - 30.0 * std::sin((x - l.x) / 420.0)) / l.halfHeight;
        if (std::abs(u) < 1.0 && w > -0.35 * (1.0 - u * u) && w < 1.0 - u * u) {
            add += l.change;
        }
    }
    return add;
}

double speedAt(std::span<const Bed> beds, const Column& c, double z)
{
    if (z < c.floor) {
        return kWater;
    }
    if (z < c.base) {
        return drapeSpeed(c, z);
    }
    const double salt = c.x > kSaltLeft && c.x < kSaltRight ? saltDistance(c.x, z) : 1e4;
    if (salt < 0.0) {
        return kSalt;
    }
    if (z > c.crystalline) {
        return 4950.0 + 0.5 * (z - c.crystalline);
    }
    const double s = bedDepth(c, z, salt);
    double speed = bedSpeed(beds, s, z - c.floor) + sands(c.x, z, s);
    // An anhydrite rim caps the salt; sediments under the overhang stay soft, their water cannot leave.
    if (salt < 20.0 && z < 1050.0) {
        speed = std::max(speed, 3900.0);
    }
    const double under = smoothStep(1300.0, 1480.0, z) * (1.0 - smoothStep(1800.0, 2250.0, z));
    return std::clamp(speed - 200.0 * c.shelter * under, 1500.0, 4700.0);
}

// Whether a neighbour differs enough for the edge between them to be worth drawing finely.
bool nearEdge(const std::vector<float>& v, int iz, int ix, int nz, int nx)
{
    const auto at = [&v, nx](int z, int x) {
        return v[static_cast<std::size_t>(z) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(x)];
    };
    const float here = at(iz, ix);
    const auto differs = [here](float there) { return std::abs(there - here) > 25.0F; };
    return (iz > 0 && differs(at(iz - 1, ix))) || (iz + 1 < nz && differs(at(iz + 1, ix))) ||
           (ix > 0 && differs(at(iz, ix - 1))) || (ix + 1 < nx && differs(at(iz, ix + 1)));
}

} // namespace

Result<Model> sampleModel(int nz, int nx, double spacing)
{
    auto grid = Grid::make2D(nz, nx, spacing, spacing);
    if (!grid) {
        return tl::unexpected(grid.error());
    }
    const auto beds = makeBeds();
    const auto columnAt = [spacing](double index) {
        Column c(index * spacing);
        c.crystalline = basementTop(c.x);
        return c;
    };
    std::vector<Column> columns;
    for (int ix = 0; ix < nx; ++ix) {
        columns.push_back(columnAt(ix));
    }
    std::vector<float> coarse;
    coarse.reserve(static_cast<std::size_t>(grid->nodes()));
    for (int iz = 0; iz < nz; ++iz) {
        for (const auto& column : columns) {
            coarse.push_back(static_cast<float>(speedAt(beds, column, iz * spacing)));
        }
    }
    // Along edges nine points a cell are averaged in slowness: ramps of one cell, not stairs.
    constexpr std::array<double, 3> kOffsets = {-1.0 / 3.0, 0.0, 1.0 / 3.0};
    std::vector<float> speed = coarse;
    for (int ix = 0; ix < nx; ++ix) {
        const std::array<Column, 3> fine = {columnAt(ix + kOffsets[0]), columnAt(ix), columnAt(ix + kOffsets[2])};
        for (int iz = 0; iz < nz; ++iz) {
            if (!nearEdge(coarse, iz, ix, nz, nx)) {
                continue;
            }
            double slowness = 0.0;
            for (const double dz : kOffsets) {
                for (const auto& column : fine) {
                    slowness += 1.0 / speedAt(beds, column, (iz + dz) * spacing);
                }
            }
            speed[static_cast<std::size_t>(iz) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(ix)] =
                static_cast<float>(9.0 / slowness);
        }
    }
    return Model::make(*grid, std::move(speed), "structural model");
}

} // namespace ondo
