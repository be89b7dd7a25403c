#include "ui/dialogs/unsaved_question.h"

#include <QCoreApplication>
#include <QMessageBox>

#include <utility>

namespace ondo {

void askUnsaved(QWidget& window, const QString& file, std::function<void(UnsavedAnswer)> answered)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("UnsavedQuestion", text); };
    if (auto* asked = window.findChild<QMessageBox*>(QStringLiteral("unsavedQuestion"))) {
        asked->raise(); // closed twice: one question
        return;
    }
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Unsaved edits"), tr("Save the edits of %1?").arg(file),
                                QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window);
    box->setObjectName(QStringLiteral("unsavedQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("They are lost if the window closes without."));
    box->setDefaultButton(QMessageBox::Save);
    box->setTextFormat(Qt::PlainText); // a file's name may look like markup
    QObject::connect(box, &QMessageBox::finished, &window, [answered = std::move(answered)](int button) {
        if (button == QMessageBox::Save || button == QMessageBox::Discard) {
            answered(button == QMessageBox::Save ? UnsavedAnswer::Save : UnsavedAnswer::Discard);
        }
    });
    box->open();
}

} // namespace ondo
