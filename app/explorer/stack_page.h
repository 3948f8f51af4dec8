// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene_view.h"
#include "app/explorer/matmul_stack.h"
#include "app/session/app_context.h"
#include "app/session/run_controller.h"
#include "app/ui/page.h"

#include <optional>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace ridge::app {

class Banner;
class Card;
class ColumnScroll;
class KernelJob;

/// One product, Y = XW + b, from the graph of a framework down to the die: nine stops, each with a number that an
/// engine gives for the sizes above, the lesson that explains it and the place where it runs. Pages are "stack" and
/// "stack/kernel", and "stack/32x784x256" for other sizes.
class StackPage : public Page {
    Q_OBJECT
public:
    explicit StackPage(AppContext& context, QWidget* parent = nullptr);
    ~StackPage() override;

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("One matmul through the stack"); }
    QString part() const override { return m_part; }
    QList<QWidget*> panes() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;

    const MatmulStack& stack() const { return m_stack; }
    const MatmulQuestion& question() const { return m_question; }
    QPlainTextEdit* source() const { return m_source; }
    QPlainTextEdit* ptx() const { return m_ptx; } ///< hidden until it was compiled
    SceneView* waves() const { return m_waves; }  ///< of the stop "rtl"; hidden until it was simulated

private:
    struct Shown {
        Card* card = nullptr;
        QPushButton* jump = nullptr;
        QLabel* key = nullptr;
        QVBoxLayout* says = nullptr;
        std::vector<QLabel*> lines;
    };

    QWidget* makeSettings();
    void makeStops();
    void makeCode(QVBoxLayout* column);
    void makeWaves(QVBoxLayout* column);
    void makeDie(QVBoxLayout* column);
    QSpinBox* addSize(QLayout* row, const QString& name, int value, int most, const QString& help);
    void ask(); ///< everything from the settings
    void compile();
    void showPtx(const JsonValue& document);
    void simulate(const std::string& experiment);
    void takeRun(const record::RunRow& row);
    void goTo(int stop);

    AppContext& m_context;
    std::optional<silicon::Catalogue> m_catalogue;
    MatmulQuestion m_question;
    MatmulStack m_stack;
    QString m_part;
    std::vector<Shown> m_shown;
    KernelJob* m_job = nullptr;
    ColumnScroll* m_scroll = nullptr;
    Banner* m_banner = nullptr;
    QWidget* m_strip = nullptr;
    QSpinBox *m_rows = nullptr, *m_inner = nullptr, *m_columns = nullptr, *m_row = nullptr, *m_column = nullptr;
    QComboBox *m_chip = nullptr, *m_die = nullptr;
    QDoubleSpinBox *m_area = nullptr, *m_defects = nullptr, *m_wafer = nullptr;
    QPlainTextEdit *m_source = nullptr, *m_ptx = nullptr;
    QPushButton* m_compile = nullptr;
    QLabel* m_compiled = nullptr;
    RunController* m_run = nullptr;
    QPushButton* m_simulate = nullptr;
    QLabel* m_simulated = nullptr;
    SceneView* m_waves = nullptr;
    std::optional<Error> m_noSimulator; ///< why the array in C++ is shown instead
    bool m_filling = false;
};

} // namespace ridge::app
