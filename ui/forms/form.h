// The parts that panels are made of: rows with a label, pairs of fields, choices, a slider with a typed twin, foldable
// sections. All with object names and accessible names.
#pragma once

#include "ui/forms/quantity_edit.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSlider>
#include <QWidget>

#include <functional>
#include <vector>

class QToolButton;

namespace ondo {

inline constexpr int kGap = 8;         // px
inline constexpr int kDockMargin = 12; // px: titles and contents of all docks begin here

// Label at the left, field at the right.
class Form : public QWidget {
public:
    explicit Form(QWidget* parent = nullptr);
    void row(const QString& label, QWidget* field);
    void pair(const QString& label, QWidget* left, QWidget* right);
    void wide(QWidget* widget);
    void setRowVisible(QWidget* field, bool visible);
    QLabel* readOut(const QString& label, const QString& name); // a value that is only shown

private:
    QFormLayout* m_layout;
};

class Choice : public QComboBox {
public:
    Choice(const QString& name, const QStringList& entries, std::function<void(int)> chosen, QWidget* parent = nullptr);
    void set(int index);                                // silently
    void fill(const QStringList& entries, int current); // silently

protected:
    void wheelEvent(QWheelEvent* event) override;
};

class TickBox : public QCheckBox {
public:
    TickBox(const QString& name, const QString& text, std::function<void(bool)> changed, QWidget* parent = nullptr);
    void set(bool on);
};

// A slider that turns with the wheel only when it has the focus: panels are scrolled over it.
class QuietSlider : public QSlider {
public:
    explicit QuietSlider(QWidget* parent = nullptr);

protected:
    void wheelEvent(QWheelEvent* event) override;
};

// A slider and the same number typed. Positions are mapped to values by two functions that undo each other.
class SliderQuantity : public QWidget {
public:
    struct Map {
        std::function<double(double)> valueAt; // of a fraction 0 .. 1
        std::function<double(double)> fractionOf;
    };
    SliderQuantity(const QString& name, const Quantity& quantity, Map map, std::function<void(double)> changed,
                   QWidget* parent = nullptr);
    void set(double value);

private:
    Map m_map;
    QSlider* m_slider;
    QuantityEdit* m_edit;
    std::function<void(double)> m_changed;
};

[[nodiscard]] SliderQuantity::Map linearMap(double low, double high);
[[nodiscard]] SliderQuantity::Map logarithmicMap(double low, double high);

// A title that folds its content away.
class Section : public QWidget {
public:
    Section(const QString& name, const QString& title, QWidget* content, QWidget* parent = nullptr);
    [[nodiscard]] bool isOpen() const { return m_content->isVisibleTo(this); }
    void setOpen(bool open);

private:
    QToolButton* m_title;
    QWidget* m_content;
};

[[nodiscard]] QLabel* quietLabel(const QString& text, QWidget* parent = nullptr);
// Sentences that wrap and can be copied.
[[nodiscard]] QLabel* proseLabel(const QString& name, const QString& accessible, QWidget* parent);
void setTone(QWidget* widget, const char* tone); // "dim" "warning" "bad" or ""

} // namespace ondo
