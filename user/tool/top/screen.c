// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of lifetrace top: the terminal and its keys. Only this file and draw.c use ncurses.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "out/log.h"
#include "top/screen.h"

#ifdef LT_HAVE_CURSES

#include <locale.h>
#include <stdio.h>

#include "top/window.h"

/* The one that has the terminal; for the end of the program by lt_fatal(). */
static struct lt_screen *active;

/* ------------------------------------------------------------------------
 * The terminal
 */

static void keep_message(void *arg, enum lt_log_level level, const char *text)
{
	struct lt_screen *s = arg;

	snprintf(s->note, sizeof(s->note), "%s", text);
	if (s->n_messages == MESSAGES)
		return;
	s->messages[s->n_messages].level = level;
	s->messages[s->n_messages++].text = lt_strdup(text);
}

static void give_back(struct lt_screen *s)
{
	active = NULL;
	endwin();
	lt_log_to_stderr();
	for (size_t i = 0; i < s->n_messages; i++) {
		if (s->messages[i].level == LT_LOG_ERROR)
			lt_error("%s", s->messages[i].text);
		else
			lt_warn("%s", s->messages[i].text);
		free(s->messages[i].text);
	}
}

static void give_back_at_exit(void)
{
	if (active)
		give_back(active);
}

/* Where keys come from. NULL after lt_error(). */
static FILE *open_keys(const struct lt_top *top)
{
	bool is_trace = top->o->file && !strcmp(top->o->file, "-");
	FILE *in;

	if (!is_trace && isatty(STDIN_FILENO))
		return stdin;
	in = fopen("/dev/tty", "r+e");
	if (!in)
		lt_error("/dev/tty: %s; without a terminal for keys use --once or --json",
			 strerror(errno));
	return in;
}

