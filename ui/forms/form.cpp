#include "ui/forms/form.h"

#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <QVariant>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

constexpr int kSliderSteps = 1000;
constexpr int kFieldHeight = 28; // px: labels stand at the middle of a field

} // namespace

QLabel* quietLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setProperty("tone", "dim");
    return label;
}

QLabel* proseLabel(const QString& name, const QString& accessible, QWidget* parent)
{
    QLabel* label = quietLabel({}, parent);
    label->setObjectName(name);
    label->setAccessibleName(accessible);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void setTone(QWidget* widget, const char* tone)
{
    if (widget->property("tone").toString() != QLatin1String(tone)) {
        widget->setProperty("tone", QLatin1String(tone));
        widget->style()->unpolish(widget);
        widget->style()->polish(widget);
    }
}

Form::Form(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QFormLayout(this))
{
    m_layout->setContentsMargins(kGap, 4, kGap, kGap);
    m_layout->setHorizontalSpacing(kGap);
    m_layout->setVerticalSpacing(5);
    m_layout->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_layout->setRowWrapPolicy(QFormLayout::DontWrapRows);
}

void Form::row(const QString& label, QWidget* field)
{
    QLabel* text = quietLabel(label, this);
    text->setBuddy(field);
    // One column for the fields of all panels, whatever stands in each.
    text->setMinimumWidth(fontMetrics().horizontalAdvance(QCoreApplication::translate("Form", "Peak frequency")) + 4);
    text->setMinimumHeight(qobject_cast<QLabel*>(field) != nullptr ? 0 : kFieldHeight);
    if (field->accessibleName().isEmpty()) {
        field->setAccessibleName(label);
    }
    // A slider with its typed twin: each takes the focus by itself.
    for (QWidget* part : field->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (part->focusPolicy() != Qt::NoFocus && part->accessibleName().isEmpty()) {
            part->setAccessibleName(field->accessibleName());
        }
    }
    m_layout->addRow(text, field);
}

void Form::pair(const QString& label, QWidget* left, QWidget* right)
{
    auto* both = new QWidget(this);
    auto* layout = new QHBoxLayout(both);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(left, 1);
    layout->addWidget(right, 1);
    row(label, both);
    for (QWidget* field : {left, right}) {
        if (field->accessibleName().isEmpty()) {
            field->setAccessibleName(label);
        }
    }
}

void Form::wide(QWidget* widget)
{
    m_layout->addRow(widget);
}

void Form::setRowVisible(QWidget* field, bool visible)
{
    m_layout->setRowVisible(field, visible);
}

QLabel* Form::readOut(const QString& label, const QString& name)
{
    auto* value = new QLabel(this);
    value->setObjectName(name);
    value->setAccessibleName(label);
    value->setWordWrap(true);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row(label, value);
    return value;
}

Choice::Choice(const QString& name, const QStringList& entries, std::function<void(int)> chosen, QWidget* parent)
    : QComboBox(parent)
{
    setObjectName(name);
    addItems(entries);
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
    connect(this, &QComboBox::activated, this, [chosen = std::move(chosen)](int index) { chosen(index); });
}

void Choice::fill(const QStringList& entries, int current)
{
    const QSignalBlocker quiet(this);
    bool same = count() == entries.size();
    for (int i = 0; same && i < count(); ++i) {
        same = itemText(i) == entries[i];
    }
    if (!same) { // an open list stays open
        clear();
        addItems(entries);
    }
    setCurrentIndex(current);
}

void Choice::set(int index)
{
    const QSignalBlocker quiet(this);
    setCurrentIndex(index);
}

void Choice::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

TickBox::TickBox(const QString& name, const QString& text, std::function<void(bool)> changed, QWidget* parent)
    : QCheckBox(text, parent)
{
    setObjectName(name);
    setAccessibleName(text);
    connect(this, &QCheckBox::clicked, this, [changed = std::move(changed)](bool on) { changed(on); });
}

void TickBox::set(bool on)
{
    const QSignalBlocker quiet(this);
    setChecked(on);
}

QuietSlider::QuietSlider(QWidget* parent)
    : QSlider(Qt::Horizontal, parent)
{
    setFocusPolicy(Qt::StrongFocus);
}

void QuietSlider::wheelEvent(QWheelEvent* event)
{
    if (hasFocus()) {
        QSlider::wheelEvent(event);
    } else {
        event->ignore();
    }
}

SliderQuantity::SliderQuantity(const QString& name, const Quantity& quantity, Map map,
                               std::function<void(double)> changed, QWidget* parent)
    : QWidget(parent)
    , m_map(std::move(map))
    , m_slider(new QuietSlider(this))
    , m_edit(nullptr)
    , m_changed(std::move(changed))
{
    setObjectName(name);
    m_edit = new QuantityEdit(
        name + QStringLiteral("Edit"), quantity,
        [this](double value) {
            const QSignalBlocker quiet(m_slider);
            m_slider->setValue(static_cast<int>(std::lround(m_map.fractionOf(value) * kSliderSteps)));
            m_changed(value);
        },
        this);
    m_edit->setMinimumWidth(84);
    m_edit->setMaximumWidth(96);
    m_slider->setObjectName(name + QStringLiteral("Slider"));
    m_slider->setRange(0, kSliderSteps);
    m_slider->setSingleStep(kSliderSteps / 100);
    m_slider->setPageStep(kSliderSteps / 10);
    connect(m_slider, &QSlider::valueChanged, this, [this](int position) {
        const double value = m_map.valueAt(static_cast<double>(position) / kSliderSteps);
        m_edit->set(value);
        m_changed(m_edit->value());
    });
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGap);
    layout->addWidget(m_slider, 1);
    layout->addWidget(m_edit);
    setFocusProxy(m_edit);
}

void SliderQuantity::set(double value)
{
    m_edit->set(value);
    const QSignalBlocker quiet(m_slider);
    if (!m_slider->isSliderDown()) {
        m_slider->setValue(static_cast<int>(std::lround(m_map.fractionOf(value) * kSliderSteps)));
    }
}

SliderQuantity::Map linearMap(double low, double high)
{
    return {[low, high](double f) { return low + f * (high - low); },
            [low, high](double v) { return std::clamp((v - low) / (high - low), 0.0, 1.0); }};
}

SliderQuantity::Map logarithmicMap(double low, double high)
{
    return {[low, high](double f) { return low * std::pow(high / low, f); },
            [low, high](double v) {
                return std::clamp(std::log(std::max(v, low) / low) / std::log(high / low), 0.0, 1.0);
            }};
}

Section::Section(const QString& name, const QString& title, QWidget* content, QWidget* parent)
    : QWidget(parent)
    , m_title(new QToolButton(this))
    , m_content(content)
{
    setObjectName(name);
    m_title->setObjectName(name + QStringLiteral("Title"));
    m_title->setText(title);
    m_title->setProperty("role", "section");
    m_title->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_title->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_title->setIconSize(QSize(14, 14));
    m_title->setCheckable(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_title);
    layout->addWidget(m_content);
    connect(m_title, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
    setOpen(true);
}

void Section::setOpen(bool open)
{
    m_content->setVisible(open);
    m_title->setIcon(themedIcon(open ? QStringLiteral("chevron-open") : QStringLiteral("chevron")));
    m_title->setAccessibleDescription(open ? QCoreApplication::translate("Section", "open")
                                           : QCoreApplication::translate("Section", "folded"));
}

} // namespace ondo
