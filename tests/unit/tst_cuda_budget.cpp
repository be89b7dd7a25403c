// The table of what kernels may use, and the reader of what ptxas says, on made-up kernels: no compiler is needed.
#include "cuda_budget.h"

#include <QFile>
#include <QtTest>

class TestCudaBudget : public QObject {
    Q_OBJECT

private slots:
    void ptxasIsRead();
    void namesAreShort();
    void withinIsNoFault();
    void beyondIsAFault();
    void unknownSaysTheRow();
    void tableHasFaults_data();
    void tableHasFaults();
    void tableIsGood();
    void moduleIsProjected();
};

namespace {

const char* const kSaid = "ptxas info    : Compiling entry function '_Z10faceKernelIfEvT_' for 'sm_80'\n"
                          "ptxas info    : Function properties for _Z10faceKernelIfEvT_\n"
                          "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                          "ptxas info    : Used 40 registers, used 0 barriers, 2184 bytes cmem[0], 8 bytes cmem[2]\n"
                          "ptxas info    : Compiling entry function '_Z10faceKernelIfEvT_' for 'sm_100a'\n"
                          "ptxas info    : Function properties for _Z10faceKernelIfEvT_\n"
                          "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
                          "ptxas info    : Used 66 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]\n";

KernelUses said()
{
    KernelUses uses;
    readPtxas(kSaid, uses);
    return uses;
}

Budget table(const char* text)
{
    std::string fault;
    Budget budget = readBudget(text, fault);
    return budget;
}

} // namespace

void TestCudaBudget::ptxasIsRead()
{
    const KernelUses uses = said();
    QCOMPARE(uses.size(), std::size_t{2});
    const KernelUse& first = uses.at(80).at("_Z10faceKernelIfEvT_");
    QCOMPARE(first.registers, 40);
    QCOMPARE(first.shared, 0);
    const KernelUse& second = uses.at(100).at("_Z10faceKernelIfEvT_");
    QCOMPARE(second.registers, 66);
    QCOMPARE(second.stack, 16);
    QCOMPARE(second.spilled, 20);
    QCOMPARE(second.shared, 4096);
    QCOMPARE(second.compiled, 1);
}

void TestCudaBudget::namesAreShort()
{
    QCOMPARE(shortName("_Z10faceKernelIfEvT_"), std::string("faceKernel<float>"));
    QCOMPARE(shortName("_Z10stepKernelIL6Medium1EfEvT0_"), std::string("stepKernel<1, float>"));
    QCOMPARE(shortName("_ZN4ondo7kernels4cuda12_GLOBAL__N_114residentKernelILi4EEEvi"),
             std::string("residentKernel<4>"));
}

void TestCudaBudget::withinIsNoFault()
{
    QVERIFY(budgetFaults(table("72 20 4096 ^faceKernel<\n"), said()).empty());
}

void TestCudaBudget::beyondIsAFault()
{
    const auto faults = budgetFaults(table("64 0 0 ^faceKernel<\n"), said());
    QCOMPARE(faults.size(), std::size_t{3}); // registers, spills, shared memory, all on sm_100
    for (const auto& fault : faults) {
        QVERIFY2(fault.find("sm_100") != std::string::npos, fault.c_str());
    }
    QVERIFY(faults[0].find("66 registers") != std::string::npos);
    // The first row that fits counts.
    QVERIFY(budgetFaults(table("72 20 4096 face\n1 0 0 ^faceKernel<\n"), said()).empty());
}

void TestCudaBudget::unknownSaysTheRow()
{
    const auto faults = budgetFaults(table("72 0 0 ^otherKernel\n"), said());
    QCOMPARE(faults.size(), std::size_t{1});
    QVERIFY2(faults[0].find("add: 72  0  4096  ^faceKernel<float>") != std::string::npos, faults[0].c_str());
    // And the row it says is a good one, but for the spills, which nobody suggests.
    const auto after = budgetFaults(table("72  0  4096  ^faceKernel<float>\n"), said());
    QCOMPARE(after.size(), std::size_t{1});
    QVERIFY(after[0].find("spills") != std::string::npos);
}

void TestCudaBudget::tableHasFaults_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("good");
    QTest::newRow("a row") << "# says\n\n 40 0 0 ^a<b, c>\n" << true;
    QTest::newRow("no number") << "forty 0 0 ^a\n" << false;
    QTest::newRow("no pattern") << "40 0 0\n" << false;
    QTest::newRow("a bad pattern") << "40 0 0 a(\n" << false;
    QTest::newRow("a module") << "module 6.0 80 90 90+\n" << true;
    QTest::newRow("a module of nothing") << "module 6.0\n" << false;
    QTest::newRow("a part") << "without 6.0 ^stepKernel<Scalar(Keep|Adjoint)\n" << true;
    QTest::newRow("a part without nothing") << "without 6.0\n" << false;
    QTest::newRow("a part without a bad pattern") << "without 6.0 a(\n" << false;
}

void TestCudaBudget::tableHasFaults()
{
    QFETCH(QString, text);
    QFETCH(bool, good);
    std::string fault;
    (void)readBudget(text.toStdString(), fault);
    QCOMPARE(fault.empty(), good);
}

void TestCudaBudget::tableIsGood()
{
    QFile file(QStringLiteral(ONDO_SOURCE_DIR "/kernels/cuda/budget.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    std::string fault;
    const Budget budget = readBudget(file.readAll().toStdString(), fault);
    QVERIFY2(fault.empty(), fault.c_str());
    for (const BudgetRow& row : budget.rows) {
        QVERIFY2(row.spilled == 0, row.text.c_str());
        QVERIFY2(row.registers <= 255, row.text.c_str());
    }
    QCOMPARE(budget.architectures.size(), std::size_t{8});
}

void TestCudaBudget::moduleIsProjected()
{
    const Budget budget = table("module 6.0 80 90 120 120+\n");
    ModuleSize size;
    size.whole = 3'000'000;
    size.images = {{"80", 500'000}, {"90", 600'000}};
    QVERIFY(!size.isOf(budget));
    QCOMPARE(size.projectedMegabytes(budget), 3.9); // one more of 0.6, and PTX of 0.3
    size.images = {{"80", 500'000}, {"90", 600'000}, {"120", 400'000}, {"120+", 100'000}};
    QVERIFY(size.isOf(budget));
    QCOMPARE(size.projectedMegabytes(budget), 3.0);
}

QTEST_GUILESS_MAIN(TestCudaBudget)
#include "tst_cuda_budget.moc"
