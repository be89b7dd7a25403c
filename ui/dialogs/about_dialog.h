// What this program is, which version, on which libraries, under which licence.
#pragma once

#include <QDialog>

namespace ondo {

class AboutDialog : public QDialog {
public:
    explicit AboutDialog(QWidget* parent);
};

} // namespace ondo
