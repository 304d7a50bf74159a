// SPDX-License-Identifier: GPL-2.0
/*
 * The formats of the tables of a fleet.
 */
#include "export/fleet/fleet.h"

static int begin_parquet(struct lt_export *e)
{
	return lt_fleet_begin(e, LT_FORMAT_PARQUET);
}

const struct lt_exporter lt_export_parquet = {
	.name = "parquet",
	.help = "tables for DuckDB, ClickHouse, Spark: sums a minute, tasks, lifetimes, system calls",
	.directory = true,
	.tables = true,
	.has_secrets = true,
	.begin = begin_parquet,
	.lifetime = lt_fleet_lifetime,
	.row = lt_fleet_row,
	.end = lt_fleet_end,
};

static int begin_tsv(struct lt_export *e)
{
	return lt_fleet_begin(e, LT_FORMAT_TSV);
}

const struct lt_exporter lt_export_clickhouse = {
	.name = "clickhouse",
	.help = "the same tables as text that every ClickHouse reads",
	.directory = true,
	.tables = true,
	.has_secrets = true,
	.begin = begin_tsv,
	.lifetime = lt_fleet_lifetime,
	.row = lt_fleet_row,
	.end = lt_fleet_end,
};
