// cuda_kernel_check MODULE.so|host [--quick] [--races] [--density] [--bench [NAMES]]
// The kernels of the CUDA module against the host's, through the Backend interface alone: each order, rank, precision and
// face condition, odd sizes, several shots; a gradient's steps back; then points, pictures, histograms and the memory's own
// behaviour. Exit 77: no GPU. --quick: few small cases, for compute-sanitizer; --races: fewer still, for its racecheck. --density: where it varies alone.
// --bench: marginal time of a step instead of the checks (kernel_bench.h).
#include "kernels/fingerprint.h"
#include "tests/parity/kernel_adjoint.h"
#include "tests/parity/kernel_bench.h"
#include "tests/parity/kernel_copies.h"
#include "tests/parity/kernel_density.h"
#include "tests/parity/kernel_retreat.h"
#include "tests/parity/kernel_run.h"
#include "tests/parity/kernel_tape.h"
#include "tests/parity/pad_case.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace ondo::check {

namespace {

#ifdef ONDO_PARITY_BUILD
constexpr bool kExact = true;
#else
constexpr bool kExact = false;
#endif

int checks = 0;
int failures = 0;

void expect(bool good, const std::string& what)
{
    ++checks;
    if (!good) {
        ++failures;
        std::printf("FAIL %s\n", what.c_str());
    }
}

struct Worst {
    double error = 0.0; // of the peak
    std::string where;
};

template<class T>
void compareStep(Backend& host, Backend& cuda, StreamHandle stream, const Case& c, Worst& worst)
{
    const Problem<T> p = makeProblem<T>(c);
    Run<T> onHost(host, nullptr, p);
    Run<T> onCuda(cuda, stream, p);
    for (int i = 0; i < c.steps; ++i) {
        onHost.step();
        onCuda.step();
    }
    const Outcome<T> a = onHost.outcome();
    const Outcome<T> b = onCuda.outcome();
    const double error = errorOfPeak(a, b);
    const double allowed = kExact ? 0.0 : sizeof(T) == sizeof(double) ? 1e-13 : 1e-5;
    expect(error <= allowed && !a.traces.empty(),
           c.name() + (sizeof(T) == 8 ? " double" : " float") + ": error " + std::to_string(error) + " of the peak");
    if (error >= worst.error) {
        worst = {error, c.name()};
    }
}

// Each face of one kind against the other, then all four kinds mixed.
std::vector<std::array<Face, 6>> faceMixes()
{
    using enum Face;
    return {{Layer, Layer, Layer, Layer, Layer, Layer}, {Free, Layer, Layer, Layer, Layer, Layer},
            {Free, Rigid, Rigid, Free, Free, Rigid},    {Zero, Zero, Zero, Zero, Zero, Zero},
            {Rigid, Layer, Layer, Free, Zero, Layer},   {Layer, Free, Rigid, Layer, Layer, Zero}};
}

// Several steps in one call, in pieces that begin and end anywhere in a recording period: the host one by one, the GPU as it
// likes (graphs, on chip), and the GPU one by one, which must give the same bits.
template<class T>
void advanceCase(Backend& host, Backend& cuda, StreamHandle stream, const Case& c, int ratio, Worst& worst)
{
    const Problem<T> p = makeProblem<T>(c);
    Run<T> onHost(host, nullptr, p);
    Run<T> onCuda(cuda, stream, p);
    Run<T> stepwise(cuda, stream, p);
    const int third = c.steps / 3;
    for (const int piece : {5, third + 2, third, c.steps - 2 * third - 7}) {
        onHost.advance(piece, ratio);
        onCuda.advance(piece, ratio);
    }
    for (int i = 0; i < c.steps; ++i) {
        stepwise.advance(1, ratio);
    }
    const Outcome<T> a = onHost.outcome();
    const Outcome<T> b = onCuda.outcome();
    const Outcome<T> d = stepwise.outcome();
    const double error = errorOfPeak(a, b);
    bool same = b.now == d.now && b.before == d.before && b.traces == d.traces;
    for (int axis = 0; axis < 3; ++axis) {
        same = same && b.psi[axis] == d.psi[axis] && b.zeta[axis] == d.zeta[axis];
    }
    const std::string name =
        "advance, ratio " + std::to_string(ratio) + ", " + c.name() + (sizeof(T) == 8 ? " double" : " float");
    const double allowed = kExact ? 0.0 : sizeof(T) == sizeof(double) ? 1e-12 : 2e-5;
    expect(error <= allowed, name + ": error " + std::to_string(error) + " of the peak");
    expect(same, name + ": other bits than one step at a time");
    if (error >= worst.error) {
        worst = {error, c.name()};
    }
}

template<class T>
void checkAdvance(Backend& host, Backend& cuda, StreamHandle stream, bool quick)
{
    Worst worst;
    unsigned seed = 900;
    const auto check = [&](int rank, int order, const std::array<Face, 6>& faces, int ratio, int steps, int shots,
                           const std::array<int, 3>& n, int layer) {
        Case c;
        c.rank = rank;
        c.order = order;
        std::copy(faces.begin(), faces.end(), c.face);
        if (rank == 2) {
            c.face[2] = c.face[3] = Face::Zero;
        }
        std::copy(n.begin(), n.end(), c.n);
        c.layer = layer;
        c.shots = shots;
        c.steps = steps;
        c.seed = seed++;
        c.near = true;
        advanceCase<T>(host, cuda, stream, c, ratio, worst);
    };
    using enum Face;
    // Without layers, whose random profiles may grow, for long.
    const std::array<Face, 6> shut = {Rigid, Free, Free, Free, Free, Free};
    for (const int ratio : {1, 3, 4}) {
        check(2, 8, shut, ratio, quick ? 24 : 180, 2, {61, 1, 71}, 5);
        check(3, 8, shut, ratio, quick ? 24 : 180, 2, {45, 19, 71}, 5);
    }
    for (const int order : {2, 4, 6, 8, 10}) {
        for (const auto& faces : faceMixes()) {
            if (quick && order != 4 && order != 8) {
                continue;
            }
            check(2, order, faces, 2, 24, 1, {77, 1, 93}, 5); // a tile or a few
        }
    }
    if (!quick) {
        check(2, 8, faceMixes()[0], 3, 24, 2, {701, 1, 907}, 20); // tiles on every multiprocessor
        check(2, 8, faceMixes()[4], 1, 24, 1, {533, 1, 1201}, 20);
        check(2, 4, faceMixes()[1], 1, 24, 3, {340, 1, 340}, 20);
        check(2, 8, faceMixes()[2], 4, 700, 1, {211, 1, 190}, 20);  // several launches
        check(2, 8, faceMixes()[0], 3, 24, 1, {1901, 1, 1807}, 20); // too large to stay on chip
    }
    std::printf("advance, %s: largest error %.3g of the peak (%s)\n", sizeof(T) == 8 ? "double" : "float", worst.error,
                worst.where.c_str());
}

template<class T>
void checkSteps(Backend& host, Backend& cuda, StreamHandle stream, bool quick)
{
    Worst worst;
    for (const int rank : {2, 3}) {
        for (const int order : {2, 4, 6, 8, 10, 12, 20}) {
            if (quick && order != 4 && order != 12) {
                continue;
            }
            unsigned seed = 1;
            for (const auto& mix : faceMixes()) {
                // tall enough to march along z, or not
                Case c = caseOfMix(rank, order, mix, rank == 3 && seed % 2 == 0 ? 39 : 7);
                c.shots = quick ? 2 : 3;
                c.steps = quick ? 3 : 12;
                c.seed = seed++ + static_cast<unsigned>(order) * 100U;
                compareStep<T>(host, cuda, stream, c, worst);
            }
        }
    }
    std::printf("steps, %s: largest error %.3g of the peak (%s)\n", sizeof(T) == 8 ? "double" : "float", worst.error,
                worst.where.c_str());
}

// What marching cuts: several tiles along x and rows, several pieces, tiles that the box ends in, memories that lie on whole
// vectors and such that do not, layers on one side only and too wide for a tile.
template<class T>
void checkTiles(Backend& host, Backend& cuda, StreamHandle stream, bool quick)
{
    using enum Face;
    struct Grid {
        std::array<Face, 6> face;
        int layer, n[3], shots;
    };
    const Grid grids[] = {{{Layer, Layer, Layer, Layer, Layer, Layer}, 20, {83, 78, 227}, 1},
                          {{Layer, Layer, Layer, Layer, Layer, Layer}, 4, {47, 61, 192}, 3},
                          {{Layer, Zero, Zero, Layer, Rigid, Layer}, 13, {77, 53, 156}, 1},
                          {{Free, Layer, Layer, Rigid, Layer, Zero}, 16, {51, 97, 133}, 3},
                          {{Zero, Free, Zero, Zero, Layer, Layer}, 7, {205, 37, 41}, 1},
                          {{Layer, Layer, Layer, Zero, Layer, Layer}, 60, {151, 75, 171}, 1}};
    Worst worst;
    for (const int rank : {2, 3}) {
        for (const int order : {2, 4, 6, 8, 10}) {
            if (quick && order != 8) {
                continue;
            }
            unsigned seed = 500;
            for (const Grid& g : grids) {
                if (quick && g.layer > 20) {
                    continue;
                }
                Case c;
                c.rank = rank;
                c.order = order;
                std::copy(g.face.begin(), g.face.end(), c.face);
                std::copy(g.n, g.n + 3, c.n);
                if (rank == 2) {
                    c.face[2] = c.face[3] = Zero;
                    c.n[0] *= 5;
                    c.n[1] = 1;
                    c.n[2] *= 3;
                }
                c.layer = g.layer;
                c.shots = g.shots;
                c.steps = quick ? 2 : 5;
                c.seed = seed++ + static_cast<unsigned>(order) * 100U;
                compareStep<T>(host, cuda, stream, c, worst);
            }
        }
    }
    std::printf("tiles, %s: largest error %.3g of the peak (%s)\n", sizeof(T) == 8 ? "double" : "float", worst.error,
                worst.where.c_str());
}

// The least that has each kernel that shares memory run: racecheck makes a step a thousand times longer.
void checkForRaces(Backend& host, Backend& cuda, StreamHandle stream)
{
    Worst worst;
    for (const int rank : {2, 3}) {
        Case c;
        c.rank = rank;
        c.order = 8;
        std::fill_n(c.face, 6, Face::Layer);
        if (rank == 2) {
            c.face[2] = c.face[3] = Face::Zero;
        }
        c.n[0] = 37;
        c.n[1] = rank == 3 ? 29 : 1;
        c.n[2] = 75;
        c.layer = 5;
        c.steps = 24;
        c.near = true;
        advanceCase<float>(host, cuda, stream, c, 2, worst);
        if (rank == 2) {
            c.steps = 8;
            retreatCase<float>(host, cuda, stream, c, 2, 1, kExact, expect);
        }
        c.steps = 2;
        compareStep<float>(host, cuda, stream, c, worst);
        c.near = false;
        c.steps = 4;
        bool any = false;
        const double error = adjointError<float>(host, cuda, stream, c, any);
        expect(error <= (kExact ? 0.0 : 1e-5) && any, "steps back, " + c.name() + ": error " + std::to_string(error));
    }
}

// Grids that fill the device and many steps one upon the other: what shows an order of launches that is not kept. Random
// layers may grow, which magnifies rounding, so they are here only where rounding is the same.
template<class T>
void checkLongRuns(Backend& host, Backend& cuda, StreamHandle stream)
{
    Worst worst;
    for (const int rank : {2, 3}) {
        for (const bool layers : {false, true}) {
            if (layers && !kExact) {
                continue;
            }
            using enum Face;
            Case c;
            c.rank = rank;
            const Face low = layers ? Layer : Free;
            const Face high = layers ? Layer : Rigid;
            const std::array<Face, 6> faces = {Free, high, rank == 3 ? low : Zero, rank == 3 ? high : Zero, low, high};
            std::copy(faces.begin(), faces.end(), c.face);
            const int size[3] = {rank == 3 ? 91 : 701, rank == 3 ? 83 : 1, rank == 3 ? 97 : 907};
            std::copy(size, size + 3, c.n);
            c.steps = 60;
            compareStep<T>(host, cuda, stream, c, worst);
        }
    }
    std::printf("long runs, %s: largest error %.3g of the peak (%s)\n", sizeof(T) == 8 ? "double" : "float",
                worst.error, worst.where.c_str());
}

template<class T>
void paintOn(Backend& backend, StreamHandle stream, const std::vector<T>& field, const std::vector<float>& model,
             int rows, int columns, const PictureWindow& window, float blend, std::vector<std::uint32_t>& pixels)
{
    std::vector<std::uint32_t> waves(256);
    std::vector<std::uint32_t> greys(256);
    for (unsigned i = 0; i < 256; ++i) {
        waves[i] = 0xFF000000U | i | (255U - i) << 16;
        greys[i] = 0xFF000000U | i * 0x010101U;
    }
    const Block<T> f(backend, stream, field);
    const Block<float> m(backend, stream, model);
    const Block<std::uint32_t> w(backend, stream, waves);
    const Block<std::uint32_t> g(backend, stream, greys);
    const int pitch = window.width + 3;
    const Block<std::uint32_t> out(backend, stream,
                                   static_cast<std::size_t>(pitch) * static_cast<std::size_t>(window.height));
    PaintField<T> paint;
    paint.field = {f.data(), columns, 1, rows, columns};
    if (!model.empty()) {
        paint.model = {m.data(), columns, 1, rows, columns};
    }
    paint.window = window;
    paint.style = {w.data(), g.data(), 1.7F, 0.0F, 1.0F, blend};
    paint.out = out.data();
    paint.pitch = pitch;
    backend.paint(paint, stream);
    pixels = out.read(CopyPurpose::Picture);
}

// Pixels where the two differ by more than rounding can explain.
int pixelsApart(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)
{
    int apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            const int d = static_cast<int>(a[i] >> shift & 255U) - static_cast<int>(b[i] >> shift & 255U);
            if (std::abs(d) > (kExact ? 0 : 3)) {
                ++apart;
                break;
            }
        }
    }
    return apart;
}

