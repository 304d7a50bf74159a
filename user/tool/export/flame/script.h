/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a flame graph has in it beside its frames.
 */
#ifndef LT_EXPORT_FLAME_SCRIPT_H
#define LT_EXPORT_FLAME_SCRIPT_H

#define LT_FLAME_WIDTH	1200
#define LT_FLAME_MARGIN	10
#define LT_FLAME_CHAR	7	/* the width of a character, about */

/* The colors, for light and dark screens: classes k0 to k8 by enum lt_frame_kind. */
extern const char lt_flame_style[];

/* Zoom, search, what the mouse is over. Without it the graph is there as a whole. */
extern const char lt_flame_script[];

#endif /* LT_EXPORT_FLAME_SCRIPT_H */
