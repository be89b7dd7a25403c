#include "ui/panes/line_pane.h"

#include "ui/forms/form.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/panes/curve_plot.h"
#include "ui/text.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr int kPoints = 41;
constexpr double kFrom = -0.25, kTo = 1.25;

} // namespace

LinePane::LinePane(InversionDesk& desk, QWidget* parent)
    : QWidget(parent)
    , m_desk(desk)
{
    setObjectName(QStringLiteral("linePane"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin, 2, kDockMargin, kGap);
    layout->setSpacing(4);
    layout->addWidget(head());
    m_plot = new CurvePlot(QStringLiteral("linePlot"), {}, this);
    m_plot->setToolTip(tr("Misfit J of the model at t, of its value at t = 0"));
    m_plot->setAccessibleName(tr("Misfit along the line between two models"));
    layout->addWidget(m_plot, 1);
    m_says = quietLabel({}, this);
    m_says->setObjectName(QStringLiteral("lineSays"));
    m_says->setAccessibleName(tr("What the curves say"));
    m_says->setWordWrap(true);
    m_says->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_says);
    setLine();
    connect(&m_desk.detail(), &InversionDetail::lineChanged, this, &LinePane::showLine);
    connect(&m_desk.detail(), &InversionDetail::progressed, this, &LinePane::showProgress);
    connect(&m_desk, &InversionDesk::fileChanged, this, &LinePane::showProgress);
    showLine();
}

std::vector<QWidget*> LinePane::views() const
{
    return {m_plot};
}

QWidget* LinePane::head()
{
    auto* both = new QWidget(this);
    auto* layout = new QGridLayout(both);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_ends = new Choice(
        QStringLiteral("lineEnds"),
        {tr("From the start to the chosen iteration"), tr("From the start to a model…"),
         tr("From the chosen iteration to a model…")},
        [this](int index) { chooseEnd(index); }, both);
    m_ends->setAccessibleName(tr("The line's ends"));
    m_points = new QuantityEdit(
        QStringLiteral("linePoints"), {tr("points"), 3.0, 1000.0, 0, 10.0, {}}, [this](double) { setLine(); }, both);
    m_points->setAccessibleName(tr("Points on the line"));
    m_points->setToolTip(tr("Models on the line: a forward run of all shots each"));
    m_points->set(kPoints);
    m_compute = new QPushButton(tr("Compute"), both);
    m_compute->setObjectName(QStringLiteral("lineCompute"));
    m_compute->setToolTip(tr("The misfit of each model on the line (Ctrl+L)"));
    connect(m_compute, &QPushButton::clicked, this, [this] {
        InversionDetail& detail = m_desk.detail();
        if (detail.working() == InversionDetail::Work::Line) {
            detail.cancel();
        } else {
            detail.computeLine();
        }
    });
    layout->addWidget(m_ends, 0, 0);
    layout->addWidget(m_points, 0, 1);
    layout->addWidget(kinds(), 1, 0);
    layout->addWidget(m_compute, 1, 1);
    layout->setColumnStretch(0, 1);
    return both;
}

QWidget* LinePane::kinds()
{
    m_chosen = new QPushButton(this);
    m_chosen->setObjectName(QStringLiteral("lineKinds"));
    m_chosen->setAccessibleName(tr("Misfits along the line"));
    m_chosen->setToolTip(tr("Kinds of misfit: all of them cost no more runs than one"));
    m_chosen->setMinimumWidth(100);
    m_chosen->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* menu = new QMenu(m_chosen);
    for (const TraceMisfitKind& kind : traceMisfitKinds()) {
        QAction* action = menu->addAction(fromEngine(kind.name));
        action->setObjectName(QStringLiteral("lineKind_") + fromEngine(kind.name));
        action->setCheckable(true);
        action->setChecked(kind.name == "l2");
        connect(action, &QAction::triggered, this, &LinePane::setLine);
        m_kinds.push_back(action);
    }
    m_chosen->setMenu(menu);
    return m_chosen;
}

void LinePane::chooseEnd(int index)
{
    if (index == 0) {
        setLine();
        return;
    }
    const QString file = QFileDialog::getOpenFileName(
        this, tr("The model at the line's end"), QFileInfo(m_desk.watch().path()).absolutePath(),
        tr("Models and inversions (*.h5 *.hdf5 *.npy *.npz *.mat *.sgy *.segy *.rsf *.su *.bin);;All files (*)"));
    if (file.isEmpty()) {
        m_ends->set(0);
    } else {
        m_file = file;
    }
    setLine();
}

void LinePane::setLine()
{
    MisfitLineRequest request;
    request.from = kFrom;
    request.to = kTo;
    request.points = static_cast<int>(std::lround(m_points->value()));
    request.kinds.clear();
    QStringList names;
    for (const QAction* kind : m_kinds) {
        if (kind->isChecked()) {
            names << kind->text();
            request.kinds.push_back(toEngine(kind->text()));
        }
    }
    m_chosen->setText(names.isEmpty() ? tr("No misfit") : names.join(QStringLiteral(", ")));
    const int ends = m_ends->currentIndex();
    m_desk.detail().setLine({ends != 2, ends == 0 ? QString() : m_file}, request);
}

void LinePane::showLine()
{
    const MisfitLine& line = m_desk.detail().line();
    std::vector<PlotCurve> curves;
    std::vector<PlotMark> marks;
    QStringList says;
    for (const MisfitCurve& curve : line.curves) {
        // Of its value nearest to t = 0, so that kinds of other units share one axis.
        const auto zero = std::min_element(line.t.begin(), line.t.end(),
                                           [](double a, double b) { return std::abs(a) < std::abs(b); });
        const double unit = line.t.empty() ? 0.0 : curve.values[static_cast<std::size_t>(zero - line.t.begin())];
        PlotCurve shown{fromEngine(curve.kind), line.t, curve.values, true};
        for (double& v : shown.y) {
            v /= unit > 0.0 ? unit : 1.0;
        }
        for (const LineMinimum& minimum : minimaOf(line.t, curve.values)) {
            marks.push_back({minimum.t, minimum.value / (unit > 0.0 ? unit : 1.0),
                             QStringLiteral("t = %1").arg(minimum.t, 0, 'f', 2), static_cast<int>(curves.size())});
        }
        if (line.t.size() > 2) {
            says << fromEngine(describeCurve(line, curve));
        }
        curves.push_back(std::move(shown));
    }
    const QString ends = m_desk.detail().lineEnds();
    m_plot->setAxes({ends.isEmpty() ? tr("t along the line") : tr("t along the line (%1)").arg(ends), kFrom, kTo},
                    tr("J(t) / J(0)"), false);
    m_plot->setCurves(std::move(curves));
    m_plot->setMarks(std::move(marks));
    m_says->setText(says.join(QLatin1Char('\n')));
    m_says->setVisible(!says.isEmpty());
    showProgress();
}

void LinePane::showProgress()
{
    const InversionDetail& detail = m_desk.detail();
    const bool working = detail.working() == InversionDetail::Work::Line;
    m_compute->setText(!working                  ? tr("Compute")
                       : detail.fraction() < 0.0 ? tr("Stop")
                                                 : tr("Stop, %1 %").arg(qRound(100.0 * detail.fraction())));
    m_compute->setEnabled(working || m_desk.count() > 0);
    m_plot->setEmpty(m_desk.count() == 0
                         ? tr("Open an inversion first (Ctrl+Alt+O)")
                         : tr("Compute (Ctrl+L): the misfit of models on the straight line between two. More than one "
                              "valley means that a descent from the wrong side ends in the wrong one: cycle skipping"));
}

} // namespace ondo
