// SPDX-License-Identifier: GPL-2.0
/*
 * The formats of `lifetrace export`.
 */
#include "cmd/formats.h"

#define ROW(name)	&lt_export_##name,
const struct lt_exporter *const lt_exporters[] = { LT_EXPORT_FORMATS(ROW) NULL };
