import CurlNetworking
import Dispatch
import FoundationEssentials
import TerminalUI

/// The program on a terminal.
@MainActor enum NerdfeedApp {
    /// Shows the courses and returns when the person has left, with the exit status.
    static func run(_ feed: URL) async throws -> Int32 {
        var configuration = Application.Configuration()
        configuration.idleDescriptor = idleDescriptor
        let application = Application(screen: CursesScreen(), configuration: configuration)
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        do {
            return try await application.run(root: CoursesViewController(feed, session: session))
        } catch {
            throw Failure(sentence: "\(error)")
        }
    }

    /// With the cache and the cookies of every session, told of on the main queue.
    static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["User-Agent": "nerdfeed/0.1"]
        configuration.timeoutIntervalForRequest = 30
        return URLSession(configuration: configuration, delegate: nil, delegateQueue: .main)
    }

    /// Where a test wants to hear that all is drawn: an inherited descriptor, never one of the three
    /// standard ones.
    private static var idleDescriptor: Int32? {
        ProcessInfo.processInfo.environment["BYTECLUB_TEST_FD"]
            .flatMap { Int32($0) }.flatMap { $0 > 2 ? $0 : nil }
    }
}
