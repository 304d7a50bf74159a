/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers in a packet.
 */
#ifndef LT_FLIGHT_MARKER_H
#define LT_FLIGHT_MARKER_H

#include "format/packet.h"
#include "format/schema.h"

/**
 * lt_packet_markers() - find the markers of a packet
 * @fn: is called for each, with its text, and its time in clock units
 */
void lt_packet_markers(const struct lt_packet *p, const struct lt_schema *schema,
		       void (*fn)(void *arg, const char *text, uint64_t clock), void *arg);

#endif /* LT_FLIGHT_MARKER_H */
