#include "render/colour_map.h"
#include "ui/actions/action_list.h"
#include "ui/panes/field_view.h"
#include "ui/project_model.h"
#include "ui/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace ondo {

namespace {

constexpr double kGainStep = 1.25892541179; // 2 dB
constexpr double kClipStep = 0.75;          // of what lies beyond the clip

QString tr(const char* text)
{
    return QCoreApplication::translate("ViewActions", text);
}

// perform() of an action that changes how things are shown.
template<class Change>
std::function<void()> changing(ProjectModel& project, Change change)
{
    return [&project, change] {
        ViewSettings view = project.view();
        change(view);
        project.setView(view);
    };
}

template<class Member>
std::function<void(Action&)> ticked(ProjectModel& project, Member member)
{
    return [&project, member](Action& action) {
        action.setCheckable(true);
        action.setChecked(project.view().*member);
    };
}

// What lies beyond the clip shrinks or grows, so that 99 % and 99.9 % are as far apart as 90 % and 99 %.
void moveClip(ViewSettings& view, double factor)
{
    view.percentile = std::clamp(100.0 - std::max(0.005, 100.0 - view.percentile) * factor, 50.0, 100.0);
}

void stepMap(ViewSettings& view, int steps)
{
    view.fieldMap = fromEngine(nextColourMap(ColourMapUse::Field, toEngine(view.fieldMap), steps));
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one action after the other
ActionGroup viewActions(const AppContext& context, QObject* parent)
{
    ProjectModel& project = context.project;
    FieldView& field = context.field;
    WindowPort& window = context.window;
    ActionGroup group{tr("&View"), {}};
    const auto add = [&](Action::Spec spec) { group.actions.push_back(new Action(std::move(spec), parent)); };
    const auto line = [&] { group.actions.push_back(nullptr); };
    add({QStringLiteral("actionFit"),
         tr("Fit the model"),
         QStringLiteral("fit"),
         {Qt::Key_F},
         KeyScope::View,
         [&field] { field.fit(); }});
    add({QStringLiteral("actionZoomIn"), tr("Closer"), {}, {Qt::Key_Plus, Qt::Key_Equal}, KeyScope::View, [&field] {
             field.zoomIn();
         }});
    add({QStringLiteral("actionZoomOut"), tr("Farther"), {}, {Qt::Key_Minus}, KeyScope::View, [&field] {
             field.zoomOut();
         }});
    add({QStringLiteral("actionAspect"),
         tr("True scale"),
         {},
         {Qt::Key_X},
         KeyScope::View,
         [&field] { field.setAspect(field.aspect() == Aspect::True ? Aspect::Fill : Aspect::True); },
         [&field](Action& action) {
             action.setCheckable(true);
             action.setChecked(field.aspect() == Aspect::True);
         },
         tr("True scale: metres are as long across as down")});
    add({QStringLiteral("actionGrid"),
         tr("Grid lines"),
         {},
         {Qt::Key_G},
         KeyScope::View,
         [&field] {
             const bool hidden = field.gridLines() == FieldView::Lines::Hidden;
             field.setGridLines(hidden ? FieldView::Lines::Shown : FieldView::Lines::Hidden);
         },
         [&field](Action& action) {
             action.setCheckable(true);
             action.setChecked(field.gridLines() == FieldView::Lines::Shown);
         }});
    line();
    add({QStringLiteral("actionNextMap"),
         tr("Next colour map"),
         QStringLiteral("colours"),
         {Qt::Key_C},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { stepMap(view, 1); })});
    add({QStringLiteral("actionPreviousMap"),
         tr("Previous colour map"),
         {},
         {Qt::SHIFT | Qt::Key_C},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { stepMap(view, -1); })});
    add({QStringLiteral("actionClipTighter"),
         tr("Clip tighter"),
         QStringLiteral("clip-tighter"),
         {Qt::Key_BracketLeft},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { moveClip(view, 1.0 / kClipStep); })});
    add({QStringLiteral("actionClipWider"),
         tr("Clip wider"),
         QStringLiteral("clip-wider"),
         {Qt::Key_BracketRight},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { moveClip(view, kClipStep); })});
    add({QStringLiteral("actionHold"),
         tr("Hold the clip"),
         QStringLiteral("hold"),
         {Qt::Key_H},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { view.hold = !view.hold; }),
         ticked(project, &ViewSettings::hold)});
    add({QStringLiteral("actionGainDown"),
         tr("Gain down"),
         QStringLiteral("gain-down"),
         {Qt::Key_BraceLeft, Qt::SHIFT | Qt::Key_BraceLeft},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { view.gain = std::max(0.1, view.gain / kGainStep); })});
    add({QStringLiteral("actionGainUp"),
         tr("Gain up"),
         QStringLiteral("gain-up"),
         {Qt::Key_BraceRight, Qt::SHIFT | Qt::Key_BraceRight},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { view.gain = std::min(100.0, view.gain * kGainStep); })});
    add({QStringLiteral("actionPolarity"),
         tr("Reverse polarity"),
         QStringLiteral("polarity"),
         {Qt::Key_P},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { view.reversedPolarity = !view.reversedPolarity; }),
         ticked(project, &ViewSettings::reversedPolarity)});
    add({QStringLiteral("actionModel"),
         tr("Show the model"),
         {},
         {Qt::Key_M},
         KeyScope::View,
         changing(project, [](ViewSettings& view) { view.showModel = !view.showModel; }),
         ticked(project, &ViewSettings::showModel)});
    line();
    add({QStringLiteral("actionTheme"),
         tr("Light or dark"),
         QStringLiteral("theme"),
         {Qt::CTRL | Qt::Key_T},
         KeyScope::Window,
         [&window] { window.changeTheme(); }});
    add({QStringLiteral("actionFullScreen"), tr("Full screen"), {}, {Qt::Key_F11}, KeyScope::Window, [&window] {
             window.changeFullScreen();
         }});
    add({QStringLiteral("actionResetLayout"),
         tr("Reset the layout"),
         QStringLiteral("layout"),
         {},
         KeyScope::Window,
         [&window] { window.resetLayout(); }});
    return group;
}

ActionGroup gatherActions(const AppContext& context, QObject* parent)
{
    ProjectModel& project = context.project;
    ActionGroup group{tr("&Gather"), {}};
    const auto mode = [&](const char* name, const QString& text, const char* icon, Qt::Key key, GatherMode wanted) {
        group.actions.push_back(
            new Action({QLatin1String(name),
                        text,
                        QLatin1String(icon),
                        {key},
                        KeyScope::View,
                        changing(project, [wanted](ViewSettings& view) { view.gatherMode = wanted; }),
                        [&project, wanted](Action& action) {
                            action.setCheckable(true);
                            action.setChecked(project.view().gatherMode == wanted);
                        }},
                       parent));
    };
    mode("actionDensity", tr("Variable density"), "density", Qt::Key_D, GatherMode::Density);
    mode("actionWiggles", tr("Wiggles"), "wiggle", Qt::Key_W, GatherMode::Wiggles);
    mode("actionOverlay", tr("Wiggles over density"), "overlay", Qt::Key_O, GatherMode::Overlay);
    group.actions.push_back(nullptr);
    group.actions.push_back(new Action({QStringLiteral("actionProbe"),
                                        tr("Show the probe"),
                                        QStringLiteral("probe"),
                                        {Qt::Key_T},
                                        KeyScope::View,
                                        changing(project, [](ViewSettings& view) { view.showProbe = !view.showProbe; }),
                                        ticked(project, &ViewSettings::showProbe)},
                                       parent));
    return group;
}

} // namespace ondo
