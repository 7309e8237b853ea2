package import FoundationEssentials
internal import Glibc

/// The user's web browser, through `xdg-open`.
package enum Browser {
    /// Whether a browser can show a page: not over SSH, and not without `xdg-open`.
    package static func isHere(_ environment: [String: String]) -> Bool {
        guard environment["SSH_CONNECTION"] == nil, environment["SSH_TTY"] == nil else {
            return false
        }
        return opener(environment) != nil
    }

    package enum Opening {
        /// `xdg-open` was started.
        case started
        case notStarted
    }

    /// Opens a page. The browser's output is discarded: the app uses the screen.
    package static func open(_ url: URL, environment: [String: String]) -> Opening {
        guard let opener = opener(environment) else { return .notStarted }
        var process: pid_t = 0
        let failure = ChildProgram.startDetached(
            opener, ["xdg-open", url.absoluteString],
            environment: environment, process: &process)
        guard failure == 0 else { return .notStarted }
        ServerProcess.forget(process)
        return .started
    }

    private static func opener(_ environment: [String: String]) -> String? {
        ChildProgram.path(ofFirst: ["xdg-open"], environment: environment)?.path
    }
}
