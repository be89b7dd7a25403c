// A number with its unit, typed or stepped. Tells `changed` once per committed change, never while it is being set.
#pragma once

#include <QDoubleSpinBox>

#include <functional>

namespace ondo {

struct Quantity {
    QString unit;
    double low = -1e9, high = 1e9;
    int decimals = 3;       // at most; trailing zeros are not shown
    double step = 1.0;      // of the arrows; 0: a twentieth of the value, on round numbers
    QString automatic = {}; // shown at `low`, when that means "chosen for you"
};

class QuantityEdit : public QDoubleSpinBox {
public:
    QuantityEdit(const QString& name, const Quantity& quantity, std::function<void(double)> changed,
                 QWidget* parent = nullptr);
    void set(double value); // silently; left alone while the user types in it

    [[nodiscard]] QString textFromValue(double value) const override;
    void stepBy(int steps) override;

protected:
    void wheelEvent(QWheelEvent* event) override;

private:
    std::function<void(double)> m_changed;
    double m_step;
};

} // namespace ondo
