#ifndef BYTECLUB_CPICTUREWORKER_H
#define BYTECLUB_CPICTUREWORKER_H

// Pictures are decoded in a process apart: a program that links Pictures starts itself once more, and
// what is started turns into a worker before the program's own `main`, gives up every right it can give
// up, and decodes what it is handed as open descriptors. See docs/Decisions.md.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: - In the program

// Starts a worker: in a session of its own, with no descriptor of the program except its socket. Returns 0 or an
// error number. The worker dies with the calling thread, and must be waited for.
//
// - environment: `NAME=value`, NULL behind the last. All it gets.
typedef enum {
    BYTECLUB_PICTURE_USUAL, // JPEG and PNG
    BYTECLUB_PICTURE_WEBP,
    BYTECLUB_PICTURE_HEIF, // HEIC and AVIF
    BYTECLUB_PICTURE_TIFF,
    BYTECLUB_PICTURE_SIMPLE, // GIF, BMP and PNM
} byteclub_picture_kind;
int byteclub_picture_worker_start(
    const char *_Nullable const *_Nonnull environment, byteclub_picture_kind kind,
    pid_t *_Nonnull process, int *_Nonnull socket);

// Limits a worker from outside: it cannot change its limits itself. Only the soft limit moves.
typedef enum {
    BYTECLUB_PICTURE_MEMORY,         // bytes of private memory (RLIMIT_DATA)
    BYTECLUB_PICTURE_PROCESSOR_TIME, // seconds of all its life (RLIMIT_CPU)
    BYTECLUB_PICTURE_FILE_SIZE,      // bytes of what it writes (RLIMIT_FSIZE)
} byteclub_picture_resource;
bool byteclub_picture_set_limit(
    pid_t process, byteclub_picture_resource resource, uint64_t limit);

// The seconds of a processor that a process has used, or a negative number.
double byteclub_picture_processor_time(pid_t process);

// Shared memory of a fixed size that no path leads to. The descriptor, or -1 with errno.
int byteclub_picture_make_memory(size_t byte_count);

// A new file without a name in a folder. Where the file system has no such files, one that loses its
// name at once. The descriptor, or -1 with errno.
int byteclub_picture_open_nameless(const char *_Nonnull folder);

// MARK: - Between the two

typedef enum {
    BYTECLUB_PICTURE_PIXELS = 1, // into the strip
    BYTECLUB_PICTURE_SMALL,      // encoded, into the strip
    BYTECLUB_PICTURE_EMBEDDED,   // encoded, into the strip
    BYTECLUB_PICTURE_REENCODE,   // encoded, into a file
    BYTECLUB_PICTURE_DETAILS,    // text, into the strip
    BYTECLUB_PICTURE_PART,       // pixels of a part at full size, into the strip
    BYTECLUB_PICTURE_PROBE,      // for tests: see below
} byteclub_picture_task;

// What the worker is asked for. With it come descriptors: the picture's file, what the result is
// written to (shared memory or a file), and scratch files.
typedef struct {
    uint32_t task;
    uint32_t mode; // of Thumbnail.Mode, from 1; 0: at its own size
    uint32_t box_width, box_height;
    uint32_t left, top; // of a part, as shown; its size is the box's
    uint32_t format; // 0: JPEG, 1: PNG
    uint32_t number; // of the probe; re-encoding: 1 to keep the location
    double quality;
    uint64_t strip_byte_count;
} byteclub_picture_request;

typedef enum {
    BYTECLUB_PICTURE_READY = 1,
    BYTECLUB_PICTURE_PROGRESS,
    BYTECLUB_PICTURE_DONE,
    BYTECLUB_PICTURE_FAILED,
} byteclub_picture_answer;

typedef struct {
    uint32_t answer;
    uint32_t code;   // ready: protections; failed: of PictureError.Code; done: 1 when damaged
    uint32_t format; // failed: of FileFormat, from 1
    uint32_t has_alpha;
    uint32_t width, height, full_width, full_height;
    uint64_t byte_count; // ready: of its private memory; done: of the result
    double fraction;
    char detail[136];
} byteclub_picture_reply;

enum { BYTECLUB_PICTURE_MAX_DESCRIPTORS = 4 };

// Sends one message whole. 0 or an error number.
int byteclub_picture_send(
    int socket, const void *_Nonnull message, size_t byte_count,
    const int *_Nullable descriptors, int descriptor_count);

// Receives one message. Its length, 0 when the other side is gone, -1 with errno. Descriptors come
// with close-on-exec set; `descriptor_count` says how many may come, and how many came.
ssize_t byteclub_picture_receive(
    int socket, void *_Nonnull message, size_t capacity, int *_Nullable descriptors,
    int *_Nullable descriptor_count);

// What holds in a worker.
enum {
    BYTECLUB_PICTURE_LIMITS = 1,
    BYTECLUB_PICTURE_NO_NEW_PRIVILEGES = 2,
    BYTECLUB_PICTURE_SECCOMP = 4,
    BYTECLUB_PICTURE_LANDLOCK = 8,
    BYTECLUB_PICTURE_DIES_WITH_PROGRAM = 16,
};

// MARK: - In the worker

// Its socket.
enum { BYTECLUB_PICTURE_SOCKET = 3 };

// Gives up all rights that decoding does not need. Returns what holds from now on.
//
// - has_threads: Whether the decoder starts threads of its own.
unsigned byteclub_picture_confine(bool has_threads);

// The private memory of this process, as RLIMIT_DATA counts it. Before it is confined.
uint64_t byteclub_picture_private_byte_count(void);

// Gives memory that is free back to the system, so that the next picture has all of its budget.
void byteclub_picture_return_memory(void);

// Runs what a program built for tests has defined as `int byteclub_picture_probe(int)`; -1 without.
int byteclub_picture_run_probe(int number);

#endif
