/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of the program: one file a command, of the command's name. args.c
 * and with_trace.c have what several commands share.
 */
#ifndef LT_CMD_CMD_H
#define LT_CMD_CMD_H

/*
 * All commands, in the order of `lifetrace help`: G() begins a group, C() is a command: its name,
 * and what the help prints of it. The command NAME is the function lt_cmd_NAME().
 */
#define LT_COMMANDS(G, C)								\
	G("Record")									\
	C(record,	"record a trace into a file")					\
	C(mark,		"write a marker into the trace that is being recorded")		\
	C(snapshot,	"let the flight recorder write what it has")			\
	C(boot,		"record a boot from the initramfs on")				\
	C(recover,	"write the trace of a recording that a panic ended")		\
	C(send,		"send a trace on, and keep it while the connection is broken")	\
	C(receive,	"write traces that other machines send")			\
	C(import,	"what another tool has recorded, as a trace")			\
	C(doctor,	"why tracing would not work here, and what to do")		\
	G("Memory: what allocates, what stays, what leaks")				\
	C(report,	"one screen: how sure, what is alive, what allocates; lists")	\
	C(leaks,	"call sites whose objects are not freed")			\
	C(top,		"what is alive and what allocates, again and again, as top(1)")	\
	C(lifetimes,	"one line for each allocation's lifetime")			\
	C(history,	"what was at an address; the addresses of an oops explained")	\
	C(advice,	"what could be better in the use of memory")			\
	C(memory,	"the kernel's own figures of memory, and what explains them")	\
	C(plot,		"memory over time, in the terminal")				\
	G("Tasks and system calls")							\
	C(tasks,	"one line for each task: birth, exit, what it used")		\
	C(tree,		"the forest of processes, with sums")				\
	C(engines,	"a command under several engines: what each sees, loses and costs")	\
	C(ps,		"the running tasks, proven to be coherent")			\
	C(hazards,	"where pid reuse misleads tools that identify processes by number")	\
	C(resolve,	"lines of strace, the journal, audit and others: which task each means")	\
	C(syscalls,	"the system calls, as strace prints them; or sums of them")	\
	C(calls,	"calls of functions of the kernel: which can be recorded")		\
	G("Compare and prove")								\
	C(diff,		"what changed between traces, or between two instants of one")	\
	C(check,	"whether a trace keeps a budget: rules for continuous integration")	\
	C(verify,	"prove from the file that nothing is missing")			\
	C(info,		"what a trace holds: machine, clock, events watched, loss")	\
	C(dump,		"every event in time order")					\
	G("Take it elsewhere")								\
	C(html,		"a report as one page for a browser")				\
	C(cut,		"a window of a trace, as a trace of its own")			\
	C(export,	"for Perfetto, pprof, heaptrack, SQL, flame graphs and other tools")

/*
 * A command takes its own argv: argv[0] is "lifetrace NAME", so that argp's usage
 * text and messages name the whole command. Returns the exit status (enum
 * lt_exit).
 */
typedef int lt_cmd_fn(int argc, char **argv);

#define LT_COMMAND_NO_GROUP(title)
#define LT_COMMAND_DECLARE(name, help)	lt_cmd_fn lt_cmd_##name;
LT_COMMANDS(LT_COMMAND_NO_GROUP, LT_COMMAND_DECLARE)

/* Not in the table: for the completions of the shells. */
lt_cmd_fn lt_cmd_complete;

#endif /* LT_CMD_CMD_H */
