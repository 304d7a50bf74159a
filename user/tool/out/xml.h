/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pieces of XML, for pictures.
 */
#ifndef LT_OUT_XML_H
#define LT_OUT_XML_H

#include "base/out.h"

#define LT_XML_SCALE	1000	/* coordinates are in thousandths */

/* Text that is UTF-8 without control characters; XML has two characters fewer than that. */
void lt_xml_text(struct lt_out *o, const char *s, size_t len);

/* NAME="VALUE", of a coordinate in thousandths. */
void lt_xml_point(struct lt_out *o, const char *name, uint64_t v);

#endif /* LT_OUT_XML_H */
