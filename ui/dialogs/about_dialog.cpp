#include "ui/dialogs/about_dialog.h"

#include "ui/forms/form.h"

#include <QDialogButtonBox>
#include <QIcon>
#include <QLabel>
#include <QVBoxLayout>

namespace ondo {

AboutDialog::AboutDialog(QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("aboutDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About Ondoscope"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(32, 28, 32, 20);
    layout->setSpacing(10);
    auto* icon = new QLabel(this);
    icon->setPixmap(QIcon(QStringLiteral(":/ondo/icons/ondoscope.svg")).pixmap(QSize(96, 96), devicePixelRatioF()));
    layout->addWidget(icon, 0, Qt::AlignHCenter);
    auto* title = new QLabel(tr("Ondoscope %1").arg(QStringLiteral(ONDO_VERSION)), this);
    title->setProperty("role", "title");
    layout->addWidget(title, 0, Qt::AlignHCenter);
    auto* words = new QLabel(tr("Seismic waves, computed and seen live.\n"
                                "Free under the Apache License 2.0.\n"
                                "Made with Qt %1 and VTK.")
                                 .arg(QLatin1String(qVersion())),
                             this);
    words->setAlignment(Qt::AlignHCenter);
    layout->addWidget(words);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    layout->addWidget(buttons);
}

} // namespace ondo
