// A test at the program's own window: opens it with a small model, waits for it, and afterwards holds it to its manners:
// nothing said on the console, no GL error.
#pragma once

#include "tests/gui/gui_main.h"

#include "engine/project/default_run.h"
#include "render/gl_scene.h"
#include "ui/main_window.h"
#include "ui/panes/field_view.h"
#include "ui/program.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"

#include <QMutex>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

namespace ondo {

constexpr int kNx = 151;
constexpr int kNz = 101;
constexpr double kSpacing = 10.0; // m
constexpr int kPatience = 20000;  // ms; two slow cores under a sanitizer

inline QMutex g_mutex; // a message handler has no context
inline QStringList g_messages;

inline void keepMessage(QtMsgType /*type*/, const QMessageLogContext& /*context*/, const QString& text)
{
    const QMutexLocker lock(&g_mutex);
    g_messages << text;
}

inline Model twoLayers()
{
    std::vector<float> velocity(static_cast<std::size_t>(kNx) * kNz, 1800.0F);
    std::fill(velocity.begin() + kNx * 60, velocity.end(), 3000.0F);
    return Model::make(Grid::make2D(kNz, kNx, kSpacing, kSpacing).value(), std::move(velocity), "two layers").value();
}

inline RunDescription shortRun(const Model& model, double duration)
{
    RunDescription run = defaultRun(model);
    run.duration = duration;
    run.device = "cpu";
    return run;
}

class WindowTest : public QObject {
protected:
    // Slots of the test call these: Qt Test looks for initTestCase(), cleanup() and cleanupTestCase() in the test itself.
    void beginAll()
    {
        nameProgram();
        applySettings({true});
        qInstallMessageHandler(keepMessage);
    }
    void endOne()
    {
        const unsigned glError = m_window != nullptr ? field().takeGlError() : 0U;
        m_window.reset();
        const QMutexLocker lock(&g_mutex);
        QStringList messages = g_messages;
        g_messages.clear();
        for (const std::string& message : takeVtkMessages()) {
            messages << QString::fromStdString(message);
        }
        QVERIFY2(messages.isEmpty(), qPrintable(messages.join(QLatin1Char('\n'))));
        QCOMPARE(glError, 0U);
    }
    void endAll() { qInstallMessageHandler(nullptr); }

    std::unique_ptr<MainWindow> m_window;

    ProjectModel& project() { return m_window->project(); }
    SessionBridge& session() { return m_window->session(); }
    FieldView& field() { return m_window->field(); }

    void openShot(double duration)
    {
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1280, 800);
        const Model model = twoLayers();
        project().open(QStringLiteral("test"), model, shortRun(model, duration));
        setPace(0.0);
        session().openDevice();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr, kPatience);
        takeFocus();
    }

    // Runs on for as long as a test may take: held back to minutes, whatever the machine's speed.
    void openEndlessShot()
    {
        openShot(30.0);
        setPace(100.0);
    }

    void setPace(double watchSeconds)
    {
        ViewSettings view = project().view();
        view.watchSeconds = watchSeconds;
        project().setView(view);
    }

    void takeFocus()
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        field().setFocus();
    }

    // Where a place in metres lies on the view, logical pixels.
    QPoint pixelOf(const Position& position)
    {
        const PixelPoint at = field().sectionView().toPixel({position.x, position.z});
        const double ratio = field().devicePixelRatioF();
        return {static_cast<int>(std::lround(at.x / ratio)), static_cast<int>(std::lround(at.y / ratio))};
    }

    Position sourcePosition() { return project().shot().sources.at(0).position; }

    void dragSourceTo(const Position& target, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        const QPoint from = pixelOf(sourcePosition());
        const QPoint to = pixelOf(target);
        QTest::mousePress(&field(), Qt::LeftButton, modifiers, from);
        for (int i = 1; i <= 4; ++i) {
            QTest::mouseMove(&field(), from + (to - from) * i / 4);
        }
        QTest::mouseRelease(&field(), Qt::LeftButton, modifiers, to);
    }

    void key(Qt::Key which, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        field().setFocus();
        QTest::keyClick(&field(), which, modifiers);
    }

    Gather runToTheEnd()
    {
        session().run();
        [&] {
            QTRY_VERIFY_WITH_TIMEOUT(session().phase() == RunPhase::Running || session().lastRunSeconds() > 0.0,
                                     kPatience);
        }();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(!session().active(), kPatience); }();
        return session().gather() != nullptr ? *session().gather() : Gather{};
    }

    void pauseBeyond(std::int64_t step)
    {
        QTRY_VERIFY_WITH_TIMEOUT(session().progress().step >= step, kPatience);
        session().pause();
        QTRY_COMPARE_WITH_TIMEOUT(session().phase(), RunPhase::Paused, kPatience);
    }
};

} // namespace ondo
