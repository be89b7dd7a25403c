// Which module is opened for which driver, and what is said when none is; then the list and openDevice() on a machine made
// of fakes: a driver for CUDA 12.2 and a module with two devices.
#include "engine/device/cuda_module.h"
#include "engine/device/device_list.h"
#include "kernels/fingerprint.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <string>
#include <vector>

using namespace ondo;

class TestDeviceList : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void noDriver();
    void fakeDriverVersion();
    void newestModuleThatTheDriverServes();
    void driverTooOldForTheModule_data();
    void driverTooOldForTheModule();
    void noModule();
    void otherRelease();
    void notAModule();
    void notALibrary();
    void sameReleaseOtherKernels();
    void noGpu();
    void olderModuleStandsIn();
    void modulePathComesFirst();
    void surveyListsTheCpuFirst();
    void devicesAreOpenedOnce();
    void whatCannotBeOpened();
    void fallbacksAreCounted();
};

namespace {

constexpr const char* kModules = ONDO_BINARY_DIR "/tests/unit/fake_modules";

std::filesystem::path folder(const char* variant)
{
    return std::filesystem::path(kModules) / variant;
}

CudaDriver driver(int version, const char* release = "535.261.03")
{
    return {version, release, {}};
}

CudaModule openIn(const std::vector<std::filesystem::path>& folders, const CudaDriver& of = driver(12020))
{
    return openCudaModule(of, folders, ONDO_MODULE_RELEASE);
}

bool says(const std::string& text, const std::string& part)
{
    if (text.find(part) == std::string::npos) {
        qWarning("\"%s\" does not say \"%s\"", text.c_str(), part.c_str());
        return false;
    }
    return true;
}

} // namespace

void TestDeviceList::initTestCase()
{
    // Before anything asks for the survey, which is made once.
    qputenv("ONDO_FAKE_DRIVER_VERSION", "12020");
    qputenv("ONDO_MODULE_PATH", QByteArray("/does/not/exist:") + kModules + "/good");
}

void TestDeviceList::noDriver()
{
    const CudaModule m =
        openIn({folder("good")}, {0, {}, "no NVIDIA driver was found (libcuda.so.1 is not installed)"});
    QVERIFY(m.module == nullptr);
    QVERIFY(says(m.reason, "no NVIDIA driver was found"));
    QVERIFY(says(m.reason, "install NVIDIA's driver"));
}

void TestDeviceList::fakeDriverVersion()
{
    QCOMPARE(findCudaDriver().version, 12020);
    QCOMPARE(cudaVersionText(12020), std::string("12.2"));
    QCOMPARE(cudaVersionText(13000), std::string("13.0"));
}

void TestDeviceList::newestModuleThatTheDriverServes()
{
    const CudaModule m = openIn({folder("good")});
    QVERIFY2(m.module != nullptr, m.reason.c_str());
    QVERIFY(says(m.file, "libondo_cuda12.so"));
    QCOMPARE(m.devices, 2);
    QVERIFY(m.reason.empty());
    QVERIFY(!m.log.empty());
}

void TestDeviceList::driverTooOldForTheModule_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("release known") << "535.261.03"
                                   << "CUDA 13 needs driver 580 or newer; this machine has 535.261.03 (CUDA 12.2): "
                                      "install the CUDA 12 module or a newer driver";
    QTest::newRow("release unknown") << ""
                                     << "CUDA 13 needs driver 580 or newer; this machine has a driver for CUDA 12.2: "
                                        "install the CUDA 12 module or a newer driver";
}

void TestDeviceList::driverTooOldForTheModule()
{
    QFETCH(QString, release);
    QFETCH(QString, wanted);
    const CudaModule m = openIn({folder("newer")}, driver(12020, qPrintable(release)));
    QVERIFY(m.module == nullptr);
    QCOMPARE(QString::fromStdString(m.reason), wanted);
}

void TestDeviceList::noModule()
{
    const QTemporaryDir empty;
    const CudaModule m = openIn({empty.path().toStdString(), "/does/not/exist"});
    QVERIFY(m.module == nullptr);
    QVERIFY(says(m.reason, "no CUDA module of Ondoscope is installed"));
    QVERIFY(says(m.reason, empty.path().toStdString()));
    QVERIFY(says(m.reason, "install the CUDA 12 module"));
}

void TestDeviceList::otherRelease()
{
    const CudaModule m = openIn({folder("other_release")});
    QVERIFY(m.module == nullptr);
    QVERIFY(says(m.reason, "is of release 0.0.1, this program is " ONDO_MODULE_RELEASE));
    QVERIFY(says(m.reason, "install the module of release " ONDO_MODULE_RELEASE));
}

