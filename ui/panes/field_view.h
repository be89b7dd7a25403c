// The section on the screen: model, moving field, axes, colour bars, and the handles of sources, receivers and probe.
// VTK draws the furniture when it changes; a view of the moving field is one blit of a texture and a few handles.
// A widget: GUI thread. It changes nothing by itself: it says what the user wants, and is told what is.
//
// At rest it paints the model (and a field given to showStill) by itself. For a run:
//   options.transport = view.useDevice(device).transport;
//   view.attach(session);  session.start(...);  ...  on PictureReady: view.pictureReady();
//   at the end: view.detach();  view.showStill(lastField);
// While attached it tells the session itself what to paint (setPicture), whether it is seen (setViewing) and when the
// direct way is lost (setTransport).
#pragma once

#include "engine/frame/picture.h"
#include "engine/model/model.h"
#include "engine/session/session.h"
#include "engine/survey/survey.h"
#include "render/section_scene.h"
#include "render/section_view.h"
#include "render/theme.h"
#include "ui/display/display_thread.h"
#include "ui/panes/field_handles.h"
#include "ui/panes/field_overlay.h"

#include <QElapsedTimer>
#include <QOpenGLTimerQuery>
#include <QOpenGLWidget>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace ondo {

class VtkFurniture;

class FieldView : public QOpenGLWidget {
    Q_OBJECT

public:
    enum class Tool { Move, Poke };
    enum class Lines { Hidden, Shown };
    enum class DragPhase { Moving, Done };

    explicit FieldView(QWidget* parent = nullptr);
    ~FieldView() override;

    void setModel(const Model& model);
    // The shot that is shown.
    void setMarkers(const std::vector<Source>& sources, const std::vector<Receiver>& receivers);
    void setProbe(std::optional<Position> position);
    // A receiver that stands out from the others; none: none does.
    void setPicked(std::optional<int> receiver);
    // What the field is, when it is no pressure.
    struct FieldQuantity {
        QString name, unit;
        bool operator==(const FieldQuantity&) const = default;
    };
    void setFieldQuantity(const std::optional<FieldQuantity>& quantity); // none: pressure
    void setStyle(const PictureSettings& style);                         // its frame does not count
    void setTheme(const Theme& theme);
    void setAspect(Aspect aspect);
    void setGridLines(Lines lines);
    void setTool(Tool tool);
    // The field shown at rest, on the model's grid; null: the model alone. Ends a live picture.
    void showStill(std::shared_ptr<const FieldFrame> field);

    // The style with the frame of this moment: what the session is to paint.
    [[nodiscard]] PictureSettings pictureSettings() const;
    [[nodiscard]] const SectionView& sectionView() const { return m_view; }
    [[nodiscard]] Aspect aspect() const { return m_view.aspect(); }
    [[nodiscard]] Lines gridLines() const { return m_lines; }

    // How pictures of a device reach this view. Before Session::start, not while attached.
    DisplayVerdict useDevice(std::shared_ptr<Device> device);
    [[nodiscard]] DisplayVerdict displayVerdict() const { return m_display->verdict(); }
    void attach(Session& session);
    void detach();
    // Frames from elsewhere (tests): as attach, without the commands to a session.
    void attachFrames(FrameExchange& frames);

