// How the field is shown: colours, clip, gain, blend, and how much of the solver's time views may take.
#pragma once

#include "engine/session/session.h"
#include "ui/forms/form.h"

namespace ondo {

class ProjectModel;
struct ViewSettings;

class DisplayPanel : public QWidget {
public:
    explicit DisplayPanel(ProjectModel& project, QWidget* parent = nullptr);

    void showFullColour(double pascals); // as the pressure bar says it; 0: nothing shown yet

private:
    void addColours();
    void addAmplitudes();
    void addRate();
    void edit(const std::function<void(ViewSettings&)>& change);
    void showView();

    ProjectModel& m_project;
    Form* m_form;
    Choice *m_fieldMap = nullptr, *m_modelMap = nullptr;
    SliderQuantity *m_blend = nullptr, *m_percentile = nullptr, *m_gain = nullptr;
    TickBox *m_hold = nullptr, *m_polarity = nullptr, *m_model = nullptr;
    QLabel *m_clip = nullptr, *m_rateText = nullptr;
    QSlider* m_rate = nullptr;
    Choice *m_pace = nullptr, *m_path = nullptr;
};

// How long a shot takes at least, seconds, from full speed (0) on: what the pace can be set to.
[[nodiscard]] const std::vector<double>& paceStops();
[[nodiscard]] int paceStopOf(double watchSeconds);

// The five stops of the view rate, from "solver first" to "every step".
struct RateStop {
    ViewRate rate;
    QString text;
};
[[nodiscard]] const std::vector<RateStop>& rateStops();
[[nodiscard]] int rateStopOf(const ViewRate& rate);

} // namespace ondo
