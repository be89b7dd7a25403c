#include "ui/forms/quantity_edit.h"

#include "ui/text.h"

#include <QLineEdit>
#include <QSignalBlocker>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace ondo {

QuantityEdit::QuantityEdit(const QString& name, const Quantity& quantity, std::function<void(double)> changed,
                           QWidget* parent)
    : QDoubleSpinBox(parent)
    , m_changed(std::move(changed))
    , m_step(quantity.step)
{
    setObjectName(name);
    setLocale(QLocale::c());
    setDecimals(quantity.decimals);
    setRange(quantity.low, quantity.high);
    setSuffix(quantity.unit.isEmpty() ? QString() : QStringLiteral(" ") + quantity.unit);
    setSpecialValueText(quantity.automatic);
    setKeyboardTracking(false);
    setAccelerated(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumWidth(80);
    connect(this, &QDoubleSpinBox::valueChanged, this, [this](double value) { m_changed(value); });
}

void QuantityEdit::set(double value)
{
    if (hasFocus() && lineEdit()->isModified()) {
        return;
    }
    const QSignalBlocker quiet(this);
    setValue(value);
}

QString QuantityEdit::textFromValue(double value) const
{
    QString text = QString::number(value, 'f', decimals());
    if (text.contains(QLatin1Char('.'))) {
        while (text.endsWith(QLatin1Char('0'))) {
            text.chop(1);
        }
        if (text.endsWith(QLatin1Char('.'))) {
            text.chop(1);
        }
    }
    return text == QLatin1String("-0") ? QStringLiteral("0") : text;
}

void QuantityEdit::stepBy(int steps)
{
    setSingleStep(m_step > 0.0 ? m_step : niceStep(std::abs(value()) / 20.0 + std::pow(10.0, -decimals())));
    QDoubleSpinBox::stepBy(steps);
}

void QuantityEdit::wheelEvent(QWheelEvent* event)
{
    // A panel is scrolled over its fields; only the one being edited turns with the wheel.
    if (hasFocus()) {
        QDoubleSpinBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

} // namespace ondo
