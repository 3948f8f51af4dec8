// SPDX-License-Identifier: GPL-3.0-or-later
#include "support.h"
int main(){}
