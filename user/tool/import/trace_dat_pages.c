// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a trace.dat that the library leaves out.
 *
 * A page that it cannot read ends a CPU, and one that seems to be empty is left out, without an
 * error of either. The offset of each record says its page: so pages without a record are found.
 */
#ifdef LT_HAVE_TRACEEVENT

#include <inttypes.h>

#include "base/mem.h"
#include "import/trace_dat.h"
#include "out/log.h"

static uint64_t page_size(const struct lt_dat *r)
{
	return 1ULL << r->source.machine.page_shift;
}

struct lt_dat_cpu *lt_dat_cpu(struct lt_dat *r, int cpu)
{
	if ((size_t)cpu >= r->n_cpus)
		r->cpus = lt_extend(r->cpus, &r->n_cpus, (size_t)cpu + 1, sizeof(*r->cpus));
	return &r->cpus[cpu];
}

/* The cursor of a CPU that nothing is read of is in its first page. */
void lt_dat_pages_begin(struct lt_dat *r)
{
	int n = 0;

	if (r->extra.cpus && r->extra.get_cursor && r->extra.get_cpu_file_size)
		n = r->extra.cpus(r->handle);
	for (int cpu = 0; cpu < n && cpu < (int)LT_IMPORT_MAX_CPU; cpu++) {
		uint64_t size = r->extra.get_cpu_file_size(r->handle, cpu);
		struct lt_dat_cpu *c = lt_dat_cpu(r, cpu);

		if (!size || size > UINT64_MAX / 2)
			continue;
		c->next = r->extra.get_cursor(r->handle, cpu) & ~(page_size(r) - 1);
		c->end = c->next + size;
	}
}

static void warn(const struct lt_dat *r, int cpu, uint64_t from, uint64_t to)
{
	lt_warn("%s: CPU %d: expected records in the pages at offset %" PRIu64 " to %" PRIu64
		", found none that can be read; what they had is lost", r->path, cpu, from, to);
}

bool lt_dat_pages_left(struct lt_dat *r, const struct tep_record *rec)
{
	struct lt_dat_cpu *c = lt_dat_cpu(r, rec->cpu);
	uint64_t page = rec->offset & ~(page_size(r) - 1);
	bool left = c->end && page > c->next;

	if (left)
		warn(r, rec->cpu, c->next, page);
	if (page >= c->next)
		c->next = page + page_size(r);
	return left;
}

/* From the last record of the CPU to the end of the trace. */
void lt_dat_pages_end(struct lt_dat *r)
{
	for (size_t i = 0; i < r->n_cpus; i++) {
		const struct lt_dat_cpu *c = &r->cpus[i];
		const struct lt_import_loss loss = {
			.cpu = (uint32_t)i, .from = c->last ? c->last : r->first, .to = r->end,
		};

		if (c->next >= c->end)
			continue;
		warn(r, (int)i, c->next, c->end);
		lt_import_lost(r->f->im, &loss);
	}
}

#endif /* LT_HAVE_TRACEEVENT */
