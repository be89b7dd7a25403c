#include "engine/model/sample_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ondo {

namespace {

constexpr double kWater = 1480.0;
constexpr double kSalt = 4480.0;
constexpr int kBeds = 40;

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
    return 190.0 + 210.0 * smoothStep(2300.0, 8200.0, x) + 14.0 * std::sin(x / 620.0) +
           6.0 * std::sin(x / 173.0 + 1.0) - 45.0 * bell(x, 5150.0, 900.0);
}

// The erosion surface under the young drape.
double unconformity(double x)
{
    return seaFloor(x) + 250.0 + 150.0 * smoothStep(4200.0, 8600.0, x) + 60.0 * bell(x, 1500.0, 1100.0) -
           90.0 * bell(x, 5100.0, 1000.0) + 12.0 * std::sin(x / 390.0) + 70.0 * bell(x, 7350.0, 260.0);
}

struct Fault {
    double top; // x where it meets the surface, m
    double dip; // horizontal metres a metre of depth at the surface; it flattens downwards
    double throwAtDepth;
    double reach; // lateral metres over which the beds beyond roll back
    int side;     // +1: the beds at larger x go down
};

constexpr std::array<Fault, 5> kFaults = {{{900.0, 0.42, 120.0, 1500.0, 1},
                                           {2050.0, 0.50, 210.0, 1700.0, 1},
                                           {2900.0, 0.38, 95.0, 900.0, 1},
                                           {7150.0, -0.46, 150.0, 1300.0, -1},
                                           {8250.0, -0.40, 190.0, 1500.0, -1}}};

double faultTrace(const Fault& f, double z)
{
    return f.top + f.dip * z * (1.0 + z / 5200.0);
}

// How far down a point's bed was carried by the faults.
double carried(double x, double z)
{
    double down = 0.0;
    for (const auto& f : kFaults) {
        const double beyond = (x - faultTrace(f, z)) * f.side;
        if (beyond <= 0.0) {
            continue;
        }
        // Growth: the deeper the bed, the more it had moved; rollover: the beds come back away from the fault.
        const double grown = f.throwAtDepth * (0.25 + 0.75 * smoothStep(500.0, 2300.0, z));
        down += grown * (0.35 + 0.65 * std::exp(-beyond / f.reach));
    }
    return down;
}

// The diapir: a leaning stem, a bulb that overhangs to the left and a shoulder to the right. Negative inside, metres.
double saltDistance(double x, double z)
{
    const double rough = 16.0 * std::sin(x / 95.0 + 0.7 * std::sin(z / 140.0)) + 11.0 * std::sin(z / 77.0 + x / 210.0);
    const auto ball = [x, z](double cx, double cz, double rx, double rz) {
        const double u = (x - cx) / rx;
        const double w = (z - cz) / rz;
        return u * u + w * w;
    };
    // Smooth union of ellipses: the sum of their fields.
    double field = 0.0;
    field += std::exp(-1.15 * ball(4800.0, 1180.0, 760.0, 270.0));
    field += std::exp(-1.15 * ball(5480.0, 1080.0, 520.0, 230.0));
    field += std::exp(-1.20 * ball(4180.0, 1330.0, 420.0, 150.0));
    field += 0.95 * std::exp(-1.15 * ball(5420.0, 1650.0, 330.0, 420.0));
    field += 0.95 * std::exp(-1.15 * ball(5330.0, 2200.0, 380.0, 420.0));
    field += 1.00 * std::exp(-1.10 * ball(5200.0, 2680.0, 1150.0, 200.0));
    field += 0.80 * std::exp(-1.10 * ball(4200.0, 2760.0, 900.0, 110.0));
    field += 0.80 * std::exp(-1.10 * ball(6400.0, 2780.0, 850.0, 110.0));
    const double distance = 330.0 * (0.5 - field);
    return distance + rough;
}

// Depth of the folded beds below the datum: the coordinate in which they are flat.
double bedDepth(double x, double z)
{
    const double away = std::max(0.0, saltDistance(x, z));
    // Folds grow with depth; beds are dragged up along the salt.
    const double fold = (60.0 + 0.075 * z) * std::sin((x - 300.0) / 930.0) + 38.0 * std::sin(x / 410.0 + 0.5) +
                        0.030 * z * std::sin(x / 1700.0 + 2.2);
    const double tilt = 0.060 * (x - 4600.0) * smoothStep(300.0, 1700.0, z);
    const double drag = 340.0 * std::exp(-away / 190.0) * smoothStep(600.0, 1500.0, z);
    const double dome = 120.0 * bell(x, 5150.0, 1500.0);
    return z - fold + tilt - carried(x, z) + 0.85 * drag + dome;
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
    double top = -400.0;
    for (unsigned i = 0; i < kBeds; ++i) {
        const double thick = 92.0 + 46.0 * scatter(3U * i + 11U) + 26.0 * scatter(7U * i + 5U);
        double contrast = (i % 2U == 0U ? -1.0 : 1.0) * (85.0 + 70.0 * std::abs(scatter(5U * i + 2U)));
        contrast += 60.0 * scatter(13U * i + 1U);
        if (i == 15U || i == 23U || i == 31U) {
            contrast += 420.0; // carbonate or anhydrite stringers
        }
        if (i == 19U || i == 27U) {
            contrast -= 230.0; // overpressured shale
        }
        beds[i] = {top, contrast, 0.15 + 0.25 * std::abs(scatter(17U * i + 9U))};
        top += std::max(38.0, thick);
    }
    return beds;
}

