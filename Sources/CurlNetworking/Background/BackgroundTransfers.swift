public import FoundationEssentials
import Glibc

/// What the background sessions of this user keep, beside the sessions themselves. Not in Apple's suite.
///
/// Transfers of a background session are carried by one helper process per user. It is this very
/// program, started once more: a constructor in the library turns it off before `main`, so that there
/// is nothing to install. `ps` shows it as `CurlNetworking: background transfers`. It is started when a
/// task is set going, or when a session is made that still has some, and leaves some seconds after
/// there is nothing to do (`CURLNETWORKING_BACKGROUND_REST`, 10 unless set).
///
/// **What goes on.** Downloads, and uploads from files. A transfer that is cut off, times out or finds no
/// server is tried again, after 0.1 seconds, doubled up to a minute, until the configuration's
/// `timeoutIntervalForResource` is over. A download goes on where it was when the server allows it; its
/// response is that to the whole, with status 200, unless the task was made with resume data (206). An
/// upload goes on where the server offers that (`104`) and the file has not changed, else it starts again.
/// What must not be carried out twice, a `POST` for instance, is not sent again once it may have been sent
/// whole: it fails with `.networkConnectionLost`. A task whose helper ends 20 times in a row without a byte of progress fails. Redirects are followed. Data tasks run in the program, as long as it does. Tasks
/// with completion handlers (the `async` forms too) and uploads from memory or a stream fail at once
/// with a clear text.
///
/// **What goes along.** Of the configuration: fields, time-outs, the number of connections, proxies with
/// their log-in (those of the environment too, as the program has it), versions of TLS,
/// `certificateAuthoritiesFile`, `unixSocketPath`, what networks are allowed, the file of a cookie storage,
/// and the `.permanent` credentials of the credential storage for the request's host and the proxies,
/// client certificates by the paths of their files. What stays behind: cookies in memory, the cache,
/// `protocolClasses`, `partialDownloadsFolder`, and credentials that are to be kept for as long as the
/// process lives.
///
/// **Who answers.** Challenges are put to the delegate while its program is connected, and where it
/// leaves them to us, the program's own storage answers. When nobody is connected, or goes without an
/// answer, the credentials that went along are tried, and servers are believed as the system does: a
/// delegate that pins certificates is not asked then.
///
/// **What is lost when.** `resume()` returns when the task's record has left the program: it is taken up
/// by a helper even if the program is killed right then, by the one that is there or the next that is
/// started. From the helper's journal on, which follows some milliseconds later, it also survives the end
/// of the machine.
///
/// **What comes back.** A session made with the same identifier is told what was not told yet: for a
/// download `didFinishDownloadingTo`, for an upload the answer's head and body, then
/// `didCompleteWithError`; and when all of that is told `urlSessionDidFinishEvents`. A task counts as told
/// when the delegate's method has returned, and its file stays until then. A program that ends in between
/// is told again, the file included, unless it has moved the file away: then the next run is told
/// `didCompleteWithError` alone, without an error. A delegate that copies files and must not do so twice
/// looks whether it is done, by the task's description for instance. Tasks that are under way are found by `getAllTasks`.
///
/// **Who.** One session at a time has an identifier and its tasks; tasks of a second one fail with
/// `.backgroundSessionInUseByAnotherProcess`. When the other process ends, or has nothing more to do, the
/// second one takes over, and is told what was not told. Identifiers are the user's, not the program's: choose one
/// like `org.example.app.photos`.
///
/// **Where.** `$XDG_STATE_HOME/CurlNetworking/Background` has the journal, with the requests as they are,
/// `Authorization` and stored credentials for their hosts included; `$XDG_CACHE_HOME/CurlNetworking` has
/// the bodies; `$XDG_RUNTIME_DIR/CurlNetworking` (else `/tmp/CurlNetworking-<user id>`) the socket. The
/// folders have mode 0700, the files 0600, and the helper talks to processes of its own user alone.
///
/// **Not here.** Nobody starts a program because its transfers are done: it finds out when it is next
/// run. A helper ends with the machine, or with a log-out where the system is set up to end a user's
/// processes; what it had to do waits in the journal for the next session of that identifier, or the
/// next helper.
public struct BackgroundTransfers: Sendable {
    private let environment: [String: String]
    private let paths: BackgroundPaths

