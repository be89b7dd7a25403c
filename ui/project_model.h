// What the user works on: the run description, the model, the history of edits, and how it is all shown.
// UI thread. Widgets listen to its signals and read the new state from it; they change it only through its methods.
#pragma once

#include "engine/model/model.h"
#include "engine/project/run_description.h"
#include "ui/notice.h"
#include "ui/view_settings.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <optional>

namespace ondo {

struct ProjectState;

class ProjectModel : public QObject {
    Q_OBJECT
public:
    explicit ProjectModel(QObject* parent = nullptr);
    ~ProjectModel() override;

    [[nodiscard]] const RunDescription& run() const { return m_run; }
    [[nodiscard]] const Model& model() const { return m_model; }
    [[nodiscard]] bool threeDimensional() const { return !m_model.empty() && m_model.grid().rank == 3; }
    [[nodiscard]] const ViewSettings& view() const { return m_view; }
    [[nodiscard]] QUndoStack& undoStack() { return m_undoStack; }
    // The run file that Save writes; empty: none yet.
    [[nodiscard]] const QString& filePath() const { return m_filePath; }
    // The shot that panels show and drags move.
    [[nodiscard]] int shotIndex() const { return m_shotIndex; }
    [[nodiscard]] const Shot& shot() const;
    [[nodiscard]] std::optional<Position> probe() const { return m_probe; }

    // A number for editRun that makes the edits of one drag one step of the history.
    [[nodiscard]] int beginGesture() { return ++m_gesture; }
    void editRun(const QString& text, const RunDescription& changed, int gesture = -1);
    void editShot(const QString& text, const Shot& changed, int gesture = -1);
    void moveSource(int index, const Position& position, int gesture = -1);
    void setProbe(std::optional<Position> position);

    // Another model with a run that fits it, and the run file they came from (empty: none): one step of the history,
    // so that what was not saved of the project before is an undo away, with its own file.
    void open(const QString& text, const Model& model, const RunDescription& run, const QString& filePath = {});
    // Edits that the run file does not have yet.
    [[nodiscard]] bool unsaved() const { return !m_filePath.isEmpty() && !m_undoStack.isClean(); }
    // The device for this and later runs, not a step of the history.
    void setDevice(const std::string& id);
    void setFilePath(const QString& path);
    void setView(const ViewSettings& view);
    void setShotIndex(int index);
    // Shows a message in the window; nothing waits for it.
    void tell(const Notice& notice);

signals:
    void runChanged();
    void modelChanged();
    void viewChanged();
    void probeChanged();
    void fileChanged();
    void noticed(const ondo::Notice& notice);

private:
    void push(const QString& text, ProjectState after, int gesture);
    void apply(const ProjectState& state);

    RunDescription m_run;
    Model m_model;
    ViewSettings m_view;
    std::optional<Position> m_probe;
    QString m_filePath;
    QUndoStack m_undoStack;
    int m_shotIndex = 0;
    int m_gesture = 0;
};

// Receivers as a line, if they stand evenly on one.
struct ReceiverLine {
    Position first, last;
    int count = 0;
};
[[nodiscard]] std::optional<ReceiverLine> asLine(const std::vector<Receiver>& receivers);

} // namespace ondo
