// The run that is chosen for a model: inside it, well sampled, accepted by the plan without a warning.
#include "engine/project/default_run.h"
#include "engine/session/simulation_plan.h"

#include <QtTest>

#include <limits>

using namespace ondo;

namespace {

kernels::DeviceFacts aCpu()
{
    kernels::DeviceFacts facts;
    facts.id = "cpu";
    facts.threads = 2;
    return facts;
}

} // namespace

class TestDefaultRun : public QObject {
    Q_OBJECT

private slots:
    void isAccepted_data();
    void isAccepted();
    void keepsClearOfFreeFaces();
    void leavesAGivenSurveyAlone();
    void keepsAGivenDuration();
    void hasFewReceivers();
    void survivesBadValues();
};

void TestDefaultRun::isAccepted_data()
{
    QTest::addColumn<Grid>("grid");
    QTest::addColumn<double>("speed");
    QTest::newRow("marmousi-sized") << *Grid::make2D(301, 921, 10.0, 10.0) << 1500.0;
    QTest::newRow("odd spacings, away from 0") << *Grid::make2D(77, 133, 5.0, 12.5, {-300.0, 0.0, 40.0}) << 2100.0;
    QTest::newRow("laboratory") << *Grid::make2D(200, 200, 1e-4, 1e-4) << 1480.0;
    QTest::newRow("crust") << *Grid::make2D(150, 800, 250.0, 250.0) << 6000.0;
    QTest::newRow("large") << *Grid::make2D(1200, 3000, 2.0, 2.0) << 1800.0;
    QTest::newRow("smallest") << *Grid::make2D(8, 8, 10.0, 10.0) << 2000.0;
    QTest::newRow("narrow") << *Grid::make2D(400, 9, 10.0, 10.0) << 2000.0;
    QTest::newRow("three dimensions") << *Grid::make3D(40, 52, 61, 10.0, 12.0, 10.0) << 1700.0;
}

void TestDefaultRun::isAccepted()
{
    QFETCH(Grid, grid);
    QFETCH(double, speed);
    const Model model = *Model::constant(grid, static_cast<float>(speed));
    const RunDescription run = defaultRun(model);
    QCOMPARE(run.survey.shots.size(), std::size_t{1});
    QCOMPARE(run.survey.shots[0].sources.size(), std::size_t{1});
    QVERIFY(!run.survey.shots[0].receivers.empty());
    const auto plan = SimulationPlan::make(run, model, aCpu());
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    for (const auto& warning : (*plan)->warnings) {
        // Strange speeds may be remarked on; sampling may not.
        QVERIFY2(warning.what.find("velocities span") != std::string::npos, warning.what.c_str());
    }
    QVERIFY((*plan)->pointsPerWavelength >= 5.59);
    QVERIFY(run.duration > 0.0);
    QCOMPARE((*plan)->run, run);
}

void TestDefaultRun::keepsClearOfFreeFaces()
{
    const Model model = *Model::constant(*Grid::make2D(60, 80, 10.0, 10.0), 1500.0F);
    RunDescription run;
    run.boundary.faces.fill(FaceCondition::Free);
    run = withDefaultSurvey(run, model);
    QVERIFY(SimulationPlan::make(run, model, aCpu()).has_value());
    QVERIFY(run.survey.shots[0].sources[0].position.z > 0.0);
}

void TestDefaultRun::leavesAGivenSurveyAlone()
{
    const Model model = *Model::constant(*Grid::make2D(60, 80, 10.0, 10.0), 1500.0F);
    RunDescription run;
    run.title = "mine";
    run.survey.shots.push_back({{{{100.0, 0.0, 100.0}, Wavelet::ricker(7.0)}}, {}});
    QCOMPARE(withDefaultSurvey(run, model), run);
}

void TestDefaultRun::keepsAGivenDuration()
{
    const Model model = *Model::constant(*Grid::make2D(60, 80, 10.0, 10.0), 1500.0F);
    RunDescription run;
    run.duration = 0.125;
    QCOMPARE(withDefaultSurvey(run, model).duration, 0.125);
}

void TestDefaultRun::hasFewReceivers()
{
    for (const int nx : {9, 100, 301, 305, 306, 921, 5000}) {
        const Model model = *Model::constant(*Grid::make2D(20, nx, 10.0, 10.0), 1500.0F);
        const auto receivers = defaultRun(model).survey.shots[0].receivers;
        QVERIFY(receivers.size() <= 301);
        QVERIFY(receivers.size() >= 5);
        QVERIFY(receivers.back().position.x <= model.grid().lengthX());
        QVERIFY(receivers.back().position.x > 0.9 * model.grid().lengthX() - 30.0);
    }
}

void TestDefaultRun::survivesBadValues()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Grid grid = *Grid::make2D(10, 10, 10.0, 10.0);
    for (const float bad : {nan, 0.0F, -3.0F, std::numeric_limits<float>::infinity()}) {
        std::vector<float> values(100, bad);
        QVERIFY(defaultRun(*Model::make(grid, values)).survey.shots[0].sources[0].wavelet.check().has_value());
        values[50] = 2000.0F;
        QVERIFY(defaultRun(*Model::make(grid, values)).survey.shots[0].sources[0].wavelet.check().has_value());
    }
    QVERIFY(defaultRun(Model()).survey.shots.empty());
}

QTEST_GUILESS_MAIN(TestDefaultRun)
#include "tst_default_run.moc"
