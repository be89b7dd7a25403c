// The inversion: start, stop, resume and roll back; what of the chosen iterate the picture shows; data, file and settings;
// why a gradient may look odd. Shows what InversionDesk and InversionRun say and tells them what is wanted. UI thread.
#pragma once

#include "ui/forms/form.h"

#include <QWidget>

class QLineEdit;
class QPushButton;

namespace ondo {

class InversionDesk;
class InversionForm;
class ProgressTrack;
class SessionBridge;

class InversionPanel : public QWidget {
public:
    InversionPanel(SessionBridge& session, InversionDesk& desk, QWidget* parent = nullptr);
    [[nodiscard]] InversionForm& form() { return *m_form; }

private:
    [[nodiscard]] QWidget* runPart();
    [[nodiscard]] QWidget* shownPart();
    [[nodiscard]] QWidget* filePart();
    [[nodiscard]] QWidget* path(const QString& name, const QString& label, QLineEdit*& edit, bool save);
    void showRun();
    void showOrder();
    void showForecast();
    void showSelection();
    void showPicture();
    void showChecks();

    SessionBridge& m_session;
    InversionDesk& m_desk;
    QPushButton* m_start = nullptr;
    QPushButton* m_resume = nullptr;
    QPushButton* m_back = nullptr;
    ProgressTrack* m_track = nullptr;
    QLabel* m_phase = nullptr;
    Choice* m_meanwhile = nullptr;
    TickBox* m_shown = nullptr;
    Choice* m_look = nullptr;
    SliderQuantity* m_clip = nullptr;
    QLabel* m_full = nullptr;
    QPushButton* m_ofShot = nullptr;
    QLineEdit* m_observed = nullptr;
    QLineEdit* m_out = nullptr;
    QLabel* m_file = nullptr;
    QLabel* m_forecast = nullptr;
    InversionForm* m_form = nullptr;
    QLabel* m_checks = nullptr;
};

} // namespace ondo
