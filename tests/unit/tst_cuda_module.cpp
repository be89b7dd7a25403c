// The CUDA module against what ptxas said while it was built: every entry function once per architecture, no spills.
// The registers and sizes go to cuda_module.txt in the build folder, for the closing note.
#include "fatbin.h"

#include <QFile>
#include <QRegularExpression>
#include <QtTest>

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <set>

class TestCudaModule : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void ptxasSaidEachEntryOnce();
    void nothingSpills();
    void moduleHoldsWhatPtxasSaid();
    void reportIsWritten();
    void readerKnowsWhatIsNoFatbin();

private:
    struct Entry {
        int compiled = 0; // times
        int registers = 0;
        int stack = 0;
        int spilled = 0; // bytes, stores and loads
    };
    void readReport(const QString& text);

    std::map<int, std::map<std::string, Entry>> m_entries; // by architecture, mangled name
    std::vector<DeviceImage> m_images;
    qint64 m_moduleBytes = 0;
};

namespace {

std::string demangled(const std::string& name)
{
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string out = status == 0 ? text : name;
    std::free(text);
    return out;
}

} // namespace

void TestCudaModule::readReport(const QString& text)
{
    static const QRegularExpression compiling("Compiling entry function '(\\S+)' for 'sm_(\\d+)[af]?'");
    static const QRegularExpression properties("Function properties for (\\S+)");
    static const QRegularExpression frame(
        "(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
    static const QRegularExpression used("Used (\\d+) registers");
    int architecture = 0;
    std::string entry;
    std::string function;
    for (const QString& line : text.split('\n')) {
        if (const auto match = compiling.match(line); match.hasMatch()) {
            entry = match.captured(1).toStdString();
            architecture = match.captured(2).toInt();
            ++m_entries[architecture][entry].compiled;
        } else if (const auto name = properties.match(line); name.hasMatch()) {
            function = name.captured(1).toStdString();
        } else if (const auto bytes = frame.match(line); bytes.hasMatch() && !entry.empty()) {
            // Of the entry itself, or of a function that it calls and that was not inlined.
            Entry& e = m_entries[architecture][entry];
            e.stack = std::max(e.stack, bytes.captured(1).toInt());
            e.spilled += bytes.captured(2).toInt() + bytes.captured(3).toInt();
        } else if (const auto registers = used.match(line); registers.hasMatch() && !entry.empty()) {
            m_entries[architecture][entry].registers = registers.captured(1).toInt();
        }
    }
}

void TestCudaModule::initTestCase()
{
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
            readReport(QString::fromUtf8(report.readAll()));
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

void TestCudaModule::nothingSpills()
{
    for (const auto& [architecture, entries] : m_entries) {
        for (const auto& [name, entry] : entries) {
            QVERIFY2(entry.spilled == 0, qPrintable(QString("%1 spills %2 bytes on sm_%3")
                                                        .arg(demangled(name).c_str())
                                                        .arg(entry.spilled)
                                                        .arg(architecture)));
        }
    }
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
    QString text = QString("module %1 bytes\n").arg(m_moduleBytes);
    for (const auto& [what, size] : sizes) {
        text += QString("%1: %2 bytes in the module, %3 unpacked\n").arg(what).arg(size.first).arg(size.second);
    }
    for (const auto& [architecture, entries] : m_entries) {
        text += QString("\nsm_%1: %2 entry functions\nregisters  stack  entry\n").arg(architecture).arg(entries.size());
        for (const auto& [name, entry] : entries) {
            text += QString("%1  %2  %3\n").arg(entry.registers, 9).arg(entry.stack, 5).arg(demangled(name).c_str());
        }
    }
    QFile file(QStringLiteral(ONDO_BINARY_DIR "/cuda_module.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    for (const auto& [what, size] : sizes) {
        qInfo("%s: %zu bytes in the module, %zu unpacked", qPrintable(what), size.first, size.second);
    }
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
