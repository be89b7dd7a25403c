#include "ui/dialogs/diagnostics_dialog.h"

#include "ui/display/display_thread.h"
#include "ui/session_bridge.h"
#include "ui/speed_desk.h"
#include "ui/text.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSysInfo>
#include <QVBoxLayout>

namespace ondo {

QString diagnosticsText(const SessionBridge& session, const DisplayVerdict& verdict)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("Diagnostics", text); };
    QStringList lines;
    lines << tr("Ondoscope %1, Qt %2, %3")
                 .arg(QStringLiteral(ONDO_VERSION), QLatin1String(qVersion()), QSysInfo::prettyProductName());
    lines << QString() << tr("COMPUTING");
    if (const auto& device = session.device()) {
        const kernels::DeviceFacts& facts = device->facts();
        lines << tr("Device: %1 (%2), backend %3")
                     .arg(fromEngine(facts.name), fromEngine(facts.id), fromEngine(facts.backend));
        lines << tr("Memory: %1, %2 of it free when opened")
                     .arg(bytesText(facts.memoryTotal), bytesText(facts.memoryFree));
    }
    const auto& speed = session.speed().speed();
    lines << (speed != nullptr
                  ? tr("Speed: measured %1 UTC in %2 s").arg(fromEngine(speed->when)).arg(speed->took, 0, 'f', 1)
                  : tr("Speed: not known, so the plan has no time"));
    for (const QString& line : session.speed().story()) {
        lines << QStringLiteral("  ") + line;
    }
    if (!session.deviceReason().empty()) {
        lines << tr("Why this one: %1").arg(fromEngine(session.deviceReason()));
    }
    if (const auto& survey = session.deviceSurvey()) {
        lines << tr("CUDA module: %1").arg(survey->cudaModule.empty() ? tr("none") : fromEngine(survey->cudaModule));
        lines << tr("CUDA driver: %1")
                     .arg(survey->driverVersion == 0 ? tr("none")
                                                     : QStringLiteral("%1.%2")
                                                           .arg(survey->driverVersion / 1000)
                                                           .arg(survey->driverVersion % 1000 / 10));
        if (!survey->cudaReason.empty()) {
            lines << tr("No CUDA device: %1").arg(fromEngine(survey->cudaReason));
        }
        for (const std::string& line : survey->log) {
            lines << QStringLiteral("  ") + fromEngine(line);
        }
    }
    lines << QString() << tr("DISPLAY");
    lines
        << (verdict.transport == FrameTransport::Direct
                ? tr("Pictures: direct, from the GPU's memory to the screen; no byte of the field crosses to the host")
                : tr("Pictures: through host memory"));
    if (!verdict.reason.isEmpty()) {
        lines << tr("Why: %1").arg(verdict.reason);
    }
    const auto fallbacks = fallbackCounts();
    if (!fallbacks.empty()) {
        lines << QString() << tr("FALLBACKS SINCE THE START");
        for (const auto& [reason, count] : fallbacks) {
            lines << QStringLiteral("  %1 × %2").arg(count).arg(fromEngine(reason));
        }
    }
    if (const auto& plan = session.plan()) {
        lines << QString() << tr("PLAN") << fromEngine(plan->describe());
    }
    return lines.join(QLatin1Char('\n'));
}

DiagnosticsDialog::DiagnosticsDialog(const SessionBridge& session, const DisplayVerdict& verdict, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("diagnosticsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Diagnostics"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 20, 24, 20);
    layout->setSpacing(12);
    auto* title = new QLabel(tr("Diagnostics"), this);
    title->setProperty("role", "title");
    layout->addWidget(title);
    auto* text = new QPlainTextEdit(diagnosticsText(session, verdict), this);
    text->setObjectName(QStringLiteral("diagnosticsText"));
    text->setAccessibleName(tr("Diagnostics"));
    text->setReadOnly(true);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont)); // the plan stands in columns
    layout->addWidget(text, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, [text] { QGuiApplication::clipboard()->setText(text->toPlainText()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    layout->addWidget(buttons);
    resize(860, 600);
}

} // namespace ondo
