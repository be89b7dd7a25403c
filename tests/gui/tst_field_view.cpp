// The section in a real window: colours where they belong, handles, resize, another window, frames from a producer thread.
#include "engine/frame/still_picture.h"
#include "render/colour_map.h"
#include "render/gl_scene.h"
#include "tests/gui/gui_main.h"
#include "ui/panes/field_view.h"
#include "ui/panes/whole_pixels.h"

#include <QDir>
#include <QMainWindow>
#include <QObject>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <cmath>
#include <cstdlib>
#include <thread>

// ms: what a busy two-core machine without a GPU may need for what takes a moment elsewhere.
static constexpr int kPatience = 30000;

using namespace ondo;

namespace {

// Layers with a fault and a body of salt, 9 km by 3 km.
Model sample()
{
    constexpr int nx = 601, nz = 201;
    std::vector<float> v(nx * nz);
    for (int iz = 0; iz < nz; ++iz) {
        for (int ix = 0; ix < nx; ++ix) {
            const double x = ix * 15.0;
            double z = iz * 15.0;
            z -= x > 5200.0 + 0.4 * z ? 180.0 : 0.0;
            z += 160.0 * std::sin(x / 1400.0);
            double c = z < 350 ? 1500 : z < 800 ? 1900 : z < 1250 ? 2400 : z < 1800 ? 2900 : z < 2400 ? 3500 : 4200;
            const double r = std::hypot((x - 3200.0) / 1100.0, (iz * 15.0 - 2100.0) / 700.0);
            c = r < 1.0 ? 4500.0 : c;
            v[static_cast<std::size_t>(iz) * nx + static_cast<std::size_t>(ix)] = static_cast<float>(c);
        }
    }
    return Model::make(Grid::make2D(nz, nx, 15.0, 15.0).value(), std::move(v), "sample").value();
}

std::shared_ptr<const FieldFrame> rings(const Model& model, double radius)
{
    auto field = std::make_shared<FieldFrame>();
    const Grid& g = model.grid();
    field->nz = g.nz;
    field->ny = 1;
    field->nx = g.nx;
    field->time = 0.5;
    for (int iz = 0; iz < g.nz; ++iz) {
        for (int ix = 0; ix < g.nx; ++ix) {
            const double d = (std::hypot(ix * g.dx - 4500.0, iz * g.dz - 300.0) - radius) / 90.0;
            field->values.push_back(static_cast<float>(0.02 * (1.0 - 2.0 * d * d) * std::exp(-d * d)));
        }
    }
    return field;
}

std::vector<Receiver> spread()
{
    return receiverLine({500, 0, 0}, {8500, 0, 0}, 81);
}

PictureSettings styleFor(const Model& model, const char* fieldMap, const char* modelMap)
{
    PictureSettings style;
    style.fieldColours = colourTable(ColourMapUse::Field, fieldMap);
    style.modelColours = colourTable(ColourMapUse::Model, modelMap);
    style.modelLow = model.range().low;
    style.modelHigh = model.range().high;
    return style;
}

// Paints plain colours into an exchange from a thread of its own, as a session does.
class Producer {
public:
    Producer(FrameExchange& frames, const PictureFrame& shows)
        : m_thread([&frames, shows](const std::stop_token& stop) {
            std::vector<std::uint32_t> memory[FrameExchange::kSlots];
            for (std::int64_t step = 0; !stop.stop_requested(); ++step) {
                const int slot = frames.beginWrite();
                if (slot >= 0) {
                    auto& pixels = memory[slot];
                    pixels.assign(static_cast<std::size_t>(shows.pixelsX) * static_cast<std::size_t>(shows.pixelsY),
                                  0xFF2040C0U);
                    std::fill_n(pixels.begin(), pixels.size() / 2, 0xFF40C020U); // upper half green
                    PaintedFrame frame;
                    frame.pixels = pixels.data();
                    frame.shows = shows;
                    frame.step = step;
                    frame.clip = 0.5;
                    frames.publish(slot, frame);
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            frames.drain();
        })
    {
    }

private:
    std::jthread m_thread;
};

QColor colourAt(FieldView& view, double u, double v)
{
    const QImage image = view.grabFramebuffer();
    const PixelRect r = view.sectionView().fieldRect();
    return image.pixelColor(r.x + static_cast<int>(u * r.width), r.y + static_cast<int>(v * r.height));
}

// With ONDO_SHOTS=folder the windows are kept as pictures for people to look at.
void keep(QWidget& window, FieldView& view, const char* name)
{
    const QString folder = qEnvironmentVariable("ONDO_SHOTS");
    if (!folder.isEmpty()) {
        QDir().mkpath(folder);
        view.grabFramebuffer().save(folder + "/" + name + ".png");
    }
    Q_UNUSED(window)
}

} // namespace

class TestFieldView : public QObject {
    Q_OBJECT

