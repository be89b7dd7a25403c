// Words for messages and for machines: the nearest known word, JSON text.
#include "engine/core/json.h"
#include "engine/core/nearest.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <limits>

using namespace ondo;

class TestWords : public QObject {
    Q_OBJECT

private slots:
    void distances_data();
    void distances();
    void nearest();
    void jsonIsReadByOthers();
    void brokenTextBecomesGoodJson();
};

void TestWords::distances_data()
{
    QTest::addColumn<std::string>("a");
    QTest::addColumn<std::string>("b");
    QTest::addColumn<int>("distance");
    QTest::newRow("same") << std::string("run") << std::string("run") << 0;
    QTest::newRow("swap") << std::string("rnu") << std::string("run") << 1;
    QTest::newRow("missing") << std::string("frequncy") << std::string("frequency") << 1;
    QTest::newRow("known") << std::string("kitten") << std::string("sitting") << 3;
    QTest::newRow("empty") << std::string() << std::string("abc") << 3;
}

void TestWords::distances()
{
    QFETCH(std::string, a);
    QFETCH(std::string, b);
    QFETCH(int, distance);
    QCOMPARE(editDistance(a, b), distance);
    QCOMPARE(editDistance(b, a), distance);
}

void TestWords::nearest()
{
    const std::vector<std::string> known = {"run", "info", "check", "convert"};
    QCOMPARE(nearestWord("chekc", known), std::string("check"));
    QCOMPARE(nearestWord("conver", known), std::string("convert"));
    QCOMPARE(nearestWord("zzzzzz", known), std::string());
    QCOMPARE(nearestWord("", {}), std::string());
}

void TestWords::jsonIsReadByOthers()
{
    json::Object inner;
    inner.add("path", json::text("C:\\a \"b\"\n\tc"));
    json::Object all;
    all.add("inner", inner.str()).add("list", json::array({json::number(1), json::number(0.1), json::boolean(true)}));
    all.add("nothing", json::number(std::numeric_limits<double>::quiet_NaN()))
        .add("words", json::texts({"p\xc3\xa4", ""}));
    QJsonParseError error;
    const auto read = QJsonDocument::fromJson(QByteArray::fromStdString(all.str()), &error).object();
    QCOMPARE(error.error, QJsonParseError::NoError);
    QCOMPARE(read["inner"].toObject()["path"].toString(), QString("C:\\a \"b\"\n\tc"));
    QCOMPARE(read["list"].toArray()[1].toDouble(), 0.1);
    QVERIFY(read["nothing"].isNull());
    QCOMPARE(read["words"].toArray()[0].toString(), QString::fromUtf8("p\xc3\xa4"));
}

void TestWords::brokenTextBecomesGoodJson()
{
    for (const char* broken :
         {"\xff", "a\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "x\x01y"}) {
        QJsonParseError error;
        const auto text = json::array({json::text(broken)});
        const auto read = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error);
        QVERIFY2(error.error == QJsonParseError::NoError, text.c_str());
        QVERIFY(read.array()[0].isString());
    }
}

QTEST_GUILESS_MAIN(TestWords)
#include "tst_words.moc"
