-- SPDX-License-Identifier: GPL-2.0
--
-- Writes a table of one day anew below another directory, which must exist, with one file for each host
-- instead of one for each recording; for DuckDB 1.4 and later:
--
--	{ echo "SET VARIABLE lake = '/srv/lake'; SET VARIABLE target = '/srv/lake.new';
--		SET VARIABLE day = '2026-11-22'; SET VARIABLE name = 'site_minute';"; cat compact.sql; } | duckdb

COPY (
	SELECT * FROM read_parquet(
		getvariable('lake') || '/' || getvariable('name') || '/date=' || getvariable('day') || '/*/*.parquet',
		union_by_name = true, hive_partitioning = true, hive_types = { date: DATE, host: VARCHAR })
	ORDER BY host, minute
) TO (getvariable('target') || '/' || getvariable('name')) (
	FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date, host), FILENAME_PATTERN 'day', OVERWRITE_OR_IGNORE
);
