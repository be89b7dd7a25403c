// What a measured device predicts: its own measurements where it was measured, something in between elsewhere.
#include "engine/bench/calibration.h"
#include "engine/device/device_list.h"
#include "engine/session/plan_work.h"

#include <QtTest>

#include <cmath>

using namespace ondo;

class TestDeviceSpeed : public QObject {
    Q_OBJECT

private slots:
    void givesBackWhatWasMeasured();
    void growsWithTheSizeBeyondTheLast();
    void ordersInBetweenAndBeyond();
    void layersReceiversAndShotsAdd();
    void partsOfGradients();
    void noBasisIsNoEstimate();
    void calibratesThisMachine();
    void calibrationEndsWhenTold();
};

namespace {

// A device that takes 2 us a step and 1 ns a node and order, four times as long from 1e6 nodes on.
DeviceSpeed madeUp()
{
    DeviceSpeed speed;
    for (const int rank : {2, 3}) {
        RankSpeed& r = speed.rank[rank - 2];
        for (const int order : {2, 4, 8}) {
            SpeedCurve curve{rank, order, {}};
            for (const double points : {1e4, 1e5, 1e6, 1e7}) {
                curve.at.push_back({points, 2e-6 + points * order * 1e-9 * (points >= 1e6 ? 4.0 : 1.0)});
            }
            r.plain.push_back(curve);
        }
        r.layered = {{rank, 8, {{1e5, 3e-9}}}};
        r.slabWeight[0] = 0.5;
        r.slabWeight[2] = 1.5;
        r.wide = {rank, 8, {{1e5, 2.0}}};
        r.wideLayered = {rank, 8, {{1e5, 3.0}}};
        r.eightShots = {{rank, 8, {{1e5, 4.5}}}};
        r.general = {{12.0, 2.0}, {20.0, 4.0}};
        r.generalLayered = {{12.0, 3.0}, {20.0, 3.0}};
        r.receivers = {{1e5, 1e-6, 1e-9}};
        r.sourceNode = 2e-9;
    }
    speed.call.fixed = 0.25;
    return speed;
}

LaunchWork launchOf(double points, int order = 8)
{
    LaunchWork launch;
    launch.points = points;
    launch.order = order;
    launch.steps = 10;
    return launch;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

} // namespace

void TestDeviceSpeed::givesBackWhatWasMeasured()
{
    const DeviceSpeed speed = madeUp();
    QVERIFY(near(speed.stepSeconds(launchOf(1e5)), 2e-6 + 8e-4));
    QVERIFY(near(speed.stepSeconds(launchOf(1e7, 2)), 2e-6 + 8e-2));
    const double between = speed.stepSeconds(launchOf(3e5));
    QVERIFY(between > speed.stepSeconds(launchOf(1e5)) && between < speed.stepSeconds(launchOf(1e6)));
}

void TestDeviceSpeed::growsWithTheSizeBeyondTheLast()
{
    const DeviceSpeed speed = madeUp();
    QVERIFY(near(speed.stepSeconds(launchOf(4e7)), 4.0 * speed.stepSeconds(launchOf(1e7))));
    // And does not fall to nothing below the first.
    QVERIFY(speed.stepSeconds(launchOf(100.0)) > 1e-7);
    QVERIFY(speed.stepSeconds(launchOf(100.0)) < speed.stepSeconds(launchOf(1e4)));
    // An order that ends early goes on as the last one does.
    DeviceSpeed early = speed;
    early.rank[0].plain[0].at.resize(2);
    QVERIFY(near(early.stepSeconds(launchOf(1e7, 2)), speed.stepSeconds(launchOf(1e5, 2)) *
                                                          speed.stepSeconds(launchOf(1e7)) /
                                                          speed.stepSeconds(launchOf(1e5))));
}

void TestDeviceSpeed::ordersInBetweenAndBeyond()
{
    const DeviceSpeed speed = madeUp();
    const auto at = [&speed](int order) { return speed.stepSeconds(launchOf(1e5, order)); };
    QVERIFY(near(at(6), 0.5 * (at(4) + at(8))));
    QVERIFY(near(at(10), at(8) + 0.5 * (at(8) - at(4))));
    QVERIFY(near(at(12), 2.0 * at(8)));
    QVERIFY(near(at(16), 3.0 * at(8)));
    QVERIFY(near(at(32), 7.0 * at(8)));
}

void TestDeviceSpeed::layersReceiversAndShotsAdd()
{
    const DeviceSpeed speed = madeUp();
    const double plain = speed.stepSeconds(launchOf(1e5));
    LaunchWork layers = launchOf(1e5);
    layers.slab[0] = layers.slab[2] = 1e4;
    QVERIFY(near(speed.stepSeconds(layers), plain + 3e-9 * (0.5e4 + 1.5e4)));
    // Of a run-time radius and of double precision a layer node costs three plain ones of the same step more.
    const double threeNodes = 3.0 * (2.0 * plain / 1e5);
    layers.order = 12;
    QVERIFY(near(speed.stepSeconds(layers), 2.0 * plain + threeNodes * (0.5e4 + 1.5e4)));
    layers.order = 8;
    LaunchWork receivers = launchOf(1e5);
    receivers.receiverNodes = 6400.0;
    receivers.ratio = 4; // a sample each fourth step
    QVERIFY(near(speed.stepSeconds(receivers), plain + (1e-6 + 6.4e-6) / 4.0));
    LaunchWork sources = launchOf(1e5);
    sources.sourceNodes = 64.0;
    QVERIFY(near(speed.stepSeconds(sources), plain + 128e-9));
    LaunchWork shots = layers; // two of them: as far on the way to eight as one is from seven
    shots.shots = 2;
    shots.points *= 2.0;
    shots.slab[0] *= 2.0;
    shots.slab[2] *= 2.0;
    QVERIFY(near(speed.stepSeconds(shots), 1.5 * speed.stepSeconds(layers)));
    LaunchWork wide = layers;
    wide.wide = true;
    QVERIFY(near(speed.stepSeconds(wide), 2.0 * plain + threeNodes * (0.5e4 + 1.5e4)));
}

void TestDeviceSpeed::partsOfGradients()
{
    GradientSpeed parts;
    QCOMPARE(parts.seconds(GradientSpeed::Step, launchOf(1e5)), 0.0);
    parts.at[GradientSpeed::Step] = {{1e4, 1e-5}, {1e6, 1e-3}};
    parts.at[GradientSpeed::Shell] = {{1e4, 1e-9}, {1e6, 3e-9}};
    parts.orderFour[GradientSpeed::Step] = 0.5;
    parts.wide[GradientSpeed::Step] = 1.8;
    const auto step = [&parts](double points, int order) {
        return parts.seconds(GradientSpeed::Step, launchOf(points, order));
    };
    QVERIFY(near(step(1e5, 8), 1e-4));
    QVERIFY(near(step(4e6, 8), 4e-3));
    QVERIFY(near(step(1e5, 4), 5e-5));
    QVERIFY(near(step(1e5, 6), 7.5e-5));
    QVERIFY(near(step(1e5, 12), 1.5e-4));
    LaunchWork wide = launchOf(1e5);
    wide.wide = true;
    QVERIFY(near(parts.seconds(GradientSpeed::Step, wide), 1.8e-4));
    QVERIFY(near(parts.seconds(GradientSpeed::Shell, launchOf(1e8)), 3e-9)); // a node
}

void TestDeviceSpeed::noBasisIsNoEstimate()
{
    PlanWork work;
    work.launches = {launchOf(1e5)};
    QCOMPARE(DeviceSpeed{}.runSeconds(work), 0.0);
    QVERIFY(near(madeUp().runSeconds(work), 0.25 + 10.0 * (2e-6 + 8e-4)));
}

// Shape, not speed: this machine may be doing anything else at the same time.
void TestDeviceSpeed::calibratesThisMachine()
{
    const auto device = openDevice("cpu")->device;
    CalibrationOptions options;
    options.seconds = 0.4;
    double told = 0.0;
    options.telling = [&told](double share) { told = std::max(told, share); };
    const auto speed = calibrate(device, options);
    QVERIFY2(speed.has_value(), speed ? "" : speed.error().text().c_str());
    QVERIFY(told > 0.0 && told <= 1.0);
    QCOMPARE(speed->device, device->facts().name);
    for (const RankSpeed& rank : speed->rank) {
        QCOMPARE(rank.plain.size(), std::size_t{3});
        QCOMPARE(rank.layered.size(), std::size_t{2});
        for (const auto* curves : {&rank.plain, &rank.layered}) {
            for (const SpeedCurve& curve : *curves) {
                QVERIFY(curve.at.size() >= 2);
                for (std::size_t i = 1; i < curve.at.size(); ++i) {
                    QVERIFY(curve.at[i].points > curve.at[i - 1].points);
                }
            }
        }
        for (int part = 0; part < GradientSpeed::Parts; ++part) {
            QVERIFY(rank.gradient.at[part].size() >= 2);
            const bool difference = part == GradientSpeed::Keep || part == GradientSpeed::Image ||
                                    part == GradientSpeed::KeepOfMany || part == GradientSpeed::ImageOfMany;
            QVERIFY(difference || rank.gradient.at[part][0].seconds > 0.0);
        }
        QVERIFY(!rank.wide.at.empty() && rank.eightShots.size() == 2 && rank.general.size() == 2);
    }
    QVERIFY(speed->call.fixed + speed->call.launch > 0.0);
    QVERIFY(speed->call.modelPoint + speed->call.fieldPoint > 0.0);
    for (const double cost : {speed->staging.copied, speed->staging.staged, speed->staging.filed,
                              speed->staging.filedCached, speed->staging.packed, speed->staging.packedScaled}) {
        QVERIFY(cost > 0.0 && cost < 1e-6); // s a byte or number
    }
    QCOMPARE(device->arena().use().reserved, std::size_t{0});
}

void TestDeviceSpeed::calibrationEndsWhenTold()
{
    const auto device = openDevice("cpu")->device;
    std::atomic<bool> stop{true};
    CalibrationOptions options;
    options.stop = &stop;
    const auto speed = calibrate(device, options);
    QVERIFY(!speed.has_value());
    QCOMPARE(speed.error().kind, ErrorKind::Cancelled);
}

QTEST_GUILESS_MAIN(TestDeviceSpeed)
#include "tst_device_speed.moc"
