// The CUDA module against what ptxas said while it was built: every entry function once per architecture, and what each uses
// against what kernels/cuda/budget.txt allows: registers, spills, shared memory, the size of the packed module.
// Table, registers and sizes go to cuda_module.txt in the build folder.
#include "cuda_budget.h"
#include "fatbin.h"

#include <QFile>
#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

class TestCudaModule : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void ptxasSaidEachEntryOnce();
    void nothingIsBeyondTheBudget();
    void moduleIsSmallEnough();
    void restIsSmallEnough();
    void moduleHoldsWhatPtxasSaid();
    void reportIsWritten();
    void readerKnowsWhatIsNoFatbin();

private:
    Budget m_budget;
    KernelUses m_entries;
    std::vector<DeviceImage> m_images;
    qint64 m_moduleBytes = 0;

    [[nodiscard]] ModuleSize sizeOfModule() const { return sizeWithout({}); }
    [[nodiscard]] ModuleSize sizeWithout(const std::set<int>& objects) const;
    void isSmallEnough(const ModuleSize& size, double allowed, const char* what) const;
};

void TestCudaModule::initTestCase()
{
    QFile table(QStringLiteral(ONDO_SOURCE_DIR "/kernels/cuda/budget.txt"));
    QVERIFY(table.open(QIODevice::ReadOnly));
    std::string fault;
    m_budget = readBudget(table.readAll().toStdString(), fault);
    QVERIFY2(fault.empty(), qPrintable("kernels/cuda/budget.txt, " + QString::fromStdString(fault)));
    QVERIFY(!m_budget.rows.empty() && m_budget.moduleMegabytes > 0.0);
    QFile list(QStringLiteral(ONDO_BINARY_DIR "/cuda_module.list"));
    if (!list.open(QIODevice::ReadOnly)) {
        QFile reason(QStringLiteral(ONDO_BINARY_DIR "/cuda_report.txt"));
        const QByteArray why = reason.open(QIODevice::ReadOnly) ? reason.readAll() : QByteArray();
        QSKIP(qPrintable("the CUDA module was not compiled: " + QString::fromUtf8(why)));
    }
    // The module, then its objects, one a line.
    QStringList names = QString::fromUtf8(list.readAll()).split('\n', Qt::SkipEmptyParts);
    QFile module(names.takeFirst());
    QVERIFY2(module.open(QIODevice::ReadOnly), qPrintable(module.fileName()));
    const QByteArray bytes = module.readAll();
    m_moduleBytes = bytes.size();
    m_images = deviceImages({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    int reports = 0;
    for (const QString& object : names) {
        if (QFile report(object + ".ptxas"); report.open(QIODevice::ReadOnly)) {
            readPtxas(report.readAll().toStdString(), m_entries);
            ++reports;
        } else {
            QVERIFY2(!object.contains(".cu."), qPrintable("no ptxas report beside " + object));
        }
    }
    QVERIFY2(reports > 0, "no object of the module has a ptxas report");
    QVERIFY(!m_entries.empty());
    QVERIFY(!m_images.empty());
}

void TestCudaModule::ptxasSaidEachEntryOnce()
{
    std::set<std::string> names;
    for (const auto& [architecture, entries] : m_entries) {
        for (const auto& [name, entry] : entries) {
            names.insert(name);
            QVERIFY2(entry.compiled == 1, qPrintable(QString("%1 is compiled %2 times for sm_%3")
                                                         .arg(demangled(name).c_str())
                                                         .arg(entry.compiled)
                                                         .arg(architecture)));
        }
    }
    for (const auto& [architecture, entries] : m_entries) {
        for (const std::string& name : names) {
            QVERIFY2(entries.count(name) == 1,
                     qPrintable(QString("%1 is missing for sm_%2").arg(demangled(name).c_str()).arg(architecture)));
        }
    }
}

void TestCudaModule::nothingIsBeyondTheBudget()
{
    QStringList faults;
    for (const std::string& fault : budgetFaults(m_budget, m_entries)) {
        faults << QString::fromStdString(fault);
    }
    QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
}

ModuleSize TestCudaModule::sizeWithout(const std::set<int>& objects) const
{
    ModuleSize size;
    size.whole = static_cast<std::size_t>(m_moduleBytes);
    for (const DeviceImage& image : m_images) {
        if (objects.count(image.object) > 0) {
            size.whole -= image.bytes;
            continue;
        }
        size.images[std::to_string(image.architecture) + (image.ptx ? "+" : "")] += image.bytes;
    }
    return size;
}

void TestCudaModule::isSmallEnough(const ModuleSize& size, double allowed, const char* what) const
{
    const double megabytes = size.projectedMegabytes(m_budget);
    const auto text = QString("%1 of all architectures%2 has %3 MB, %4 MB are allowed")
                          .arg(what)
                          .arg(size.isOf(m_budget) ? "" : " (not built: with as much for each as here)")
                          .arg(megabytes, 0, 'f', 2)
                          .arg(allowed);
    if (size.isOf(m_budget)) {
        QVERIFY2(megabytes <= allowed, qPrintable(text));
    } else if (megabytes > allowed) {
        qWarning("%s", qPrintable(text));
    } else {
        qInfo("%s", qPrintable(text));
    }
}

void TestCudaModule::moduleIsSmallEnough()
{
    isSmallEnough(sizeOfModule(), m_budget.moduleMegabytes, "the module");
}

void TestCudaModule::restIsSmallEnough()
{
    if (m_budget.partMegabytes == 0.0) {
        QSKIP("the table says nothing of a part");
    }
    std::set<int> left;
    for (const DeviceImage& image : m_images) {
        if (!image.ptx && !image.opened) {
            QSKIP("the module's code is packed and this test was built without libzstd");
        }
        if (std::any_of(image.entries.begin(), image.entries.end(), [this](const std::string& name) {
                return std::regex_search(shortName(name), m_budget.partWithout);
            })) {
            left.insert(image.object);
        }
    }
    QVERIFY2(!left.empty(), "no kernel of the module is of the part that the table leaves out");
    isSmallEnough(sizeWithout(left), m_budget.partMegabytes, "the module without that part");
}

void TestCudaModule::moduleHoldsWhatPtxasSaid()
{
    std::map<int, std::map<std::string, int>> held;
    for (const DeviceImage& image : m_images) {
        if (image.ptx) {
            continue;
        }
        if (!image.opened) {
            QSKIP("the module's code is packed and this test was built without libzstd");
        }
        for (const std::string& name : image.entries) {
            ++held[image.architecture][name];
        }
    }
    QCOMPARE(held.size(), m_entries.size());
    for (const auto& [architecture, entries] : m_entries) {
        QCOMPARE(held[architecture].size(), entries.size());
        for (const auto& [name, entry] : entries) {
            QVERIFY2(held[architecture][name] == 1, qPrintable(QString("%1 stands %2 times in the module for sm_%3")
                                                                   .arg(demangled(name).c_str())
                                                                   .arg(held[architecture][name])
                                                                   .arg(architecture)));
        }
    }
}

void TestCudaModule::reportIsWritten()
{
    std::map<QString, std::pair<std::size_t, std::size_t>> sizes; // packed, unpacked
    for (const DeviceImage& image : m_images) {
        auto& size = sizes[QString(image.ptx ? "PTX for compute_%1" : "code for sm_%1").arg(image.architecture)];
        size.first += image.bytes;
        size.second += image.unpacked;
    }
    const ModuleSize whole = sizeOfModule();
    const QString table = QString::fromStdString(budgetText(m_budget, m_entries));
    QString text = QString("module %1 bytes; all architectures of the budget: %2 MB%3, allowed %4 MB\n")
                       .arg(m_moduleBytes)
                       .arg(whole.projectedMegabytes(m_budget), 0, 'f', 2)
                       .arg(whole.isOf(m_budget) ? "" : " if each takes as much")
                       .arg(m_budget.moduleMegabytes);
    for (const auto& [what, size] : sizes) {
        text += QString("%1: %2 bytes in the module, %3 unpacked\n").arg(what).arg(size.first).arg(size.second);
    }
    text += "\n" + table;
    for (const auto& [architecture, entries] : m_entries) {
        text += QString("\nsm_%1: %2 entry functions\nregisters  stack  entry\n").arg(architecture).arg(entries.size());
        for (const auto& [name, entry] : entries) {
            text += QString("%1  %2  %3\n").arg(entry.registers, 9).arg(entry.stack, 5).arg(demangled(name).c_str());
        }
    }
    QFile file(QStringLiteral(ONDO_BINARY_DIR "/cuda_module.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    qInfo("%s", qPrintable(text.left(text.indexOf("\nsm_"))));
}

void TestCudaModule::readerKnowsWhatIsNoFatbin()
{
    QVERIFY(deviceImages("").empty());
    QVERIFY(deviceImages("not an ELF file at all, but long enough to hold a header of sixty-four bytes").empty());
    QFile self(QCoreApplication::applicationFilePath());
    QVERIFY(self.open(QIODevice::ReadOnly));
    const QByteArray bytes = self.readAll();
    QVERIFY(deviceImages({bytes.constData(), static_cast<std::size_t>(bytes.size())}).empty());
}

QTEST_GUILESS_MAIN(TestCudaModule)
#include "tst_cuda_module.moc"