template<class T>
void checkPictures(Backend& host, Backend& cuda, StreamHandle stream)
{
    const int rows = 173;
    const int columns = 211;
    std::vector<T> field;
    std::vector<float> model;
    Random random(5);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            field.push_back(static_cast<T>(std::sin(0.11 * r + 0.07 * c) * std::exp(-0.01 * r)));
            model.push_back(static_cast<float>(0.5 + 0.4 * std::sin(0.05 * c)));
        }
    }
    field[37 * 211 + 41] = static_cast<T>(NAN);
    const PictureWindow windows[] = {{-0.5F, -0.5F, 1.0F, 1.0F, 211, 173},
                                     {-7.3F, -4.1F, 0.31F, 0.27F, 701, 663},
                                     {-20.0F, -10.0F, 3.37F, 5.9F, 97, 41},
                                     {0.0F, 0.0F, 21.0F, 0.4F, 13, 200}};
    for (const PictureWindow& window : windows) {
        for (const float blend : {0.0F, 0.4F, 0.8F, 1.0F}) {
            for (const bool withModel : {false, true}) {
                std::vector<std::uint32_t> a;
                std::vector<std::uint32_t> b;
                const auto& under = withModel ? model : std::vector<float>();
                paintOn<T>(host, nullptr, field, under, rows, columns, window, blend, a);
                paintOn<T>(cuda, stream, field, under, rows, columns, window, blend, b);
                const int apart = pixelsApart(a, b);
                // Rounding may move an averaged pixel's taps to the next node: rare, and none without contraction.
                expect(apart <= (kExact ? 0 : static_cast<int>(a.size() / 1000)),
                       "paint " + std::to_string(window.width) + "x" + std::to_string(window.height) + ": " +
                           std::to_string(apart) + " of " + std::to_string(a.size()) + " pixels differ");
            }
        }
    }
}