    // The bare view, waiting for frames.
    void showFramesOf(FrameExchange& frames)
    {
        show("tide", "strata", lightTheme());
        m_view->setMarkers({}, {});
        m_view->attachFrames(frames);
    }

    // What a Producer paints: above the middle, and below.
    const QColor green{0x20, 0xC0, 0x40};
    const QColor red{0xC0, 0x40, 0x20};

private slots:
    void init()
    {
        m_window = std::make_unique<QMainWindow>();
        m_view = new FieldView;
        m_window->setCentralWidget(m_view);
        m_window->resize(1100, 640);
        m_model = sample();
    }
    void cleanup()
    {
        QCOMPARE(m_view->takeGlError(), 0U);
        m_window.reset();
        const std::vector<std::string> said = takeVtkMessages();
        QVERIFY2(said.empty(), said.empty() ? "" : said.front().c_str());
    }

    void stillModel_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void stillModel()
    {
        QFETCH(bool, dark);
        show(dark ? "ember" : "tide", dark ? "fjord" : "strata", dark ? darkTheme() : lightTheme());
        m_view->setMarkers({}, {});
        QTest::qWait(50);
        const PictureSettings settings = m_view->pictureSettings();
        const HostPicture expected = paintStill(m_model, nullptr, settings);
        const QImage image = m_view->grabFramebuffer();
        const PixelRect r = m_view->sectionView().fieldRect();
        QCOMPARE(expected.width, r.width);
        for (const auto& [x, y] : {std::pair{0, 0}, {r.width - 1, r.height - 1}, {r.width / 3, r.height / 2}, {5, 9}}) {
            const std::uint32_t c = expected.pixels[static_cast<std::size_t>(y * r.width + x)];
            const QColor seen = image.pixelColor(r.x + x, r.y + y);
            QCOMPARE(seen, QColor(int(c & 255U), int((c >> 8) & 255U), int((c >> 16) & 255U)));
        }
        const Colour ground = (dark ? darkTheme() : lightTheme()).background;
        QCOMPARE(image.pixelColor(2, 2), QColor(ground.red, ground.green, ground.blue));
        keepAs(dark ? "still_dark" : "still_light");
    }

    void withField()
    {
        show("tide", "strata", lightTheme());
        m_view->setGridLines(FieldView::Lines::Shown);
        m_view->showStill(rings(m_model, 1300));
        QTest::qWait(50);
        keepAs("field_light");
        show("ember", "fjord", darkTheme());
        m_view->showStill(rings(m_model, 1300));
        m_view->setProbe(Position{6100, 0, 1500});
        m_view->setFocus();
        QTest::keyClick(m_view, Qt::Key_Tab);
        QTest::keyClick(m_view, Qt::Key_Right);
        QTest::qWait(50);
        keepAs("field_dark");
        m_view->setAspect(Aspect::Fill);
        QTest::qWait(50);
        keepAs("field_fill");
    }