// Its kernels would run, and be those of another day.
void TestDeviceList::sameReleaseOtherKernels()
{
    const CudaModule m = openIn({folder("other_kernels")});
    QVERIFY(m.module == nullptr);
    QVERIFY(says(m.reason, "was built from other kernels (" ONDO_VERSION "+0123456789ab)"));
    QVERIFY(says(m.reason, "build or install both together"));
}

void TestDeviceList::notAModule()
{
    const CudaModule m = openIn({folder("no_module")});
    QVERIFY(m.module == nullptr);
    QVERIFY(says(m.reason, "is not a module of Ondoscope"));
}

void TestDeviceList::notALibrary()
{
    const QTemporaryDir dir;
    QFile file(dir.filePath("libondo_cuda12.so"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("not an ELF file");
    file.close();
    const CudaModule m = openIn({dir.path().toStdString()});
    QVERIFY(m.module == nullptr);
    QVERIFY(says(m.reason, "cannot be loaded"));
    QVERIFY(says(m.reason, "install the module of this release again"));
}

void TestDeviceList::noGpu()
{
    const CudaModule m = openIn({folder("no_gpu")});
    QVERIFY(m.module == nullptr);
    QCOMPARE(m.reason, std::string("the fake sees no GPU"));
}

void TestDeviceList::olderModuleStandsIn()
{
    // 13 is there but too new for the driver; 12 in another folder serves.
    const CudaModule m = openIn({folder("newer"), folder("good")});
    QVERIFY2(m.module != nullptr, m.reason.c_str());
    QVERIFY(says(m.file, "libondo_cuda12.so"));
    // A newer driver takes the newer module.
    const CudaModule newer = openIn({folder("newer"), folder("good")}, driver(13000, "580.65"));
    QVERIFY2(newer.module != nullptr, newer.reason.c_str());
    QVERIFY(says(newer.file, "libondo_cuda13.so"));
}

void TestDeviceList::modulePathComesFirst()
{
    const auto folders = moduleFolders();
    QVERIFY(folders.size() >= 4);
    QCOMPARE(folders[0], std::filesystem::path("/does/not/exist"));
    QCOMPARE(folders[1], folder("good"));
    // Next to the program, and the build tree it stands in.
    QCOMPARE(folders[2], std::filesystem::path(QCoreApplication::applicationDirPath().toStdString()));
    QCOMPARE(folders.back(), std::filesystem::path(ONDO_BINARY_DIR "/lib/ondoscope"));
}

void TestDeviceList::surveyListsTheCpuFirst()
{
    const DeviceSurvey& survey = surveyDevices();
    QCOMPARE(survey.devices.size(), std::size_t{3});
    QCOMPARE(survey.devices[0].id, std::string("cpu"));
    QCOMPARE(survey.devices[1].id, std::string("cuda:0"));
    QCOMPARE(survey.devices[2].id, std::string("cuda:1"));
    QVERIFY(survey.cudaReason.empty());
    QCOMPARE(survey.driverVersion, 12020);
    QCOMPARE(&surveyDevices(), &survey);
}

void TestDeviceList::devicesAreOpenedOnce()
{
    const auto first = openDevice("auto");
    QVERIFY(first.has_value());
    QVERIFY(first->fallbackReason.empty());
    QCOMPARE(first->device->facts().name, std::string("Fake GPU"));
    const auto second = openDevice("cuda:0");
    QVERIFY(second.has_value());
    QCOMPARE(second->device, first->device); // one arena a device
    const auto cpu = openDevice("cpu", 1);
    QVERIFY(cpu.has_value());
    QVERIFY(cpu->device->isHost());
    QCOMPARE(cpu->device->facts().threads, 1);
}

void TestDeviceList::whatCannotBeOpened()
{
    const auto inUse = openDevice("cuda:1");
    QVERIFY(!inUse.has_value());
    QCOMPARE(inUse.error().kind, ErrorKind::NoDevice);
    QVERIFY(says(inUse.error().text(), "cuda:1 cannot be opened: the second fake is in use"));
    const auto absent = openDevice("cuda:7");
    QVERIFY(!absent.has_value());
    QCOMPARE(absent.error().kind, ErrorKind::NoDevice);
    QVERIFY(says(absent.error().text(), "there is no cuda:7; this machine has cpu ("));
    for (const char* id : {"gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", ""}) {
        const auto bad = openDevice(id);
        QVERIFY2(!bad.has_value(), id);
        QCOMPARE(bad.error().kind, ErrorKind::BadInput);
        QVERIFY(says(bad.error().text(), "say auto, cpu or cuda:N"));
    }
}

void TestDeviceList::fallbacksAreCounted()
{
    QVERIFY(fallbackCounts().empty());
    countFallback("no GPU");
    countFallback("no GPU");
    countFallback("remote display");
    const auto counts = fallbackCounts();
    QCOMPARE(counts.size(), std::size_t{2});
    QCOMPARE(counts[0].second, 2);
}

QTEST_GUILESS_MAIN(TestDeviceList)
#include "tst_device_list.moc"
