// SessionOptions::keepFieldAt: the kept field is the very one that a run of that length ends with, and keeping it changes
// nothing else.
#include "engine/device/device_list.h"
#include "engine/project/default_run.h"
#include "engine/session/session.h"

#include <QtTest>

using namespace ondo;

namespace {

struct Ended {
    std::shared_ptr<const FieldFrame> last, kept;
    std::vector<float> traces;
};

Ended computed(double duration, std::optional<double> keepAt)
{
    const Model model = *Model::constant(*Grid::make2D(90, 131, 10.0, 10.0), 2000.0F);
    RunDescription run = defaultRun(model);
    run.duration = duration;
    const auto device = openDevice("cpu", 2)->device;
    Session session;
    SessionOptions options;
    options.keepFieldAt = keepAt;
    Ended ended;
    if (!session.start(*SimulationPlan::make(run, model, device->facts()), device, options)) {
        return ended;
    }
    session.waitUntilIdle();
    for (const auto& event : session.takeEvents()) {
        if (const auto* f = std::get_if<Finished>(&event)) {
            ended.last = f->lastField;
            ended.kept = f->keptField;
        }
        if (const auto* s = std::get_if<ShotFinished>(&event)) {
            ended.traces = s->gather->traces;
        }
    }
    return ended;
}

} // namespace

class TestKeptField : public QObject {
    Q_OBJECT

private slots:
    void isTheFieldOfThatInstant();
    void beyondTheEndThereIsNone();
};

void TestKeptField::isTheFieldOfThatInstant()
{
    const Ended plain = computed(0.6, {});
    QVERIFY(plain.last && !plain.kept);
    const Ended half = computed(0.3, {});
    const Ended both = computed(0.6, half.last->time);
    QVERIFY(both.kept);
    QCOMPARE(both.kept->step, half.last->step);
    QCOMPARE(both.kept->values, half.last->values);
    QCOMPARE(both.last->values, plain.last->values);
    QCOMPARE(both.traces, plain.traces);
}

void TestKeptField::beyondTheEndThereIsNone()
{
    const Ended all = computed(0.3, 5.0);
    QVERIFY(all.last && !all.kept);
}

QTEST_GUILESS_MAIN(TestKeptField)
#include "tst_kept_field.moc"
