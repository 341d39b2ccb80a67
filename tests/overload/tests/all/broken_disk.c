/* Breaks what a program does to its files, as the text of a file says: CALL CODE END, where CALL is "sync", "write" or
 * "torn" (half of it is written), CODE is the number of the error, and END is how the names of the files end. Preloaded
 * by the tests of broken disks; each call that is broken adds a byte to the file of that name with ".hits" behind it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* By calls of the system, which are not preloaded. */
static ssize_t read_small(const char *path, char *into, size_t most) {
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    ssize_t length = syscall(SYS_read, fd, into, most - 1);
    syscall(SYS_close, fd);
    if (length >= 0) into[length] = 0;
    return length;
}

static int breaks(const char *call, int fd) {
    const char *control = getenv("HAPAX_TEST_BROKEN_DISK");
    char text[128], wanted[16], end[64], link[64], path[512];
    int code;
    if (!control || read_small(control, text, sizeof text) <= 0) return 0;
    if (sscanf(text, "%15s %d %63s", wanted, &code, end) != 3 || strcmp(wanted, call) != 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < (ssize_t)strlen(end)) return 0;
    path[length] = 0;
    if (strcmp(path + length - strlen(end), end) != 0) return 0;
    snprintf(path, sizeof path, "%s.hits", control);
    long hits = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (hits >= 0) {
        syscall(SYS_write, hits, "x", 1);
        syscall(SYS_close, hits);
    }
    return code;
}

static int fails(int code) {
    errno = code;
    return -1;
}

int fsync(int fd) {
    int code = breaks("sync", fd);
    return code ? fails(code) : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    int code = breaks("sync", fd);
    return code ? fails(code) : (int)syscall(SYS_fdatasync, fd);
}

ssize_t write(int fd, const void *from, size_t length) {
    int code = breaks("write", fd);
    if (code) return fails(code);
    code = breaks("torn", fd);
    if (code) {
        syscall(SYS_write, fd, from, length / 2);
        return fails(code);
    }
    return syscall(SYS_write, fd, from, length);
}

ssize_t pwrite64(int fd, const void *from, size_t length, off64_t at) {
    int code = breaks("write", fd);
    if (code) return fails(code);
    code = breaks("torn", fd);
    if (code) {
        syscall(SYS_pwrite64, fd, from, length / 2, at);
        return fails(code);
    }
    return syscall(SYS_pwrite64, fd, from, length, at);
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t at) {
    return pwrite64(fd, from, length, at);
}
