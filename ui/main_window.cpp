#include "ui/main_window.h"

#include "ui/actions/action_list.h"
#include "ui/arrangement.h"
#include "ui/banner.h"
#include "ui/dialogs/unsaved_question.h"
#include "ui/docks.h"
#include "ui/field_link.h"
#include "ui/file_desk.h"
#include "ui/forms/number_label.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_run.h"
#include "ui/kernel_desk.h"
#include "ui/panes/field_view.h"
#include "ui/panes/whole_pixels.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/speed_desk.h"
#include "ui/status/machine_bar.h"
#include "ui/tool_bar.h"
#include "ui/window_memory.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QStatusBar>

#include <utility>

namespace ondo {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent)
    , m_project(new ProjectModel(this))
    , m_session(new SessionBridge(*m_project, this))
    , m_kernel(new KernelDesk(*m_project, *m_session, this))
    , m_inversion(new InversionDesk(*m_project, *m_session, this))
    , m_files(new FileDesk(*m_project, *m_session, *this))
    , m_theme(rememberedTheme())
{
    applyTheme(*qApp, m_theme); // before the widgets: they take the font when they are made
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(QIcon(QStringLiteral(":/ondo/icons/ondoscope.svg")));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    m_project->setView(rememberedView());
    buildCentre();
    m_actions = std::make_unique<ActionList>(context(), this);
    buildDocks();
    buildTools();
    buildStatus();
    m_arranged = restoreLayout(*this);
    connect(m_project, &ProjectModel::modelChanged, this, [this] {
        if (!std::exchange(m_arranged, true)) {
            resetLayout(); // the first model says which way is better
        }
    });
    for (const auto changed : {&ProjectModel::runChanged, &ProjectModel::viewChanged, &ProjectModel::fileChanged}) {
        connect(m_project, changed, this, &MainWindow::refresh);
    }
    connect(&m_project->undoStack(), &QUndoStack::indexChanged, this, &MainWindow::refresh);
    for (const auto changed : {&SessionBridge::stateChanged, &SessionBridge::gatherChanged}) {
        connect(m_session, changed, this, &MainWindow::refresh);
    }
    for (const auto changed : {&KernelDesk::progressed, &KernelDesk::resultChanged}) {
        connect(m_kernel, changed, this, &MainWindow::refresh);
    }
    connect(m_inversion, &InversionDesk::acted, this, &MainWindow::refresh);
    setTheme(m_theme);
    refresh();
    m_field->setFocus();
}

MainWindow::~MainWindow()
{
    m_project->undoStack().disconnect(this); // it tells of its own end
    // Nothing reads the run's pictures any more; then it ends, then what showed them, then the device.
    m_field->detach();
    delete m_link;
    delete m_inversion;
    delete m_kernel;
    delete m_session;
    delete m_field;
}

void MainWindow::buildCentre()
{
    auto* centre = new WholePixels(this);
    m_field = new FieldView(centre);
    m_field->setObjectName(QStringLiteral("fieldView"));
    m_field->setAccessibleName(tr("Wavefield over the model"));
    centre->hold(*m_field);
    setCentralWidget(centre);
    m_link = new FieldLink(*m_project, *m_session, *m_kernel, *m_inversion, *m_field);
    m_banner = new Banner(*m_project, *centre);
    m_files->onInversion([this](const QString& path, const std::function<void()>& then) { watch(path, then); });
    m_files->setPictureSource([this] { return m_field->grabFramebuffer(); });
}

void MainWindow::buildDocks()
{
    for (QWidget* view : addDocks(*this, context())) {
        m_actions->addView(*view);
    }
    resize(1600, 1000);
    arrange(*this, Arrangement::Below); // as the model that comes with the program will want it
    m_actions->addView(*m_field);
}

AppContext MainWindow::context()
{
    return {*m_project, *m_session, *m_files, *m_field, *m_kernel, *m_inversion, *this};
}

void MainWindow::buildTools()
{
    m_actions->fill(*menuBar());
    QMenu* view = menuBar()->actions().at(3)->menu();
    view->addSeparator();
    for (const QDockWidget* dock : findChildren<QDockWidget*>()) {
        view->addAction(dock->toggleViewAction());
    }
    addToolBar(Qt::TopToolBarArea, new ToolBar(*m_actions, *m_project, *m_session, *m_files, this));
}

void MainWindow::buildStatus()
{
    m_machine = new MachineBar(
        *m_session, *m_field, [this] { showDiagnostics(); }, this);
    auto* cursor = new NumberLabel(QStringLiteral("statusCursor"), tr("x 88888 m · z 8888 m · 8888 m/s"), this);
    cursor->setAccessibleName(tr("Under the pointer"));
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(m_machine, 1);
    statusBar()->addPermanentWidget(cursor);
    m_link->onVerdict([this] { m_machine->showDisplay(m_link->verdict()); });
    m_link->onCursor([cursor](const QString& text) { cursor->setText(text); });
}

void MainWindow::open(const QString& path, bool runAtOnce)
{
    m_session->openDevice();
    m_session->speed().measureWhenIdle();
    const auto then = [this, runAtOnce] {
        if (runAtOnce) {
            m_session->run();
        }
    };
    m_files->open(path, then);
}

void MainWindow::watch(const QString& path, const std::function<void()>& then)
{
    m_inversion->open(path, [this, then] {
        if (m_project->model().empty()) {
            m_files->open({}); // until there is an iteration
        }
        showPanel("inversionDock");
        showPanel("iterationDock");
        if (then) {
            then();
        }
    });
}

void MainWindow::refresh()
{
    m_actions->refresh();
    const QString file = m_project->filePath();
    const QString model = QFileInfo(QString::fromStdString(m_project->run().model.path)).fileName();
    const QString what = !file.isEmpty()   ? QFileInfo(file).fileName()
                         : model.isEmpty() ? tr("built-in structure")
                                           : model;
    setWindowTitle(tr("%1[*] – Ondoscope").arg(what));
    setWindowModified(m_project->unsaved());
}

void MainWindow::setTheme(ThemeKind kind)
{
    m_theme = kind;
    applyTheme(*qApp, kind);
    m_link->setDark(kind == ThemeKind::Dark);
}

void MainWindow::changeTheme()
{
    setTheme(m_theme == ThemeKind::Dark ? ThemeKind::Light : ThemeKind::Dark);
    rememberTheme(m_theme);
}

void MainWindow::resetLayout()
{
    const Grid& grid = m_project->model().grid();
    const bool wide = grid.lengthX() > kWideSection * grid.lengthZ();
    arrange(*this, wide ? Arrangement::Below : Arrangement::Beside);
}

void MainWindow::showPanel(const char* dock)
{
    raiseDock(*this, dock);
}

void MainWindow::changeFullScreen()
{
    setWindowState(windowState() ^ Qt::WindowFullScreen);
}

void MainWindow::leave()
{
    close();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_project->unsaved() && !m_leaving) {
        event->ignore(); // the answer comes back here
        askUnsaved(*this, QFileInfo(m_project->filePath()).fileName(), [this](UnsavedAnswer answer) {
            m_leaving = answer == UnsavedAnswer::Discard || m_files->save();
            return m_leaving && close();
        });
        return;
    }
    m_files->cancel();
    rememberLayout(*this);
    rememberView(m_project->view());
    m_session->stop();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_files->open(event->mimeData()->urls().first().toLocalFile());
    event->acceptProposedAction();
}

} // namespace ondo
