// The built-in structural model: the same everywhere, within the speeds it promises, quick to make, and the model of a
// run that names none.
#include "engine/io/model_reader.h"
#include "engine/model/sample_model.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace ondo;

class TestSampleModel : public QObject {
    Q_OBJECT

private slots:
    void size();
    void speeds();
    void structure();
    void sameOnEveryGrid();
    void isTheDefault();
    void refuses();

private:
    Model m_model = sampleModel().value();
};

void TestSampleModel::size()
{
    const Grid& g = m_model.grid();
    QCOMPARE(g.rank, 2);
    QCOMPARE(g.lengthX(), 9200.0);
    QCOMPARE(g.lengthZ(), 3000.0);
    QElapsedTimer clock;
    clock.start();
    QVERIFY(sampleModel().has_value());
    // Half of what a start may take before the first wave; about 0.2 s on one core.
    QVERIFY2(clock.elapsed() < 1500, qPrintable(QString::number(clock.elapsed())));
}

void TestSampleModel::speeds()
{
    const auto range = m_model.range();
    QCOMPARE(range.nonFinite, 0);
    QCOMPARE(range.low, 1480.0);
    QVERIFY(range.high > 4900.0 && range.high < 5300.0);
    QVERIFY(sampleModel()->velocity().samples() == m_model.velocity().samples());
}

void TestSampleModel::structure()
{
    const auto& v = m_model.velocity().samples();
    const auto column = [&v](int ix) {
        std::vector<double> out;
        for (std::size_t iz = 0; iz < kSampleNz; ++iz) {
            out.push_back(static_cast<double>(v[iz * kSampleNx + static_cast<std::size_t>(ix)]));
        }
        return out;
    };
    const auto interfaces = [](const std::vector<double>& c) {
        int count = 0;
        for (std::size_t i = 2; i < c.size(); i += 2) {
            count += std::abs(c[i] - c[i - 2]) > 60.0 ? 1 : 0;
        }
        return count;
    };
    // Many beds on both flanks.
    QVERIFY(interfaces(column(180)) >= 20);
    QVERIFY(interfaces(column(1000)) >= 20);
    // Under the tongue the speed falls back from salt to sediment: an overhang.
    const auto tongue = column(560);
    const auto salt = std::find_if(tongue.begin(), tongue.end(), [](double s) { return s > 4400.0; });
    QVERIFY(salt != tongue.end());
    QVERIFY(std::any_of(salt, tongue.end() - 100, [](double s) { return s < 3200.0; }));
    // Water everywhere on top.
    for (std::size_t ix = 0; ix < kSampleNx; ++ix) {
        QCOMPARE(v[ix], 1480.0F);
    }
}

void TestSampleModel::sameOnEveryGrid()
{
    const auto coarse = sampleModel(94, 288, 32.0);
    QVERIFY(coarse.has_value());
    double difference = 0.0;
    for (std::size_t iz = 0; iz < 94; ++iz) {
        for (std::size_t ix = 0; ix < 288; ++ix) {
            difference += std::abs(static_cast<double>(coarse->velocity().samples()[iz * 288 + ix]) -
                                   static_cast<double>(m_model.velocity().samples()[iz * 4 * kSampleNx + ix * 4]));
        }
    }
    // Only the cells on edges differ.
    QVERIFY2(difference / (94.0 * 288.0) < 40.0, qPrintable(QString::number(difference / (94.0 * 288.0))));
}

void TestSampleModel::isTheDefault()
{
    const auto loaded = readModel({});
    QVERIFY(loaded.has_value());
    QVERIFY(loaded->model.velocity().samples() == m_model.velocity().samples());
    QVERIFY(!loaded->notes.empty());
}

void TestSampleModel::refuses()
{
    QVERIFY(!sampleModel(0, 10, 8.0).has_value());
    QVERIFY(!sampleModel(10, 10, -1.0).has_value());
}

QTEST_GUILESS_MAIN(TestSampleModel)
#include "tst_sample_model.moc"
