/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of the program: one file a command, of the command's name. args.c
 * and with_trace.c have what several commands share.
 */
#ifndef LT_CMD_CMD_H
#define LT_CMD_CMD_H

/*
 * All commands, in the order of `lifetrace help`: a row is the name and what the help prints
 * of it. The command NAME is the function lt_cmd_NAME().
 */
#define LT_COMMANDS(C)									\
	C(record,	"record a trace into a file")					\
	C(mark,		"write a marker into the trace that is being recorded")		\
	C(recover,	"write the trace of a recording that a panic ended")		\
	C(snapshot,	"let the flight recorder write what it has")			\
	C(info,		"what a trace holds: machine, clock, events watched, loss")	\
	C(dump,		"every event in time order")					\
	C(lifetimes,	"one line for each allocation's lifetime")			\
	C(report,	"top lists: what allocates, what is live, what is wasted")	\
	C(top,		"what is alive and what allocates, again and again, as top(1)")	\
	C(leaks,	"call sites whose objects are not freed")			\
	C(advice,	"what could be better in the use of memory")			\
	C(memory,	"the kernel's own figures of memory, and what explains them")	\
	C(tasks,	"one line for each task: birth, exit, what it used")		\
	C(tree,		"the forest of processes, with sums")				\
	C(ps,		"the running tasks, proven to be coherent")			\
	C(syscalls,	"the system calls, as strace prints them; or sums of them")	\
	C(hazards,	"where a tool that goes by pid numbers would have been wrong")	\
	C(plot,		"memory over time, in the terminal")				\
	C(diff,		"what changed between traces, or between two instants of one")	\
	C(check,	"whether a trace keeps a budget: rules for continuous integration")	\
	C(verify,	"prove from the file that nothing is missing")			\
	C(export,	"for Perfetto, pprof, heaptrack, SQL, flame graphs and other tools")	\
	C(html,		"a report as one page for a browser")				\
	C(boot,		"record a boot from the initramfs on")				\
	C(doctor,	"why tracing would not work here, and what to do")

/*
 * A command takes its own argv: argv[0] is "lifetrace NAME", so that argp's usage
 * text and messages name the whole command. Returns the exit status (enum
 * lt_exit).
 */
typedef int lt_cmd_fn(int argc, char **argv);

#define LT_COMMAND_DECLARE(name, help)	lt_cmd_fn lt_cmd_##name;
LT_COMMANDS(LT_COMMAND_DECLARE)

/* Not in the table: for the completions of the shells. */
lt_cmd_fn lt_cmd_complete;

#endif /* LT_CMD_CMD_H */
