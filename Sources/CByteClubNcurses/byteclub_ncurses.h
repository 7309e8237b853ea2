// ncurses as Swift can see it.
//
// Macros, variadic functions and mutable globals do not cross into Swift 6, so
// each one that is needed has a function here. Nothing else is decided here.
#ifndef BYTECLUB_NCURSES_H
#define BYTECLUB_NCURSES_H

#define NCURSES_WIDECHAR 1
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

// From term.h, which defines hundreds of macros with everyday names.
extern int setupterm(const char *, int, int *);
extern int tigetflag(const char *);
extern int tigetnum(const char *);
extern char *tigetstr(const char *);
extern char *tparm(const char *, ...);

// The functions of wchar.h that glibc shows only to X/Open programs.
extern int wcwidth(wchar_t);
extern long syscall(long, ...);

/// Looks the terminal type up without touching the terminal: 1 found, 0 not
/// found or too simple, -1 no database.
static inline int byteclub_setup_terminal(const char *type, int descriptor) {
    int result = -1;
    if (setupterm(type, descriptor, &result) == OK) return 1;
    return result == -1 ? -1 : 0;
}

/// A terminal capability's string, or NULL when the terminal has none.
static inline const char *byteclub_capability(const char *name) {
    char *text = tigetstr(name);
    return text == (char *)-1 ? NULL : text;
}

static inline int byteclub_number_capability(const char *name) {
    return tigetnum(name);
}

static inline int byteclub_flag_capability(const char *name) {
    return tigetflag(name) == 1;
}

/// A capability with its parameters filled in. Valid until the next call.
static inline const char *byteclub_fill_in(const char *capability, int first, int second) {
    return tparm(capability, (long)first, (long)second, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
}

/// Opens a screen whose descriptors are duplicates: closing it leaves the
/// caller's descriptors alone.
static inline SCREEN *byteclub_new_screen(
    const char *type, FILE *output, FILE *input
) {
    return newterm(type, output, input);
}

/// Sets the modes a full-screen program wants: every key at once and unchanged,
/// no echo, function keys sent.
static inline void byteclub_set_modes(void) {
    raw();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    leaveok(stdscr, FALSE);
    scrollok(stdscr, FALSE);
    idlok(stdscr, FALSE);
}

static inline int byteclub_start_colors(void) {
    if (!has_colors()) return 0;
    if (start_color() != OK) return 0;
    use_default_colors();
    return COLORS;
}

static inline int byteclub_pair_limit(void) { return COLOR_PAIRS; }

static inline int byteclub_set_pair(int pair, int foreground, int background) {
    return init_extended_pair(pair, foreground, background);
}

enum {
    BYTECLUB_BOLD = 1,
    BYTECLUB_DIM = 2,
    BYTECLUB_ITALIC = 4,
    BYTECLUB_UNDERLINE = 8,
    BYTECLUB_REVERSE = 16
};

static inline attr_t byteclub_attributes(int bits) {
    attr_t result = WA_NORMAL;
    if (bits & BYTECLUB_BOLD) result |= WA_BOLD;
    if (bits & BYTECLUB_DIM) result |= WA_DIM;
    if (bits & BYTECLUB_ITALIC) result |= WA_ITALIC;
    if (bits & BYTECLUB_UNDERLINE) result |= WA_UNDERLINE;
    if (bits & BYTECLUB_REVERSE) result |= WA_REVERSE;
    return result;
}

/// Puts one cell's text: a spacing character and the marks that sit on it.
/// The count may not exceed CCHARW_MAX. ERR when ncurses refuses the text.
static inline int byteclub_put(
    int row, int column, const uint32_t *scalars, int count, int bits, int pair
) {
    wchar_t text[CCHARW_MAX + 1];
    cchar_t cell;
    if (count < 1 || count > CCHARW_MAX) return ERR;
    for (int i = 0; i < count; i++) text[i] = (wchar_t)scalars[i];
    text[count] = 0;
    if (setcchar(&cell, text, byteclub_attributes(bits), (short)pair, &pair) != OK) return ERR;
    // In the last cell of the screen add_wch reports ERR after drawing, because
    // the cursor has nowhere to go.
    mvadd_wch(row, column, &cell);
    return OK;
}

static inline int byteclub_marks_limit(void) { return CCHARW_MAX; }

static inline void byteclub_erase(void) { erase(); }

/// Makes the next update repaint every cell.
static inline void byteclub_repaint(void) { clearok(curscr, TRUE); }

/// A file in memory, or -1.
static inline int byteclub_memory_file(void) {
    return (int)syscall(SYS_memfd_create, "byteclub-frame", 1U /* MFD_CLOEXEC */);
}

/// Puts `source` in the place of `target`, closed when another program is run: 0, or -1.
static inline int byteclub_put_in_place(int source, int target) {
    return syscall(SYS_dup3, source, target, O_CLOEXEC) < 0 ? -1 : 0;
}

/// Makes the next update repaint one row.
static inline void byteclub_repaint_row(int row) { wredrawln(stdscr, row, 1); }

static inline void byteclub_update(int row, int column) {
    wmove(stdscr, row, column);
    wnoutrefresh(stdscr);
    doupdate();
}

static inline int byteclub_resize(int rows, int columns) {
    return resizeterm(rows, columns);
}

/// Rows and columns as the kernel knows them: 1 when it does.
static inline int byteclub_window_size(int descriptor, int *rows, int *columns) {
    struct winsize size;
    memset(&size, 0, sizeof size);
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    if (size.ws_row == 0 || size.ws_col == 0) return 0;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 1;
}

/// Pixels of the whole text area as the kernel knows them: 1 when the terminal has told it.
static inline int byteclub_window_pixels(int descriptor, int *width, int *height) {
    struct winsize size;
    memset(&size, 0, sizeof size);
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    if (size.ws_xpixel == 0 || size.ws_ypixel == 0) return 0;
    *width = size.ws_xpixel;
    *height = size.ws_ypixel;
    return 1;
}

static inline int byteclub_wcwidth(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

#endif
