/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_CMD_FORMATS_H
#define LT_CMD_FORMATS_H

#include "export/export.h"

/* All formats of `lifetrace export`; the array ends with NULL. */
extern const struct lt_exporter *const lt_exporters[];

#endif /* LT_CMD_FORMATS_H */
