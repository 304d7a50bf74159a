-- SPDX-License-Identifier: GPL-2.0
--
-- Made by `make -C Documentation tables` from the kinds of rows.
--
-- The table of `lifetrace export --format=parquet --tables=syscall`, as views.sql has the others.

CREATE OR REPLACE VIEW syscall AS SELECT * FROM read_parquet(
	getvariable('lake') || '/syscall/*/*/*.parquet', union_by_name = true,
	hive_partitioning = true, hive_types = { date: DATE, host: VARCHAR });
