internal import ByteClubMessages

/// Why the redirect could not be waited for, or did not arrive.
package enum LoopbackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another program listens on the port.
    case portTaken(UInt16)
    case cannotListen(port: UInt16, reason: String)
    case timedOut
    case cancelled

    package var description: String {
        switch self {
        case .portTaken(let port):
            localized(
                "Another program uses port \(port) of this computer, to which Dropbox's page leads. Sign in with "
                    + "--no-browser, or with --redirect-port and another port that is registered for the app."
            )
        case .cannotListen(let port, let reason):
            localized("Byte Club cannot wait for the browser")
                + (port == 0 ? "" : localized(" on port \(port) of this computer"))
                + localized(
                    ": \(reason). "
                        + "Sign in with --no-browser instead.")
        case .timedOut:
            localized(
                "The browser brought no answer in time. Nothing was changed. Where it cannot reach this "
                    + "computer, sign in with --no-browser.")
        case .cancelled: localized("Signing in was stopped. Nothing was changed.")
        }
    }
}
