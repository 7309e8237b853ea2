import Glibc

/// The descriptors 0 to 2. A newly opened file gets the lowest free number: without them, a socket or file
/// opened later would be read as input, or receive error messages.
enum StandardDescriptors {
    /// Opens replacements for missing ones, in the opposite direction: reading standard output, or writing
    /// standard input, fails as it should.
    static func open() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // Opened in order, so that the free one is the lowest.
            _ = Glibc.open("/dev/null", mode)
        }
    }
}
