// SPDX-License-Identifier: GPL-2.0
/* The same for lengths. */
int planted_same;

/* Likewise for caches, if the packet told the reader. */
int planted_likewise;
