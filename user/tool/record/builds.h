/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_RECORD_BUILDS_H
#define LT_RECORD_BUILDS_H

/**
 * lt_record_builds() - the text of the block BUILDS
 * @sys: directory of sysfs: "/sys"
 * @modules: text of /proc/modules; NULL: it cannot be read
 *
 * What cannot be read is left out, or is "-": without root, places of sections are.
 * Return: the text, to be freed.
 */
char *lt_record_builds(const char *sys, const char *modules);

#endif /* LT_RECORD_BUILDS_H */
