// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of vmalloc areas, of per-CPU memory and of coherent memory of devices.
 *
 * They are found by their address, each kind among its own. What removes a vmalloc area also
 * removes areas of others (vmap, ioremap), whose making is no event. So an address of which
 * nothing is known is none of vmalloc, and an area that vmalloc made before the trace is not
 * in it.
 */
#include "format/channel.h"
#include "lifetimes/internal.h"

void lt_area_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	/* An event that changes a size is none by whose loss a lifetime is lost. */
	enum lt_space space = ev->class == LT_CLASS_VRESIZE ? LT_SPACE_VMALLOC :
			      lt_class_space(ev->class);
	struct lt_known k;
	bool held;

	held = lt_book_find(lf, space, ev->ptr, gap_end, &k);
	switch (ev->class) {
	case LT_CLASS_VMALLOC:
	case LT_CLASS_PERCPU_ALLOC:
	case LT_CLASS_DMA_ALLOC:
		if (held)
			lt_book_details(lf, &k);
		lt_book_apply(lf, &k, ev, lt_rule_birth(&lf->config, &k, ev));
		break;
	case LT_CLASS_VFREE:
	case LT_CLASS_PERCPU_FREE:
	case LT_CLASS_DMA_FREE:
		if (!held && ev->class == LT_CLASS_VFREE)
			break;
		if (held && (k.holder.flags & LT_OBJ_SPECIAL))
			lt_book_details(lf, &k);
		lt_book_apply(lf, &k, ev, lt_rule_free(&lf->config, &k, ev));
		break;
	case LT_CLASS_VRESIZE:
		if (held && !(k.holder.flags & LT_OBJ_UNBORN))
			lt_resize_put(&lf->resizes, &k.holder,
				      (struct lt_size){ ev->bytes_req, ev->bytes_alloc });
		break;
	}
}
