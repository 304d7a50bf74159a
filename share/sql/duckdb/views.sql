-- SPDX-License-Identifier: GPL-2.0
--
-- Made by `make -C Documentation tables` from the kinds of rows.
--
-- The tables of `lifetrace export --format=parquet` for DuckDB, as views of the files below a
-- directory:
--
--	{ echo "SET VARIABLE lake = '/path/to/directory';"; cat views.sql QUESTION.sql; } | duckdb
--
-- Folders have date and host; a query that names them opens these files only.

CREATE OR REPLACE VIEW trace AS SELECT * FROM read_parquet(
	getvariable('lake') || '/trace/*/*/*.parquet', union_by_name = true,
	hive_partitioning = true, hive_types = { date: DATE, host: VARCHAR });

CREATE OR REPLACE VIEW site_minute AS SELECT * FROM read_parquet(
	getvariable('lake') || '/site_minute/*/*/*.parquet', union_by_name = true,
	hive_partitioning = true, hive_types = { date: DATE, host: VARCHAR });