template<class T>
void checkHistogram(Backend& host, Backend& cuda, StreamHandle stream)
{
    const int rows = 301;
    const int columns = 517;
    Random random(9);
    std::vector<T> field;
    for (int i = 0; i < rows * (columns + 5); ++i) {
        field.push_back(static_cast<T>(random(-1.0, 1.0) * std::pow(10.0, random(-30.0, 30.0))));
    }
    field[7] = static_cast<T>(INFINITY);
    field[8] = static_cast<T>(NAN);
    std::vector<unsigned> bins[2];
    Backend* const backends[] = {&host, &cuda};
    for (int i = 0; i < 2; ++i) {
        const StreamHandle s = i == 0 ? nullptr : stream;
        const Block<T> f(*backends[i], s, field);
        const Block<unsigned> b(*backends[i], s, std::vector<unsigned>(kHistogramBins, 77U));
        AmplitudeHistogram<T> body;
        body.field = {f.data(), columns + 5, 1, rows, columns};
        body.bins = b.data();
        backends[i]->histogram(body, s);
        bins[i] = b.read();
    }
    unsigned sum = 0;
    for (const unsigned n : bins[1]) {
        sum += n;
    }
    expect(bins[0] == bins[1], "histogram: bins differ");
    expect(sum == static_cast<unsigned>(rows * columns), "histogram: " + std::to_string(sum) + " values counted");
}

