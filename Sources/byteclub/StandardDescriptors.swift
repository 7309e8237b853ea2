import Glibc

/// Input, output and error, 0 to 2. What is opened next gets the lowest number that is free: without
/// them, a socket or file opened later would be read as input, or get our complaints.
enum StandardDescriptors {
    /// Puts something in place of those that the program was started without: reading what is only for
    /// writing, and the other way round, fails as it should.
    static func open() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // They are taken in order, so that the free one is the lowest.
            _ = Glibc.open("/dev/null", mode)
        }
    }
}
