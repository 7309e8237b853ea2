import CByteClubVersion
import CurlNetworking
import Dispatch
import FoundationEssentials
import TerminalUI

/// The program on a terminal.
@MainActor enum NerdfeedApp {
    /// Shows the courses and returns the exit status when the user has quit.
    static func run(_ feed: FeedSource, _ options: ScreenOptions) async throws -> Int32 {
        var configuration = Application.Configuration()
        configuration.scheme = options.theme ?? .automatic
        configuration.isPlain = options.plain
        configuration.reportIdle(toDescriptorIn: "BYTECLUB_TEST_FD")
        let application = Application(screen: CursesScreen(), configuration: configuration)
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        do {
            return try await application.run(root: CoursesViewController(feed, session: session))
        } catch {
            throw Failure(sentence: "\(error)")
        }
    }

    /// With cache and cookies; its delegate is called on the main queue.
    static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["User-Agent": "nerdfeed/\(BYTECLUB_VERSION)"]
        configuration.timeoutIntervalForRequest = 30
        return URLSession(configuration: configuration, delegate: nil, delegateQueue: .main)
    }
}
