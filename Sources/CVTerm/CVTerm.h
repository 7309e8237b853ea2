/// A terminal for tests: libvterm, and the pseudo-terminal calls that Swift cannot make itself.
///
/// libvterm's unions, bit-fields and varied callbacks are flattened here, and `fork` (which Swift
/// refuses) happens here: between it and `execve` only async-signal-safe calls are made.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vterm.h>

// MARK: - The pseudo-terminal

/// Opens a pseudo-terminal; neither end is inherited by a program started meanwhile.
///
/// Straight from the kernel: the C library's calls would need `_GNU_SOURCE`, with which this module
/// and Swift's own would see two different C libraries. Returns 0, or an errno.
static inline int byteclub_open_terminal(int *master, int *slave, int rows, int columns) {
    int unlocked = 0;
    struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };
    *slave = -1;
    *master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*master < 0) return errno;
    if (ioctl(*master, TIOCSPTLCK, &unlocked) == 0
        && (*slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC)) >= 0
        && ioctl(*master, TIOCSWINSZ, &size) == 0) {
        fcntl(*master, F_SETFL, fcntl(*master, F_GETFL) | O_NONBLOCK);
        return 0;
    }
    int reason = errno;
    if (*slave >= 0) close(*slave);
    close(*master);
    return reason;
}

/// A pipe that a program started meanwhile does not inherit. Returns 0, or an errno.
static inline int byteclub_open_pipe(int *reading, int *writing) {
    int ends[2];
    if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0) return errno;
    *reading = ends[0];
    *writing = ends[1];
    fcntl(*reading, F_SETFL, O_NONBLOCK);
    return 0;
}

/// The signals a program must not inherit as ignored or blocked.
static inline void byteclub_reset_signals(void) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/// Nothing that another test has open reaches the program.
static inline void byteclub_close_on_exec_from(int first) {
    const unsigned close_on_exec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
    if (syscall(SYS_close_range, (unsigned)first, ~0U, close_on_exec) == 0) return;
    for (int descriptor = first; descriptor < 4096; descriptor++)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/// Starts a program as the leader of a session whose terminal is `slave`.
///
/// Its descriptors are the terminal as 0, 1 and 2, and `inherited` (when not negative) as 3.
/// Returns the process, or minus an errno: the program's own failure to start is told too.
static inline int byteclub_spawn_in_terminal(
    int slave, int inherited, const char *directory, const char *program,
    char *const arguments[], char *const environment[]
) {
    int report[2];
    int unopened = byteclub_open_pipe(&report[0], &report[1]);
    if (unopened != 0) return -unopened;
    fcntl(report[0], F_SETFL, 0);
    pid_t child = fork();
    if (child == 0) {
        // 100 and up: out of the way of the numbers handed to the program.
        int end = fcntl(report[1], F_DUPFD_CLOEXEC, 100);
        int terminal = fcntl(slave, F_DUPFD_CLOEXEC, 100);
        int told = inherited >= 0 ? fcntl(inherited, F_DUPFD_CLOEXEC, 100) : -1;
        struct rlimit no_core = { 0, 0 };
        byteclub_reset_signals();
        setrlimit(RLIMIT_CORE, &no_core);
        if (end >= 0 && terminal >= 0 && (inherited < 0 || told >= 0) && setsid() >= 0
            && ioctl(terminal, TIOCSCTTY, 0) == 0 && dup2(terminal, 0) == 0
            && dup2(terminal, 1) == 1 && dup2(terminal, 2) == 2
            && (told < 0 || dup2(told, 3) == 3) && chdir(directory) == 0) {
            byteclub_close_on_exec_from(told < 0 ? 3 : 4);
            execve(program, arguments, environment);
        }
        int reason = errno;
        ssize_t ignored = write(end >= 0 ? end : report[1], &reason, sizeof reason);
        (void)ignored;
        _exit(127);
    }
    int reason = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        ssize_t count;
        do count = read(report[0], &reason, sizeof reason); while (count < 0 && errno == EINTR);
        if (count == (ssize_t)sizeof reason) waitpid(child, NULL, 0);
    }
    close(report[0]);
    return reason != 0 ? -reason : child;
}

static inline int byteclub_set_terminal_size(int master, int rows, int columns) {
    struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };
    return ioctl(master, TIOCSWINSZ, &size) == 0 ? 0 : errno;
}

/// The process group that keys like ^C would signal, or -1.
static inline int byteclub_foreground_group(int master) {
    pid_t group = -1;
    return ioctl(master, TIOCGPGRP, &group) == 0 ? group : -1;
}

// MARK: - The life of a process

enum {
    BYTECLUB_LIFE_UNKNOWN, BYTECLUB_LIFE_EXITED, BYTECLUB_LIFE_SIGNALLED, BYTECLUB_LIFE_STOPPED,
    BYTECLUB_LIFE_CONTINUED,
};