template<class T>
void checkModels(Backend& cuda, StreamHandle stream)
{
    for (const PadCase& c : padCases()) {
        auto body = padBody<T>(c);
        const auto speeds = padSpeeds(c);
        const Block<float> speed(cuda, stream, speeds);
        const Block<T> c2(cuda, stream, std::vector<T>(static_cast<std::size_t>(body.layout.shotStride), T(7)));
        body.speed = speed.data();
        body.c2 = c2.data();
        cuda.pad(body, stream);
        expect(c2.read() == padExpected(body, speeds), "model: " + c.name() + " differs");
    }
}

// A sanitizer reports the refusal that CUDA answers with, so this part is not for it.
void checkRefusals(Backend& cuda, StreamHandle stream)
{
    bool refused = false;
    try {
        (void)cuda.allocate(std::size_t{1} << 50, stream);
    } catch (const BackendError& error) {
        refused = error.failure() == BackendFailure::OutOfMemory;
        std::printf("a refusal reads: %s\n", error.what());
    }
    expect(refused, "memory: a pebibyte was not refused");
    cuda.trim();
    const Block<double> again(cuda, stream, 1000); // no error stays behind
    Problem<float> p = makeProblem<float>(Case{2, 4, 1, {40, 1, 40}, {}, 5, 1, 1});
    p.c.order = 6; // with a halo made for 4
    refused = false;
    try {
        Run<float>(cuda, stream, p).stepAlone();
    } catch (const BackendError&) {
        refused = true;
    }
    expect(refused, "step: a halo that is too thin was not refused");
}

