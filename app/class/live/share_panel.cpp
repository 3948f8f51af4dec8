// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/share_panel.h"

#include "app/class/live/live_share.h"
#include "app/class/live/live_texts.h"
#include "app/class/live/text_table.h"
#include "app/theme/announce.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"

#include <QLineEdit>
#include <QTimer>
#include <QTreeView>

namespace ridge::app {
namespace {

constexpr int kRowsShown = 6;
constexpr int kPreviewMs = 1500; ///< after something was stored

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

struct SharePanel::Parts {
    Parts(SharePanel& panel, AppContext& context);

    void refresh();
    void toggle();
    void look(); ///< reads the store: what would go along

    SharePanel& panel;
    AppContext& context;
    LiveShare& share;
    classroom::Assignment assignment;
    std::vector<live::Note> notes;
    std::optional<Error> refused;
    QLabel *about, *state;
    QLineEdit *place, *code;
    QPushButton* button;
    TextTable* table;
    QTreeView* view;
    QTimer* soon;
};

SharePanel::Parts::Parts(SharePanel& owner, AppContext& where)
    : panel(owner), context(where), share(LiveShare::of(where)), about(makeText(where.theme(), {})),
      state(makeText(where.theme(), {}, TextStyle::Body, QStringLiteral("muted"))), place(new QLineEdit),
      code(new QLineEdit), button(makeButton({}, {}, true)),
      table(new TextTable({SharePanel::tr("Your teacher"), SharePanel::tr("What goes along")}, &owner)),
      view(makeTextTable(where.theme(), table, SharePanel::tr("What goes along"))), soon(new QTimer(&owner))
{
    Theme& theme = context.theme();
    auto* column = new QVBoxLayout(&panel);
    column->setContentsMargins(0, 0, 0, 0);
    auto* card = new Card(tr("Live view"));
    column->addWidget(card);
    card->column()->addWidget(makeLabel(theme, tr("Live view"), TextStyle::ReadH3));
    card->column()->addWidget(about);

    auto* fields = new QWidget;
    fields->setAccessibleName(tr("Address and code"));
    auto* row = new FlowLayout(fields);
    const auto field = [&](const QString& title, QLineEdit* edit, const QString& example, int letters) {
        auto* box = new QWidget;
        box->setAccessibleName(title);
        auto* lines = new QVBoxLayout(box);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->setSpacing(space::xs);
        QLabel* label = makeLabel(theme, title, TextStyle::Caption, QStringLiteral("hint"));
        label->setBuddy(edit);
        edit->setAccessibleName(title);
        edit->setPlaceholderText(example);
        edit->setMaxLength(64);
        edit->setMinimumWidth(edit->fontMetrics().horizontalAdvance(QLatin1Char('0')) * letters);
        lines->addWidget(label);
        lines->addWidget(edit);
        row->addWidget(box);
        QObject::connect(edit, &QLineEdit::returnPressed, &panel, [this] {
            if (button->isEnabled() && !share.isOn())
                toggle();
        });
    };
    field(tr("Address"), place, tr("192.168.1.20:50505"), 22);
    field(tr("Code"), code, tr("K7QM-3XRP"), 14);
    // As it was typed last: the page is made anew each time it is opened.
    place->setText(text(share.typedPlace()));
    code->setText(text(share.typedCode()));
    card->column()->addWidget(fields);
    button->setObjectName(QStringLiteral("share-live"));
    card->column()->addWidget(button, 0, Qt::AlignLeft);
    card->column()->addWidget(state);
    view->setMinimumHeight(theme.scaled(kControlHeight) * 3);
    view->setMaximumHeight(theme.scaled(kControlHeight) * (kRowsShown + 1));
    QObject::connect(&theme, &Theme::changed, view, [this] {
        view->setMinimumHeight(context.theme().scaled(kControlHeight) * 3);
        view->setMaximumHeight(context.theme().scaled(kControlHeight) * (kRowsShown + 1));
    });
    card->column()->addWidget(view);

    // Names and titles are whatever somebody wrote.
    about->setTextFormat(Qt::PlainText);
    state->setTextFormat(Qt::PlainText);
    soon->setSingleShot(true);
    soon->setInterval(kPreviewMs);
    QObject::connect(soon, &QTimer::timeout, &panel, [this] { look(); });
    QObject::connect(button, &QPushButton::clicked, &panel, [this] { toggle(); });
    QObject::connect(&share, &LiveShare::changed, &panel, [this] { refresh(); });
    QObject::connect(&context.feedback(), &FeedbackWatch::changed, &panel, [this] { look(); });
    if (record::Store* store = context.store())
        QObject::connect(store, &record::Store::changed, &panel, [this] {
            if (panel.isVisible() && !soon->isActive())
                soon->start();
        });
}

void SharePanel::Parts::toggle()
{
    refused.reset();
    if (share.isOn()) {
        share.stop();
    } else if (auto started = share.start(assignment, place->text().toStdString(), code->text().toStdString());
               !started) {
        refused = started.error();
        (refused->code == "live-code" ? code : place)->setFocus();
        announce(&panel, asSentence(text(refused->message)));
    }
    refresh();
}

void SharePanel::Parts::look()
{
    notes = share.preview(assignment);
    refresh();
}

void SharePanel::Parts::refresh()
{
    const bool on = share.isOn();
    const bool here = share.assignment() == assignment.id;
    const bool sealed = !assignment.sealKey.empty();
    button->setText(on ? tr("Stop sharing") : tr("Start sharing"));
    button->setAccessibleName(on ? tr("Stop sharing live") : tr("Start sharing live"));
    button->setToolTip(on ? tr("Nothing is sent any more; what your teacher has seen stays with your teacher")
                          : tr("Sends what stands below to your teacher's computer until you stop"));
    button->setEnabled(on || sealed);
    place->setEnabled(!on && sealed);
    code->setEnabled(!on && sealed);

    const live::LiveSender& sender = share.sender();
    QString words, tone = QStringLiteral("muted");
    if (refused) {
        words = asSentence(text(refused->message)) + QLatin1Char(' ') + asSentence(text(refused->fix));
        tone = QStringLiteral("error");
    } else if (!sealed) {
        words = tr("This assignment was made without a key to seal messages to, so nothing can be shared live.");
    } else if (on && !here) {
        words = tr("Another assignment is shared at the moment.");
        tone = QStringLiteral("warn");
    } else if (sender.state() == live::LiveSender::State::Sharing) {
        words = tr("On. Your teacher's computer answers.");
        tone = QStringLiteral("ok");
    } else if (on) {
        words = tr("On. Looking for the session …");
        if (!sender.trouble().message.empty())
            words = tr("On, without a link. %1 It is tried again by itself.")
                        .arg(asSentence(text(sender.trouble().message)));
        tone = QStringLiteral("warn");
    } else if (!sender.trouble().message.empty()) {
        words = tr("Off. %1 %2")
                    .arg(asSentence(text(sender.trouble().message)),
                         sender.trouble().fix.empty() ? QString() : asSentence(text(sender.trouble().fix)));
    } else {
        words = tr("Off. Nothing is sent.");
    }
    if (state->text() != words) {
        state->setText(words.trimmed());
        setTone(state, tone);
        if (panel.isVisible())
            announce(&panel, words);
    }
    table->setRows(sharedRows(notes, sender.taken(), on && here));
}

SharePanel::SharePanel(AppContext& context, QWidget* parent)
    : QWidget(parent), d(std::make_unique<Parts>(*this, context))
{
    setAccessibleName(tr("Live view"));
    d->refresh();
}

SharePanel::~SharePanel() = default;

void SharePanel::setAssignment(const classroom::Assignment& assignment)
{
    d->assignment = assignment;
    d->refused.reset();
    const QString teacher = assignment.teacher.empty() ? tr("your teacher") : text(assignment.teacher);
    d->about->setText(tr("While this is on, %1 sees at which step of each lesson you are and what you predicted, under "
                         "the pseudonym %2. Type the address and the code that your teacher shows. It goes off when "
                         "the session ends or the program closes.")
                          .arg(teacher, d->share.pseudonym()));
    d->look();
}

} // namespace ridge::app

#include "moc_share_panel.cpp"