/* Return: whether the terminal can do what is needed; ncurses has begun. */
static bool begin_curses(struct lt_screen *s, const char *term)
{
	const char *cup;

	setlocale(LC_ALL, "");
	s->terminal = newterm(term, stdout, s->in);
	if (!s->terminal) {
		lt_error("TERM=%s: this terminal is not known here; set TERM, or use --once or --json",
			 term);
		return false;
	}
	cup = tigetstr("cup");
	if (!cup || cup == (const char *)-1) {
		endwin();
		delscreen(s->terminal);
		lt_error("TERM=%s: this terminal cannot move its cursor; use --once or --json",
			 term);
		return false;
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	set_escdelay(50);
	return true;
}

struct lt_screen *lt_screen_open(struct lt_top *top)
{
	const char *term = getenv("TERM");
	static bool registered;
	struct lt_screen *s;
	FILE *in;

	if (!isatty(STDOUT_FILENO)) {
		lt_error("standard output: expected a terminal; use --once or --json");
		return NULL;
	}
	if (!term || !*term) {
		lt_error("TERM is not set: the terminal is not known; set TERM, or use --once or --json");
		return NULL;
	}
	in = open_keys(top);
	if (!in)
		return NULL;
	s = lt_alloc(sizeof(*s));
	s->top = top;
	s->in = in;
	s->own_in = in != stdin;
	if (!begin_curses(s, term)) {
		if (s->own_in)
			fclose(in);
		free(s);
		return NULL;
	}
	active = s;
	if (!registered)
		atexit(give_back_at_exit);
	registered = true;
	lt_set_log(keep_message, s);
	return s;
}

void lt_screen_close(struct lt_screen *s)
{
	if (!s)
		return;
	give_back(s);
	delscreen(s->terminal);
	if (s->own_in)
		fclose(s->in);
	lt_top_detail_destroy(&s->detail);
	free(s);
}

int lt_screen_fd(const struct lt_screen *s)
{
	return fileno(s->in);
}

int lt_screen_is_paused(const struct lt_screen *s)
{
	return s->paused;
}

/* ------------------------------------------------------------------------
 * Keys
 */

/* In the order in which b goes through them. */
static const enum lt_report_by order[] = {
	LT_BY_SITE, LT_BY_STACK, LT_BY_CACHE, LT_BY_PROCESS, LT_BY_TASK, LT_BY_CGROUP,
};

#define N_ORDER	(sizeof(order) / sizeof(order[0]))

static void group(struct lt_screen *s, enum lt_report_by by)
{
	struct lt_top *top = s->top;

	if (!top->l)
		return;
	if (!lt_top_has(top, by)) {
		snprintf(s->note, sizeof(s->note), by == LT_BY_STACK ?
			 "The trace has no stacks; record --stacks records them." :
			 "The trace does not have that.");
		return;
	}
	top->by = by;
	top->view.followed = false;
	s->first = 0;
	lt_top_make_table(top);
}

static void group_next(struct lt_screen *s, size_t step)
{
	size_t at = 0;

	while (at < N_ORDER && order[at] != s->top->by)
		at++;
	do
		at = (at + step) % N_ORDER;
	while (!lt_top_has(s->top, order[at]));
	group(s, order[at]);
}

static void sort_by(struct lt_screen *s, size_t column)
{
	struct lt_top_view *v = &s->top->view;

	v->by = column;
	v->sort = v->columns[column]->name;
	v->reverse = false;
	lt_top_view_sort(v);
	snprintf(s->note, sizeof(s->note), "Sorted by %s.", v->sort);
}

static void search(struct lt_screen *s, int step)
{
	if (*s->search && !lt_top_view_search(&s->top->view, s->search, step))
		snprintf(s->note, sizeof(s->note), "There is no row with '%.60s' in its name.",
			 s->search);
}

static void end_prompt(struct lt_screen *s, bool done)
{
	struct lt_top_view *v = &s->top->view;

	if (done && s->prompt == FILTER) {
		memcpy(v->filter, s->text, sizeof(v->filter));
		if (s->top->l)
			lt_top_make_table(s->top);
		s->first = 0;
	}
	s->prompt = NO_PROMPT;
}

static void prompt_key(struct lt_screen *s, int key)
{
	size_t len = strlen(s->text);

	switch (key) {
	case 27:
		end_prompt(s, false);
		return;
	case '\r':
	case '\n':
	case KEY_ENTER:
		end_prompt(s, true);
		return;
	case KEY_BACKSPACE:
	case 127:
	case 8:
		/* A character of UTF-8 is removed as a whole. */
		while (len && ((unsigned char)s->text[--len] & 0xc0) == 0x80)
			;
		s->text[len] = 0;
		break;
	case 21:	/* ^U */
		s->text[0] = 0;
		break;
	default:
		if (key < ' ' || key > 255 || len + 1 >= sizeof(s->text))
			return;
		s->text[len] = (char)key;
		s->text[len + 1] = 0;
	}
	/* As one types, the selection goes to what fits. */
	if (s->prompt == SEARCH) {
		memcpy(s->search, s->text, sizeof(s->search));
		search(s, 0);
	}
}

static void ask(struct lt_screen *s, enum prompt prompt)
{
	s->prompt = prompt;
	snprintf(s->text, sizeof(s->text), "%s", prompt == FILTER ? s->top->view.filter : "");
}

static void move_by(struct lt_screen *s, long n)
{
	if (s->mode == TABLE)
		lt_top_view_select(&s->top->view, (long)s->top->view.selected + n);
	else
		s->scroll = n < 0 && (size_t)-n > s->scroll ? 0 : s->scroll + (size_t)n;
}

static void show_detail(struct lt_screen *s)
{
	struct lt_top_view *v = &s->top->view;
	size_t selected = v->selected;

	if (!v->n)
		return;
	lt_top_view_select(v, (long)selected);
	v->followed = true;
	s->mode = DETAIL;
	s->scroll = 0;
	lt_top_detail_make(&s->detail, s->top, (unsigned int)COLS);
}

/* Keys that move. Return: whether it was one. */
static bool move_key(struct lt_screen *s, int key)
{
	long page = s->mode == TABLE ? (long)lt_screen_rows() : LINES - 2;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(s, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		move_by(s, 1);
		return true;
	case KEY_PPAGE:
		move_by(s, -page);
		return true;
	case KEY_NPAGE:
		move_by(s, page);
		return true;
	case KEY_HOME:
		move_by(s, -1000000000L);
		return true;
	case KEY_END:
		move_by(s, 1000000000);
		return true;
	default:
		return false;
	}
}

static bool sort_key(struct lt_screen *s, int key)
{
	struct lt_top_view *v = &s->top->view;

	if (!v->n_shown)
		return false;	/* there was no table yet */
	switch (key) {
	case '<':
		sort_by(s, (v->by + v->n_shown - 1) % v->n_shown);
		return true;
	case '>':
	case KEY_F(6):
		sort_by(s, v->by + 1 < v->n_shown ? v->by + 1 : 0);
		return true;
	case 'r':
	case 'I':
		v->reverse = !v->reverse;
		lt_top_view_sort(v);
		return true;
	}
	for (size_t i = 0; i < v->n_shown; i++) {
		if (key == lt_top_look(v->columns[i])->key) {
			sort_by(s, i);
			return true;
		}
	}
	return false;
}

static bool look_key(struct lt_screen *s, int key)
{
	switch (key) {
	case 'b':
	case KEY_F(5):
		group_next(s, 1);
		return true;
	case 'B':
		group_next(s, N_ORDER - 1);
		return true;
	case '/':
	case KEY_F(3):
		ask(s, SEARCH);
		return true;
	case 'n':
		search(s, 1);
		return true;
	case 'N':
		search(s, -1);
		return true;
	case '\\':
	case KEY_F(4):
		ask(s, FILTER);
		return true;
	case ' ':
		s->paused = !s->paused;
		s->top->next_draw_ns = 0;
		return true;
	case '\r':
	case '\n':
	case KEY_ENTER:
		show_detail(s);
		return true;
	}
	if (key >= '1' && key < '1' + (int)N_ORDER) {
		group(s, order[key - '1']);
		return true;
	}
	return false;
}

/* Return: whether the user wants to quit. */
static bool take_key(struct lt_screen *s, int key)
{
	s->note[0] = 0;
	if (s->prompt != NO_PROMPT) {
		prompt_key(s, key);
		return false;
	}
	if (key == 'q' || key == KEY_F(10) || key == 27) {
		if (s->mode == TABLE)
			return key != 27;
		s->mode = TABLE;
		return false;
	}
	if (move_key(s, key))
		return false;
	if (key == 'h' || key == '?' || key == KEY_F(1)) {
		s->mode = HELP;
		s->scroll = 0;
	} else if (s->mode != TABLE) {
		return false;
	} else if (!look_key(s, key)) {
		sort_key(s, key);
	}
	return false;
}

int lt_screen_keys(struct lt_screen *s)
{
	struct pollfd fd = { .fd = fileno(s->in), .events = POLLIN };
	bool taken = false;
	int key;

	if (poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL))
		return -1;
	while ((key = getch()) != ERR) {
		if (key == KEY_RESIZE)
			erase();
		else if (take_key(s, key))
			return 1;
		taken = true;
	}
	if (taken)
		lt_screen_draw(s);
	return 0;
}

#else /* LT_HAVE_CURSES */

struct lt_screen *lt_screen_open(struct lt_top *top)
{
	(void)top;
	lt_error("this lifetrace was built without ncurses, so it has no screen; use --once or --json");
	return NULL;
}

void lt_screen_close(struct lt_screen *s)
{
	(void)s;
}

int lt_screen_fd(const struct lt_screen *s)
{
	(void)s;
	return -1;
}

int lt_screen_keys(struct lt_screen *s)
{
	(void)s;
	return 0;
}

void lt_screen_draw(struct lt_screen *s)
{
	(void)s;
}

int lt_screen_is_paused(const struct lt_screen *s)
{
	(void)s;
	return 0;
}

#endif /* LT_HAVE_CURSES */