    // A producer thread paints plain colours; the ring brings them; the widget is resized and moved to another window.
    void framesFromAnotherThread()
    {
        FrameExchange frames;
        showFramesOf(frames);
        {
            const Producer producer(frames, wholeIn(300, 100));
            QTRY_COMPARE_WITH_TIMEOUT(colourAt(*m_view, 0.25, 0.25), green, kPatience);
            QCOMPARE(colourAt(*m_view, 0.75, 0.75), red);
            m_window->resize(800, 700);
            QTest::qWait(80);
            QTRY_COMPARE_WITH_TIMEOUT(colourAt(*m_view, 0.25, 0.25), green, kPatience);
            QCOMPARE(colourAt(*m_view, 0.75, 0.75), red);
            const std::uint64_t before = m_view->viewsShown();
            QTRY_VERIFY_WITH_TIMEOUT(m_view->viewsShown() > before + 20, kPatience);

            // Out of the window and back, as a dock does.
            m_window->takeCentralWidget();
            m_view->setParent(nullptr);
            m_view->resize(640, 480);
            m_view->show();
            QVERIFY(QTest::qWaitForWindowExposed(m_view));
            QTRY_COMPARE_WITH_TIMEOUT(colourAt(*m_view, 0.25, 0.25), green, kPatience);
            const std::uint64_t outside = m_view->viewsShown();
            QTRY_VERIFY_WITH_TIMEOUT(m_view->viewsShown() > outside + 5, kPatience);
            m_window->setCentralWidget(m_view);
            QTest::qWait(80);
            QTRY_COMPARE_WITH_TIMEOUT(colourAt(*m_view, 0.75, 0.75), red, kPatience);
            QTRY_VERIFY_WITH_TIMEOUT(m_view->glMillisecondsPerView() >= 0.0, kPatience);
            m_view->detach();
        }
        m_view->showStill(nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(colourAt(*m_view, 0.25, 0.25) != green, kPatience);
    }

    void changingFrameSizes()
    {
        show("tide", "strata", lightTheme());
        m_view->setMarkers({}, {});
        FrameExchange frames;
        m_view->attachFrames(frames);
        for (const auto& [w, h] : {std::pair{300, 100}, {301, 99}, {64, 700}, {900, 300}}) {
            const std::uint64_t before = m_view->viewsShown();
            const Producer producer(frames, wholeIn(w, h));
            QTRY_VERIFY_WITH_TIMEOUT(m_view->viewsShown() > before + 6, kPatience);
            QCOMPARE(colourAt(*m_view, 0.3, 0.3), green);
        }
        m_view->detach();
    }

    // The view has moved on and the solver's newest picture is of the view before: it is drawn where its metres are.
    void picturesStayWhereTheirMetresAre()
    {
        FrameExchange frames;
        showFramesOf(frames);
        const SectionView& v = m_view->sectionView();
        const auto colourOf = [&](double across, double down) {
            const PixelPoint at = v.toPixel({across, down});
            return m_view->grabFramebuffer().pixelColor(static_cast<int>(at.x), static_cast<int>(at.y));
        };
        const double middle = 0.5 * v.extent().height;
        const double cell = v.extent().cellDown;
        {
            const Producer producer(frames, wholeIn(900, 300)); // green above the middle, red below
            QTRY_COMPARE_WITH_TIMEOUT(colourAt(*m_view, 0.25, 0.25), green, kPatience);
            QWheelEvent wheel(QPointF(logical(v.toPixel({3000, 2000}))), {}, {}, {0, 480}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(m_view, &wheel);
            QVERIFY(!v.isFitted());
            const PictureFrame seen = v.frame();
            QVERIFY(std::abs(seen.top + 0.5 * seen.height - middle) > 4.0 * cell);
            QCOMPARE(colourOf(3000, middle - 2.0 * cell), green);
            QCOMPARE(colourOf(3000, middle + 2.0 * cell), red);
            m_view->fit();
        }
        // And of a smaller part than is seen: around it the model under a field of zeros.
        PictureFrame part = wholeIn(300, 100);
        part.left += 0.5 * part.width;
        part.width *= 0.25;
        part.height *= 0.25;
        const Producer producer(frames, part);
        const double right = part.left + part.width;
        QTRY_VERIFY_WITH_TIMEOUT(colourOf(part.left - 2.0 * cell, cell) != green, kPatience);
        QCOMPARE(colourOf(part.left + 2.0 * cell, 2.0 * cell), green);
        QCOMPARE(colourOf(right - 2.0 * cell, part.height - 2.0 * cell), red);
        const HostPicture silence = paintSilence(m_model, m_view->pictureSettings());
        const std::uint32_t c = silence.pixels[static_cast<std::size_t>(silence.width) * 10U + 10U]; // water
        const PixelRect r = v.fieldRect();
        QCOMPARE(m_view->grabFramebuffer().pixelColor(r.x + 10, r.y + 10),
                 QColor(int(c & 255U), int((c >> 8) & 255U), int((c >> 16) & 255U)));
        m_view->detach();
    }

    void closedWhileFramesCome()
    {
        show("tide", "strata", lightTheme());
        auto frames = std::make_unique<FrameExchange>();
        m_view->attachFrames(*frames);
        const Producer producer(*frames, wholeIn(400, 200));
        QTRY_VERIFY_WITH_TIMEOUT(m_view->viewsShown() > 3, kPatience);
        QCOMPARE(m_view->takeGlError(), 0U);
        m_window.reset();
        m_window = std::make_unique<QMainWindow>();
        m_view = new FieldView;
        m_window->setCentralWidget(m_view);
    }

    void dragsASource()
    {
        show("tide", "strata", lightTheme());
        QSignalSpy moved(m_view, &FieldView::sourceMoved);
        const SectionView& v = m_view->sectionView();
        const QPoint from = logical(v.toPixel({4500, 25}));
        const QPoint to = logical(v.toPixel({6000, 900}));
        QTest::mousePress(m_view, Qt::LeftButton, {}, from);
        QTest::mouseMove(m_view, (from + to) / 2);
        QTest::mouseMove(m_view, to);
        QTest::qWait(30);
        keepAs("drag_light");
        QTest::mouseRelease(m_view, Qt::LeftButton, {}, to);
        QVERIFY(moved.size() >= 3);
        const auto position = moved.last().at(1).value<Position>();
        const double pixel = v.frame().width / v.frame().pixelsX;
        QVERIFY(std::abs(position.x - 6000) <= 1.5 * pixel * m_view->devicePixelRatioF());
        QVERIFY(std::abs(position.z - 900) <= 1.5 * pixel * m_view->devicePixelRatioF());
        QCOMPARE(moved.last().at(2).value<FieldView::DragPhase>(), FieldView::DragPhase::Done);

        // Out of the model: kept at its edge.
        QTest::mousePress(m_view, Qt::LeftButton, {}, to);
        QTest::mouseMove(m_view, QPoint(5, 5));
        QTest::mouseRelease(m_view, Qt::LeftButton, {}, QPoint(5, 5));
        QCOMPARE(moved.last().at(1).value<Position>(), (Position{0, 0, 0}));
    }

    void movesReceivers()
    {
        show("tide", "strata", lightTheme());
        QSignalSpy moved(m_view, &FieldView::receiversMoved);
        const SectionView& v = m_view->sectionView();
        const QPoint from = logical(v.toPixel({2500, 0}));
        const auto drag = [&](const QPoint& to, Qt::KeyboardModifiers keys) {
            QTest::mousePress(m_view, Qt::LeftButton, keys, from);
            QTest::mouseMove(m_view, to);
            QTest::mouseRelease(m_view, Qt::LeftButton, keys, to);
        };
        drag(logical(v.toPixel({2500, 600})), {});
        auto positions = moved.last().at(0).value<std::vector<Position>>();
        QCOMPARE(positions.size(), std::size_t{81});
        QVERIFY(std::abs(positions.front().z - 600) < 20 && positions.front().z == positions.back().z);
        m_view->setMarkers({}, spread());
        drag(logical(v.toPixel({2500, 600})), Qt::AltModifier);
        positions = moved.last().at(0).value<std::vector<Position>>();
        QCOMPARE(std::count_if(positions.begin(), positions.end(), [](const Position& p) { return p.z > 1; }), 1);
    }

    void keysMoveByCells()
    {
        show("tide", "strata", lightTheme());
        m_view->setFocus();
        QSignalSpy moved(m_view, &FieldView::sourceMoved);
        QTest::keyClick(m_view, Qt::Key_Tab);
        QTest::keyClick(m_view, Qt::Key_Right);
        QCOMPARE(moved.last().at(1).value<Position>(), (Position{4515, 0, 25}));
        QTest::keyClick(m_view, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(moved.last().at(1).value<Position>(), (Position{4515, 0, 175}));
    }

    void zoomKeepsThePointUnderTheCursor()
    {
        show("tide", "strata", lightTheme());
        const SectionView& v = m_view->sectionView();
        const double scale = m_view->devicePixelRatioF();
        const auto wheel = [&](const QPoint& at, int turns) {
            for (int i = 0; i < turns; ++i) {
                QWheelEvent event(QPointF(at), m_view->mapToGlobal(QPointF(at)), {}, {0, 120}, Qt::NoButton,
                                  Qt::NoModifier, Qt::NoScrollPhase, false);
                QCoreApplication::sendEvent(m_view, &event);
            }
        };
        QSignalSpy wanted(m_view, &FieldView::pictureSettingsWanted);
        const QPoint first = logical(v.toPixel({6000, 1200}));
        const PlanePoint before = v.toPlane({first.x() * scale, first.y() * scale});
        wheel(first, 4); // the picture grows to the height there is
        const PlanePoint then = v.toPlane({first.x() * scale, first.y() * scale});
        QVERIFY(std::abs(then.across - before.across) < 10);
        wheel(first, 4);
        const PlanePoint after = v.toPlane({first.x() * scale, first.y() * scale});
        QVERIFY(std::abs(after.across - then.across) < 10 && std::abs(after.down - then.down) < 10);
        QVERIFY(wanted.size() >= 8);
        QVERIFY(!v.isFitted());
        QTest::qWait(30);
        keepAs("zoomed");
        QTest::keyClick(m_view, Qt::Key_F);
        QVERIFY(v.isFitted());
    }

    void edgesOnWholeDevicePixels_data()
    {
        QTest::addColumn<double>("ratio");
        for (const double ratio : {1.0, 1.25, 1.5, 1.75, 2.0}) {
            QTest::addRow("%g", ratio) << ratio;
        }
    }
    void edgesOnWholeDevicePixels()
    {
        QFETCH(double, ratio);
        const auto whole = [ratio](int edge) { return std::abs(edge * ratio - std::round(edge * ratio)) < 1e-9; };
        for (int i = 0; i < 64; ++i) {
            const QPoint origin(371 + i, 81 + i / 3);
            const QSize size(909 - i, 373 + i);
            const QRect r = onWholePixels(origin, size, ratio);
            QVERIFY(whole(origin.x() + r.left()) && whole(origin.x() + r.left() + r.width()));
            QVERIFY(whole(origin.y() + r.top()) && whole(origin.y() + r.top() + r.height()));
            QVERIFY(QRect(QPoint(0, 0), size).contains(r));
            QVERIFY(size.width() - r.width() <= 6 && size.height() - r.height() <= 6);
        }
    }

    void pokesWhereClicked()
    {
        show("tide", "strata", lightTheme());
        m_view->setTool(FieldView::Tool::Poke);
        QSignalSpy poked(m_view, &FieldView::poked);
        QTest::mouseClick(m_view, Qt::LeftButton, {}, logical(m_view->sectionView().toPixel({3000, 1500})));
        QCOMPARE(poked.size(), 1);
        QVERIFY(std::abs(poked.last().at(0).value<Position>().x - 3000) < 30);
        m_view->setTool(FieldView::Tool::Move);
    }

    void readsOutUnderTheCursor()
    {
        show("tide", "strata", lightTheme());
        QSignalSpy read(m_view, &FieldView::cursorAt);
        QTest::mouseMove(m_view, logical(m_view->sectionView().toPixel({3200, 2100})));
        QTRY_VERIFY_WITH_TIMEOUT(!read.isEmpty(), kPatience);
        QCOMPARE(read.last().at(1).toDouble(), 4500.0);
    }

private:
    QPoint logical(const PixelPoint& p) const
    {
        const double scale = m_view->devicePixelRatioF();
        return {static_cast<int>(std::lround(p.x / scale)), static_cast<int>(std::lround(p.y / scale))};
    }
    void show(const char* fieldMap, const char* modelMap, const Theme& theme)
    {
        m_view->setTheme(theme);
        m_view->setModel(m_model);
        m_view->setStyle(styleFor(m_model, fieldMap, modelMap));
        m_view->setMarkers({Source{{4500, 0, 25}, {}}}, spread());
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    // The whole plane in so many pixels.
    PictureFrame wholeIn(int pixelsX, int pixelsY) const
    {
        const PlaneExtent& e = m_view->sectionView().extent();
        return {e.left, e.top, e.width, e.height, pixelsX, pixelsY};
    }
    void keepAs(const char* name) { keep(*m_window, *m_view, name); }

    std::unique_ptr<QMainWindow> m_window;
    FieldView* m_view = nullptr;
    Model m_model;
};

int main(int argc, char** argv)
{
    return ondo::runGuiTest<TestFieldView>(argc, argv);
}

#include "tst_field_view.moc"
