-- SPDX-License-Identifier: GPL-2.0
--
-- Made by `make -C Documentation tables` from the kinds of rows.
--
-- The table of `lifetrace export --format=parquet --tables=request`, as views.sql has the others.

CREATE OR REPLACE VIEW request AS SELECT * FROM read_parquet(
	getvariable('lake') || '/request/*/*/*.parquet', union_by_name = true,
	hive_partitioning = true, hive_types = { date: DATE, host: VARCHAR });
