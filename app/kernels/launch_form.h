// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/launch_settings.h"
#include "app/theme/theme.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QVBoxLayout;

namespace ridge::app {

/// One argument of a launch as a person fills it in: what it is for, how many elements of which type, what stands in
/// them before the run. Its SPEC is what `ridge kernel run --arg` takes.
class ArgumentRow : public QWidget {
    Q_OBJECT
public:
    ArgumentRow(Theme& theme, const KernelParameterInfo& parameter, std::size_t number, const std::string& spec,
                QWidget* parent = nullptr);
    std::string spec() const;

Q_SIGNALS:
    void changed();

private:
    void take(const std::string& spec);
    void follow();

    KernelParameterInfo m_parameter;
    std::size_t m_number;
    QComboBox* m_role = nullptr; ///< of a buffer
    QComboBox* m_type;
    QLineEdit* m_value;           ///< of a scalar the value, of a buffer the number of elements
    QWidget* m_filling = nullptr; ///< the line of what stands in a buffer before the run
    QComboBox* m_fill = nullptr;
    QSpinBox* m_seed = nullptr;
    QLineEdit* m_file = nullptr;
    QLineEdit* m_fields = nullptr; ///< of what is passed by value: the whole SPEC
    QLabel* m_wrong;
    QString m_outFile; ///< where the result is written, as the SPEC said
};

/// Which kernel is launched and how. Remembers the launch of each kernel of the file.
class LaunchForm : public QWidget {
    Q_OBJECT
public:
    explicit LaunchForm(Theme& theme, QWidget* parent = nullptr);

    /// What was remembered: LaunchSettings by kernel; the one without a name is for the first kernel that has none.
    void setLaunches(const Json& launches, const std::string& chosen);
    Json launches() const;
    /// The kernels of the file as it compiles now.
    void setKernels(std::vector<CompiledKernel> kernels);
    const std::vector<CompiledKernel>& kernels() const { return m_kernels; }
    std::string kernel() const { return chosenKernel() ? m_chosen : std::string(); } ///< empty: there is none yet
    LaunchSettings launch() const;
    void setLaunch(const LaunchSettings& launch); ///< of the chosen kernel

Q_SIGNALS:
    void changed();
    void commandWanted();

private:
    void choose(const std::string& kernel);
    const CompiledKernel* chosenKernel() const;
    void fill(const LaunchSettings& launch);
    void note();

    Theme& m_theme;
    std::vector<CompiledKernel> m_kernels;
    std::string m_chosen, m_wanted;
    JsonValue m_launches;
    QComboBox* m_picker;
    QLabel* m_facts;
    QLineEdit *m_grid, *m_block, *m_cluster, *m_shared;
    QLabel* m_threads;
    QVBoxLayout* m_argumentPlace;
    std::vector<ArgumentRow*> m_rows;
    QCheckBox *m_check, *m_checkGlobal, *m_functional, *m_exact;
    QSpinBox *m_seconds, *m_memory;
    bool m_showing = false;
};

} // namespace ridge::app
