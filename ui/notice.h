// Something a person should know, shown in the window's banner: never a dialog that must be clicked away. Value type.
#pragma once

#include <QMetaType>
#include <QString>

namespace ondo {

enum class NoticeKind { Told, Warning, Refused };

struct Notice {
    NoticeKind kind = NoticeKind::Told;
    QString text;
    QString remedy; // what to do; may be empty
};

} // namespace ondo

Q_DECLARE_METATYPE(ondo::Notice)
