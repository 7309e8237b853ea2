#define _GNU_SOURCE
#include "CByteClubPictureWorker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

bool byteclub_picture_set_limit(
    pid_t process, byteclub_picture_resource resource, uint64_t limit) {
    const __rlimit_resource_t number = resource == BYTECLUB_PICTURE_MEMORY ? RLIMIT_DATA
        : resource == BYTECLUB_PICTURE_PROCESSOR_TIME                      ? RLIMIT_CPU
                                                                           : RLIMIT_FSIZE;
    struct rlimit now;
    if (prlimit(process, number, NULL, &now) != 0) return false;
    now.rlim_cur = limit < now.rlim_max ? limit : now.rlim_max;
    return prlimit(process, number, &now, NULL) == 0;
}

double byteclub_picture_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int byteclub_picture_make_memory(size_t byte_count) {
    int descriptor = memfd_create("picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    // What the other side has mapped stays there whatever it does.
    if (ftruncate(descriptor, (off_t)byte_count) != 0
        || fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int code = errno;
        close(descriptor);
        errno = code;
        return -1;
    }
    return descriptor;
}

int byteclub_picture_open_nameless(const char *folder) {
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) {
        return descriptor;
    }
    char path[4096];
    if (strlen(folder) + 32 > sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(path, folder);
    strcat(path, "/byteclub-scratch-XXXXXX");
    descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0) unlink(path);
    return descriptor;
}

typedef union {
    char bytes[CMSG_SPACE(sizeof(int) * BYTECLUB_PICTURE_MAX_DESCRIPTORS)];
    struct cmsghdr alignment;
} control;

int byteclub_picture_send(
    int socket, const void *message, size_t byte_count, const int *descriptors,
    int descriptor_count) {
    struct iovec piece = {.iov_base = (void *)message, .iov_len = byte_count};
    struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1};
    control space;
    memset(&space, 0, sizeof space);
    if (descriptor_count > BYTECLUB_PICTURE_MAX_DESCRIPTORS) return EINVAL;
    if (descriptor_count > 0) {
        const size_t size = sizeof(int) * (size_t)descriptor_count;
        header.msg_control = space.bytes;
        header.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *item = CMSG_FIRSTHDR(&header);
        item->cmsg_level = SOL_SOCKET;
        item->cmsg_type = SCM_RIGHTS;
        item->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(item), descriptors, size);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

ssize_t byteclub_picture_receive(
    int socket, void *message, size_t capacity, int *descriptors, int *descriptor_count) {
    struct iovec piece = {.iov_base = message, .iov_len = capacity};
    struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1};
    control space;
    memset(&space, 0, sizeof space);
    // Without room for them the kernel drops any descriptor that a worker might send.
    if (descriptors) {
        header.msg_control = space.bytes;
        header.msg_controllen = sizeof space.bytes;
    }
    ssize_t received;
    do received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (!descriptors) return received;
    int count = 0;
    for (struct cmsghdr *item = received > 0 ? CMSG_FIRSTHDR(&header) : NULL; item;
         item = CMSG_NXTHDR(&header, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
        const int came = (int)((item->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < came; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(item) + sizeof(int) * (size_t)i, sizeof descriptor);
            if (count < *descriptor_count) {
                descriptors[count++] = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
    *descriptor_count = count;
    return received;
}
