// A thin rounded bar that says how far something is.
#pragma once

#include <QWidget>

namespace ondo {

class ProgressTrack : public QWidget {
public:
    explicit ProgressTrack(const QString& name, QWidget* parent = nullptr);
    void setFraction(double fraction); // 0 .. 1
    [[nodiscard]] double fraction() const { return m_fraction; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_fraction = 0.0;
};

} // namespace ondo