    /// Those of the user whose environment this process has.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    init(environment: [String: String]) {
        self.environment = environment
        paths = BackgroundPaths(environment: environment)
    }

    /// What is known of one session's tasks without being connected.
    public struct Summary: Hashable, Sendable {
        /// The session's identifier.
        public var identifier: String
        /// Tasks that are not over.
        public var unfinishedCount = 0
        /// Tasks that are over, and whose delegate was not told yet.
        public var untoldCount = 0
    }

    /// The sessions that have tasks, sorted by identifier. Read from the journal: nothing is started.
    public var sessions: [Summary] {
        var summaries: [String: Summary] = [:]
        for record in records {
            var summary = summaries[record.session] ?? Summary(identifier: record.session)
            if record.state.isOver {
                summary.untoldCount += 1
            } else {
                summary.unfinishedCount += 1
            }
            summaries[record.session] = summary
        }
        return summaries.values.sorted { $0.identifier < $1.identifier }
    }

    /// The identifiers of sessions with something to tell: make a session with one to be told.
    public var identifiersWithPendingEvents: [String] {
        sessions.filter { $0.untoldCount > 0 }.map(\.identifier)
    }

    /// Where the helper writes what it does: a line each, of which session and task, without
    /// addresses. At most some 512 KiB, the file before (`….old`) included.
    public var logFile: URL { URL(filePath: paths.log, directoryHint: .notDirectory) }

    /// Cancels all tasks of a session and removes what they have brought, told or not.
    ///
    /// - Throws: `URLError.backgroundSessionInUseByAnotherProcess` while a session with this identifier
    ///   is connected, `.backgroundSessionWasDisconnected` when no helper can be reached.
    public func forget(_ identifier: String) async throws {
        guard !paths.numbers(of: identifier).isEmpty else { return }
        let configuration = URLSessionConfiguration.background(
            withIdentifier: identifier, environment: environment)
        let session = URLSession(configuration: configuration)
        let error = await session.background?.forgetEverything()
        session.invalidateAndCancel()
        if let error { throw error }
    }

    /// What makes sense of the journal, and of what is on its way to it. Files that are being replaced
    /// are seen before or after it.
    private var records: [BackgroundTaskRecord] {
        // Looked for first, so that none is missed that gets there meanwhile.
        let onTheirWay = PendingTaskSpool(paths).records
        var records: [BackgroundTaskRecord] = []
        if access(paths.journal, F_OK) == 0,
            let folder = try? PrivateFolder(path: paths.journal), let names = try? folder.names()
        {
            records = names.filter { $0.hasSuffix(BackgroundJournal.suffix) }.compactMap { name in
                let data = try? folder.read(name, atMost: BackgroundTaskRecord.largestByteCount)
                return data.flatMap(BackgroundTaskRecord.read)
            }
        }
        let keys = Set(records.map(\.key))
        return records + onTheirWay.filter { !keys.contains($0.key) }
    }
}

extension BackgroundClient {
    /// Meets all tasks only to cancel them. Returns why that could not be.
    func forgetEverything() async -> URLError? {
        await withCheckedContinuation { continuation in
            submit { client in
                client.forgets = true
                // The helper may have been faster than we.
                for number in Array(client.entries.keys) {
                    client.acknowledge(number, .cancel(number))
                }
                client.whenReadyInTurn { client in
                    if let error = client.refusal { return continuation.resume(returning: error) }
                    client.whenCalm { continuation.resume(returning: nil) }
                }
            }
        }
    }
}
