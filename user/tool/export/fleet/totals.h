/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Totals: the tables of a fleet, of a trace that is being recorded and need not be kept.
 */
#ifndef LT_EXPORT_FLEET_TOTALS_H
#define LT_EXPORT_FLEET_TOTALS_H

#include "export/export.h"
#include "trace/sink.h"

/**
 * lt_totals_sink() - adds up lifetimes while they are recorded
 * @x: an exporter of tables
 * @dir: the directory that gets the tables; must stay
 *
 * Tables are site_minute and trace. They are published each hour, and when the recording ends. What
 * is in memory is what is alive, LT_MINUTE_ROWS rows, and the tasks and cgroups that there were.
 *
 * Return: NULL after printing why @dir cannot be written to.
 */
struct lt_sink *lt_totals_sink(const struct lt_exporter *x, const char *dir);

#endif /* LT_EXPORT_FLEET_TOTALS_H */