/// Waits for the next change in a child's life.
///
/// `value` becomes the exit status, or the number of the signal.
static inline int byteclub_wait_for_change(int child, int *value) {
    int status;
    pid_t changed;
    do changed = waitpid(child, &status, WUNTRACED | WCONTINUED);
    while (changed < 0 && errno == EINTR);
    if (changed != child) return BYTECLUB_LIFE_UNKNOWN;
    if (WIFEXITED(status)) { *value = WEXITSTATUS(status); return BYTECLUB_LIFE_EXITED; }
    if (WIFSIGNALED(status)) { *value = WTERMSIG(status); return BYTECLUB_LIFE_SIGNALLED; }
    if (WIFSTOPPED(status)) { *value = WSTOPSIG(status); return BYTECLUB_LIFE_STOPPED; }
    if (WIFCONTINUED(status)) { *value = SIGCONT; return BYTECLUB_LIFE_CONTINUED; }
    return BYTECLUB_LIFE_UNKNOWN;
}

// MARK: - libvterm

enum {
    BYTECLUB_CELL_BOLD = 1, BYTECLUB_CELL_UNDERLINE = 2, BYTECLUB_CELL_ITALIC = 4,
    BYTECLUB_CELL_BLINK = 8, BYTECLUB_CELL_REVERSE = 16, BYTECLUB_CELL_STRIKE = 32,
};

/// A cell with plain members. A color is -1 (the terminal's own), 0…255 (palette), or
/// 0x1000000 | red << 16 | green << 8 | blue.
typedef struct {
    uint32_t scalars[VTERM_MAX_CHARS_PER_CELL];
    int width;
    unsigned attributes;
    int32_t foreground;
    int32_t background;
} byteclub_cell;

static inline int32_t byteclub_color(const VTermColor *color) {
    if (color->type & VTERM_COLOR_DEFAULT_MASK) return -1;
    if (VTERM_COLOR_IS_INDEXED(color)) return color->indexed.idx;
    return 0x1000000 | color->rgb.red << 16 | color->rgb.green << 8 | color->rgb.blue;
}

static inline bool byteclub_get_cell(VTermScreen *screen, int row, int column, byteclub_cell *out) {
    VTermScreenCell cell;
    VTermPos position = { .row = row, .col = column };
    memset(&cell, 0, sizeof cell);
    if (!vterm_screen_get_cell(screen, position, &cell)) return false;
    memcpy(out->scalars, cell.chars, sizeof out->scalars);
    out->width = cell.width;
    out->attributes = (cell.attrs.bold ? BYTECLUB_CELL_BOLD : 0)
        | (cell.attrs.underline ? BYTECLUB_CELL_UNDERLINE : 0)
        | (cell.attrs.italic ? BYTECLUB_CELL_ITALIC : 0)
        | (cell.attrs.blink ? BYTECLUB_CELL_BLINK : 0)
        | (cell.attrs.reverse ? BYTECLUB_CELL_REVERSE : 0)
        | (cell.attrs.strike ? BYTECLUB_CELL_STRIKE : 0);
    out->foreground = byteclub_color(&cell.fg);
    out->background = byteclub_color(&cell.bg);
    return true;
}

/// What a screen remembers beside its cells; filled in by its callbacks.
typedef struct {
    bool cursor_visible;
    bool alternate_screen;
    int mouse;
    unsigned bell_count;
    /// Answers to the program's questions (cursor position, kind of terminal) not sent yet.
    char reply[512];
    size_t reply_length;
} byteclub_properties;

static inline void byteclub_keep_reply(const char *bytes, size_t count, void *user) {
    byteclub_properties *properties = (byteclub_properties *)user;
    if (count > sizeof properties->reply - properties->reply_length) return;
    memcpy(properties->reply + properties->reply_length, bytes, count);
    properties->reply_length += count;
}

static inline int byteclub_set_property(VTermProp property, VTermValue *value, void *user) {
    byteclub_properties *properties = (byteclub_properties *)user;
    switch (property) {
    case VTERM_PROP_CURSORVISIBLE: properties->cursor_visible = value->boolean; break;
    case VTERM_PROP_ALTSCREEN: properties->alternate_screen = value->boolean; break;
    case VTERM_PROP_MOUSE: properties->mouse = value->number; break;
    default: break;
    }
    return 1;
}

static inline int byteclub_ring_bell(void *user) {
    ((byteclub_properties *)user)->bell_count += 1;
    return 1;
}

/// A new UTF-8 terminal with an alternate screen; `properties` must outlive it.
static inline VTerm *byteclub_new_vterm(int rows, int columns, byteclub_properties *properties) {
    static const VTermScreenCallbacks callbacks = {
        .settermprop = byteclub_set_property, .bell = byteclub_ring_bell,
    };
    VTerm *terminal = vterm_new(rows, columns);
    if (terminal == NULL) return NULL;
    vterm_set_utf8(terminal, 1);
    vterm_output_set_callback(terminal, byteclub_keep_reply, properties);
    properties->cursor_visible = true;
    VTermScreen *screen = vterm_obtain_screen(terminal);
    vterm_screen_set_callbacks(screen, &callbacks, properties);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_reset(screen, 1);
    return terminal;
}
