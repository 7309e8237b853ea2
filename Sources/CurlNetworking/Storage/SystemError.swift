import Glibc

/// What `errno` means, in words.
var lastSystemError: String { String(cString: strerror(errno)) }
