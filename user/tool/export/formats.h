/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The formats of `lifetrace export`: the row NAME stands for the exporter lt_export_NAME.
 */
#ifndef LT_EXPORT_FORMATS_H
#define LT_EXPORT_FORMATS_H

#define LT_EXPORT_FORMATS(F)	\
	F(clickhouse)		\
	F(ctf)			\
	F(collapsed)		\
	F(dhat)			\
	F(flamegraph)		\
	F(heaptrack)		\
	F(parquet)		\
	F(perfetto)		\
	F(pprof)		\
	F(sqlite)		\
	F(sql)

#endif /* LT_EXPORT_FORMATS_H */