double bedSpeed(std::span<const Bed> beds, double s, double burial)
{
    const auto above = std::upper_bound(beds.begin(), beds.end(), s, [](double v, const Bed& b) { return v < b.top; });
    const Bed& bed = above == beds.begin() ? beds.front() : *(above - 1);
    const double inside = std::max(0.0, s - bed.top);
    // Compaction: fast at first, then slower.
    const double trend = 1640.0 + 0.92 * burial - 0.000105 * burial * burial;
    return trend + bed.contrast * (0.55 + 0.45 * smoothStep(0.0, 1600.0, burial)) +
           bed.gradient * std::min(inside, 150.0);
}

// The drape: thin, gently dipping sheets that fill the relief of the unconformity, with one cut-and-filled channel.
double drapeSpeed(double x, double z)
{
    const double floor = seaFloor(x);
    const double base = unconformity(x);
    const double part = (z - floor) / std::max(40.0, base - floor);
    const double sheet = part * 7.0 + 0.22 * std::sin(x / 700.0);
    const auto index = static_cast<unsigned>(std::clamp(sheet, 0.0, 9.0));
    double speed = 1560.0 + 0.62 * (z - floor) + 55.0 * scatter(29U * index + 3U);
    const double channel = 75.0 * bell(x, 3250.0, 210.0) - (z - floor - 55.0);
    if (channel > 0.0 && z - floor > 55.0) {
        speed = 1730.0 + 0.3 * channel;
    }
    return speed;
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
    const auto trap = [&](double bedTop, double bedBase, double contact, double low, double high, double change) {
        if (s > bedTop && s < bedBase && z < contact && x > low && x < high) {
            add += change;
        }
    };
    trap(1150.0, 1225.0, 1165.0, 1150.0, 2300.0, -330.0); // gas in the rollover
    trap(1480.0, 1560.0, 1560.0, 2100.0, 3400.0, -260.0);
    trap(1500.0, 1590.0, 1640.0, 6300.0, 7500.0, -280.0);
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

double speedAt(std::span<const Bed> beds, double x, double z)
{
    const double floor = seaFloor(x);
    if (z < floor) {
        return kWater;
    }
    const double base = unconformity(x);
    if (z < base) {
        return drapeSpeed(x, z);
    }
    const double salt = saltDistance(x, z);
    if (salt < 0.0) {
        return kSalt;
    }
    const double crystalline = basementTop(x);
    if (z > crystalline) {
        return 4950.0 + 0.5 * (z - crystalline);
    }
    const double s = bedDepth(x, z);
    const double burial = z - floor;
    double speed = bedSpeed(beds, s, burial) + sands(x, z, s);
    // An anhydrite rim caps the salt; sediments under the overhang are kept soft by fluids that cannot leave.
    if (salt < 26.0 && z < 1120.0) {
        speed = std::max(speed, 3900.0);
    }
    const double shelter =
        bell(x, 4350.0, 620.0) * smoothStep(1380.0, 1520.0, z) * (1.0 - smoothStep(1850.0, 2250.0, z));
    return std::clamp(speed - 190.0 * shelter, 1500.0, 4700.0);
}

} // namespace

Result<Model> sampleModel(int nz, int nx, double spacing)
{
    auto grid = Grid::make2D(nz, nx, spacing, spacing);
    if (!grid) {
        return tl::unexpected(grid.error());
    }
    const auto beds = makeBeds();
    std::vector<float> speed;
    speed.reserve(static_cast<std::size_t>(grid->nodes()));
    // Nine points a cell, averaged in slowness: edges become smooth ramps of one cell, not stairs.
    constexpr std::array<double, 3> kOffsets = {-1.0 / 3.0, 0.0, 1.0 / 3.0};
    for (int iz = 0; iz < nz; ++iz) {
        for (int ix = 0; ix < nx; ++ix) {
            double slowness = 0.0;
            for (const double dz : kOffsets) {
                for (const double dx : kOffsets) {
                    slowness += 1.0 / speedAt(beds, (ix + dx) * spacing, (iz + dz) * spacing);
                }
            }
            speed.push_back(static_cast<float>(9.0 / slowness));
        }
    }
    return Model::make(*grid, std::move(speed), "structural model");
}

} // namespace ondo
