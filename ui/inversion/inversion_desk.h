// An inversion in the window: the file that is watched, which of its iterates is chosen and what of it the picture shows. The
// run that writes such a file and what is computed of an iterate are parts of it. UI thread; reads on a worker.
#pragma once

#include "ui/inversion/inversion_setup.h"
#include "ui/inversion/inversion_watch.h"
#include "ui/shown_kernel.h"

#include <QObject>

#include <deque>
#include <functional>
#include <optional>

namespace ondo {

class InversionDetail;
class InversionRun;
class ProjectModel;
class SessionBridge;

enum class InversionLook { Model, Update, FromStart, Gradient, Illumination };
[[nodiscard]] QString lookText(InversionLook look);

class InversionDesk : public QObject {
    Q_OBJECT
public:
    InversionDesk(ProjectModel& project, SessionBridge& session, QObject* parent);
    ~InversionDesk() override;

    // Watches a file. Its run and start model become the project once it has a record; `then` when it was first read.
    void open(const QString& path, std::function<void()> then = {});
    // Watches a file that this window's own run writes: the project is its start already.
    void follow(const QString& path);
    [[nodiscard]] const InversionWatch& watch() const { return m_watch; }
    [[nodiscard]] InversionRun& run() { return *m_run; }
    [[nodiscard]] InversionDetail& detail() { return *m_detail; }

    [[nodiscard]] int count() const; // records
    [[nodiscard]] int selected() const { return m_selected; }
    [[nodiscard]] const InversionRecord* record() const; // the selected one, without what lies on the grid; null: none
    void select(int index);                              // of the records; the last one is followed as more come
    [[nodiscard]] bool following() const { return m_following; }

    void setLook(InversionLook look);
    [[nodiscard]] InversionLook look() const { return m_look; }
    void setPercentile(double percentile);
    [[nodiscard]] double percentile() const { return m_percentile; }
    void setShown(bool shown);
    [[nodiscard]] bool shown() const { return m_shown; }

    // Where the models are cut down, m; the middle until somebody says.
    void setWell(double x);
    [[nodiscard]] double well() const;

    // What the picture is to show; none: the wave field and the project's model.
    struct Picture {
        Model model;                     // in the place of the project's
        ValueRange range;                // of its colours: the same for all iterates
        std::optional<ShownField> field; // over it
        QString title;                   // "Iteration 7 of 12: update"
    };
    [[nodiscard]] std::optional<Picture> picture() const;
    // Why the chosen look cannot be drawn; empty: it can.
    [[nodiscard]] const QString& missing() const { return m_missing; }
    // The chosen iterate's; empty: still being read.
    [[nodiscard]] Model model() const { return m_loaded ? m_loaded->model : Model(); }
    [[nodiscard]] int loaded() const { return m_loaded ? m_loaded->index : -1; } // whose these are; -1: none's
    [[nodiscard]] const std::vector<Shot>& shots() const;                        // of the file's run
    // What its traces and gradients are computed with: the file's settings, the data chosen in the window.
    [[nodiscard]] InversionOrder computed() const;
    // The chosen iterate with all it has; null: still being read.
    [[nodiscard]] const std::shared_ptr<const InversionRecord>& whole() const { return m_whole; }

signals:
    void acted();       // any of those below, and what run and detail tell: actions look again
    void fileChanged(); // overview or trouble
    void selectionChanged();
    void wellChanged();
    void pictureChanged(); // also whole() and missing()

private:
    struct Loaded { // what one look at one iterate takes
        int index = 0;
        InversionLook look = InversionLook::Model;
        std::shared_ptr<const InversionRecord> record;
        Model model;
        std::shared_ptr<const FieldFrame> frame;
        std::vector<float> clips;
        QString missing;
    };
    [[nodiscard]] static Result<Loaded> load(const std::string& path, const Model& start, InvertedParameters parameters,
                                             int index, InversionLook look);
    void followFile();
    void adopt();
    void fetch();
    void show(const Loaded& loaded);

    ProjectModel& m_project;
    SessionBridge& m_session;
    InversionWatch m_watch;
    InversionRun* m_run;
    InversionDetail* m_detail;
    std::function<void()> m_then;
    bool m_adopt = false; // the project is to become what the file has
    int m_selected = -1;
    std::optional<double> m_well;
    bool m_following = true, m_shown = false;
    InversionLook m_look = InversionLook::Model;
    double m_percentile = 99.5;
    std::deque<Loaded> m_kept; // the newest looks
    std::shared_ptr<const InversionRecord> m_whole;
    std::optional<Loaded> m_loaded;
    QString m_missing;
    ValueRange m_range; // of all iterates seen
    bool m_fetching = false, m_fetchAgain = false;
    JobPool m_jobs;
};

} // namespace ondo
