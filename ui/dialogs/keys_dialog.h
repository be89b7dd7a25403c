// The keys, made from the actions: what the list says is what the keys do.
#pragma once

#include <QDialog>

namespace ondo {

class ActionList;

class KeysDialog : public QDialog {
public:
    KeysDialog(const ActionList& actions, QWidget* parent);
};

} // namespace ondo
