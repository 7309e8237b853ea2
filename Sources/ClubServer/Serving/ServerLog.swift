/// The server's log, if there is a reader. Never a secret: no header, no argument.
public struct ServerLog: Sendable {
    private let write: (@Sendable (String) -> Void)?

    /// - Parameter write: Called with one line without its line feed, from any thread.
    public init(_ write: (@Sendable (String) -> Void)? = nil) {
        self.write = write
    }

    func callAsFunction(_ line: @autoclosure () -> String) {
        write?(line())
    }
}