    // GL time of a view of the moving field on the GPU, smoothed; < 0: not measured yet.
    [[nodiscard]] double glMillisecondsPerView() const { return m_glMilliseconds; }
    [[nodiscard]] std::uint64_t viewsShown() const { return m_viewsShown; }
    [[nodiscard]] double viewsPerSecond() const { return m_viewsPerSecond; }
    // GL errors met since the last call (0: none), for tests.
    [[nodiscard]] unsigned takeGlError();

public slots:
    void fit();
    void zoomIn();
    void zoomOut();
    void pictureReady();

signals:
    void sourceMoved(int index, const ondo::Position& position, ondo::FieldView::DragPhase phase);
    void receiversMoved(const std::vector<ondo::Position>& positions, ondo::FieldView::DragPhase phase); // all of them
    void probeMoved(const ondo::Position& position, ondo::FieldView::DragPhase phase);
    void sourceClicked(int index); // pressed and let go where it stands
    void receiverClicked(int index);
    void poked(const ondo::Position& position);
    void cursorAt(const ondo::Position& position, double velocity);
    void cursorLeft();
    void pictureSettingsWanted(const ondo::PictureSettings& settings); // zoom, pan, resize, style
    void fieldRectChanged(const QRect& devicePixels);
    void pictureShown(double time, qint64 step, double clip);
    void fullColourShown(double pascals); // what the ends of the pressure bar say
    void displayChanged(const ondo::DisplayVerdict& verdict);
    // Right click: a menu's business.
    void menuWanted(const QPoint& global, const ondo::Position& position);

protected:
    void initializeGL() override;
    void resizeGL(int width, int height) override;
    void paintGL() override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    bool eventFilter(QObject* watched, QEvent* event) override; // the window: minimised or not

private:
    enum class Drag { None, Handle, Pan };

    // field_view.cpp: content and GL
    void layOut();
    void viewChanged(); // zoom, pan, size, plane
    void pictureChanged();
    void composeAgain();
    void releaseGl();
    void paintStillPicture(QOpenGLExtraFunctions& gl);
    void drawPicture(QOpenGLExtraFunctions& gl, const QSize& size);
    void blitPicture(QOpenGLExtraFunctions& gl, GLuint texture, const QSize& from, const PixelRect& to);
    void takeNewest(QOpenGLExtraFunctions& gl);
    void noteClip(double clip);
    void countView();
    void tellSeen();
    [[nodiscard]] SectionFurniture furniture() const;
    [[nodiscard]] QSize deviceSize() const;
    void refreshOverlay();
    void startTimer(bool composing);
    void readTimer();

    // field_view_input.cpp: mouse and keys
    [[nodiscard]] PixelPoint devicePoint(const QPointF& point) const;
    [[nodiscard]] Position positionAt(const PixelPoint& pixel) const;
    [[nodiscard]] double velocityAt(const Position& position) const;
    void moveSelected(const Position& shift, DragPhase phase);
    void announce(DragPhase phase);
    void updateCursor();
    void hover(const PixelPoint& pixel, Qt::KeyboardModifiers modifiers);
    [[nodiscard]] QImage dragLabel() const;

    Model m_model;
    PictureSettings m_style;
    Theme m_theme;
    std::shared_ptr<const FieldFrame> m_still;
    Lines m_lines = Lines::Hidden;
    Tool m_tool = Tool::Move;
    SectionView m_view;
    SectionLayout m_layout;
    FieldHandles m_handles;
    ValueRange m_range;
    double m_scale = 1.0;
    double m_shownClip = 0.0, m_latestClip = 0.0;
    QTimer m_clipTimer;
    std::optional<FieldQuantity> m_fieldQuantity;

    std::unique_ptr<DisplayThread> m_display;
    Session* m_session = nullptr;
    bool m_attached = false, m_live = false;
    RingPicture m_picture; // held

    std::unique_ptr<VtkFurniture> m_furniture;
    QMetaObject::Connection m_contextGone;
    FieldOverlay m_overlay;
    GLuint m_stillTexture = 0, m_readBuffer = 0;
    QSize m_stillSize, m_lastSize;
    bool m_stillStale = true, m_compose = true, m_overlayStale = true;
    unsigned m_glError = 0;

    std::unique_ptr<QOpenGLTimerQuery> m_timer;
    bool m_timerRunning = false, m_timing = false;
    double m_glMilliseconds = -1.0;
    std::uint64_t m_viewsShown = 0;
    QElapsedTimer m_viewClock;
    int m_viewsThisSecond = 0;
    double m_viewsPerSecond = 0.0;

    Drag m_drag = Drag::None;
    PixelPoint m_dragLast;
    PixelPoint m_pressedAt;
    bool m_clicking = false; // a handle is held that has not been moved yet
    Position m_dragGrab;     // handle minus cursor at the press
    std::optional<PixelPoint> m_cursor;
    bool m_keyboardMove = false;
};

} // namespace ondo
