/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine "bpf".
 */
#ifndef LT_BPF_ENGINE_H
#define LT_BPF_ENGINE_H

#include "base/why.h"

struct lt_engine;

/* BPF programs, where no module may be loaded. */
struct lt_engine *lt_engine_bpf(void);

#endif /* LT_BPF_ENGINE_H */