// Null and an exit status if there is nothing to compare with. "host" instead of a module checks the check itself.
std::unique_ptr<Backend> openOther(const char* file, int& status)
{
    status = 1;
    if (std::strcmp(file, "host") == 0) {
        return makeHostBackend(1);
    }
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return nullptr;
    }
    const auto entry = reinterpret_cast<ModuleEntry>(dlsym(library, kModuleEntry));
    BackendModule* module = entry != nullptr ? entry(ONDO_MODULE_RELEASE) : nullptr;
    if (module == nullptr || entry("0.0") != nullptr) {
        std::printf("%s is no module of release %s, or takes any release\n", file, ONDO_MODULE_RELEASE);
        return nullptr;
    }
    std::string why;
    if (module->count(why) == 0) {
        std::printf("SKIP: %s\n", why.c_str());
        status = 77;
        return nullptr;
    }
    return module->open(0);
}

// benchOnly: empty for the checks, else what benchCases takes.
int run(const char* file, bool quick, bool races, bool density, const std::string& benchOnly)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // told even if it is killed
    int status = 0;
    const std::unique_ptr<Backend> cuda = openOther(file, status);
    if (cuda == nullptr) {
        return status;
    }
    const std::unique_ptr<Backend> host = makeHostBackend();
    const DeviceFacts facts = cuda->facts();
    std::printf("%s, %s, driver CUDA %d, %zu of %zu bytes free; %s build\n", facts.name.c_str(), facts.backend.c_str(),
                facts.driverVersion, facts.memoryFree, facts.memoryTotal, kExact ? "parity" : "release");
    const StreamHandle stream = cuda->createStream(StreamPriority::Solver);
    setenv("ONDO_MARCH", "0", 1); // read when a backend is made
    const std::unique_ptr<Backend> plain = openOther(file, status);
    unsetenv("ONDO_MARCH");
    const Others others{*cuda, *plain, stream, plain->createStream(StreamPriority::Solver)};
    if (!benchOnly.empty()) {
        benchCases(*cuda, stream, benchOnly);
    } else if (density) {
        checkDensity<float>(*host, others, quick, kExact, faceMixes(), expect);
        std::printf("%d checks, %d failed\n", checks, failures);
    } else if (races) {
        checkForRaces(*host, *cuda, stream);
        std::printf("%d checks, %d failed\n", checks, failures);
    } else {
        if (!cuda->isHost()) {
            checkCopies(*cuda, stream, expect);
            checkLargeCopies(*cuda, stream, expect);
            if (!quick) {
                checkRefusals(*cuda, stream);
            }
        }
        checkModels<float>(*cuda, stream);
        checkModels<double>(*cuda, stream);
        checkHistogram<float>(*host, *cuda, stream);
        checkHistogram<double>(*host, *cuda, stream);
        checkPictures<float>(*host, *cuda, stream);
        checkPictures<double>(*host, *cuda, stream);
        checkAdvance<float>(*host, *cuda, stream, quick);
        checkAdvance<double>(*host, *cuda, stream, quick);
        checkSteps<float>(*host, *cuda, stream, quick);
        checkSteps<double>(*host, *cuda, stream, quick);
        checkAdjoint<float>(*host, *cuda, stream, quick, kExact, faceMixes(), expect);
        checkAdjoint<double>(*host, *cuda, stream, quick, kExact, faceMixes(), expect);
        checkRetreat<float>(*host, *cuda, stream, quick, kExact, faceMixes(), expect);
        checkRetreat<double>(*host, *cuda, stream, true, kExact, faceMixes(), expect);
        checkDensity<float>(*host, others, quick, kExact, faceMixes(), expect);
        checkDensity<double>(*host, others, quick, kExact, faceMixes(), expect);
        checkTape<float>(*host, *cuda, stream, kExact, faceMixes(), expect);
        checkTape<double>(*host, *cuda, stream, kExact, faceMixes(), expect);
        checkTiles<float>(*host, *cuda, stream, quick);
        checkTiles<double>(*host, *cuda, stream, quick);
        if (!quick) {
            checkLongRuns<float>(*host, *cuda, stream);
            checkLongRuns<double>(*host, *cuda, stream);
        }
        std::printf("%d checks, %d failed\n", checks, failures);
    }
    plain->destroyStream(others.plainStream);
    cuda->destroyStream(stream);
    return failures == 0 ? 0 : 1;
}

} // namespace

} // namespace ondo::check

int main(int argc, char** argv)
{
    const auto has = [&](const char* option) {
        return std::any_of(argv + 1, argv + argc, [&](const char* a) { return std::strcmp(a, option) == 0; });
    };
    if (argc < 2) {
        std::printf("usage: cuda_kernel_check MODULE.so [--quick] [--races] [--density] [--bench [NAMES]]\n");
        return 2;
    }
    try {
        const bool named = argc > 3 && std::strcmp(argv[2], "--bench") == 0;
        return ondo::check::run(argv[1], has("--quick"), has("--races"), has("--density"),
                                named            ? argv[3]
                                : has("--bench") ? "all"
                                                 : "");
    } catch (const std::exception& error) {
        std::printf("FAIL %s\n", error.what());
        return 1;
    }
}
