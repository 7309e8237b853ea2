public import FoundationEssentials
import CurlNetworkingPlatform

/// Information about the background sessions of this user, without opening one. Not part of Apple's API.
///
/// Transfers of background sessions run in one helper process per user. The helper is this very program,
/// started a second time: a constructor in the library takes over before `main`, so that there is nothing to
/// install. `ps` shows it as `CurlNetworking: background transfers`. It is started when a task is resumed, or
/// when a session is created that still has tasks, and exits after some idle seconds
/// (`CURLNETWORKING_BACKGROUND_REST`, 10 by default).
///
/// **What it runs.** Downloads, and uploads from files. A transfer that is interrupted, times out or finds no
/// server is retried after 0.1 seconds, doubled up to a minute, until `timeoutIntervalForResource` is over.
/// A download resumes where the server allows it; its response is that of the whole, with status 200, unless
/// the task was created with resume data (206). An upload resumes where the server offers that (`104`) and the
/// file has not changed; otherwise it restarts. A request that is not idempotent, such as a `POST`, is not
/// sent again once its body may have been sent whole: it fails with `.networkConnectionLost`. A task with an
/// `earliestBeginDate` starts at that date; the delegate is not asked before. A task whose
/// helper ends 20 times in a row without progress fails. Redirects are followed. Data tasks run in the
/// program, as long as it runs. Tasks with completion handlers (the `async` forms too) and uploads from
/// memory or a stream fail at once with a clear text.
///
/// **What it gets.** Of the configuration: header fields, timeouts, the number of connections, proxies with
/// their credentials (including those of the program's environment), TLS versions,
/// `certificateAuthoritiesFile`, `unixSocketPath`, allowed networks, the file of a cookie storage, and the
/// `.permanent` credentials of the credential storage for the request's host and the proxies, client
/// certificates by the paths of their files. Of the request: all but a body stream and what has no effect. It
/// does not get: cookies in memory, the cache,
/// `protocolClasses`, `partialDownloadsFolder`, and credentials with `.forSession` persistence.
///
/// **Challenges.** They are sent to the delegate while its program is connected; with default handling, the
/// program's own storage answers. When no program is connected, or it does not answer, the credentials sent
/// with the task are used, and servers are evaluated as the system does: a delegate that pins certificates is
/// not asked then.
///
/// **Durability.** When `resume()` returns, the task's record is outside the program: a helper, running or
/// started next, finds it even if the program is killed right then. A few milliseconds later it is in the
/// helper's journal, and survives the end of the machine.
///
/// **Events.** A session with the same identifier receives what was not reported yet: for a download
/// `didFinishDownloadingTo`, for an upload the response and its body, then `didCompleteWithError`; and after
/// all of these `urlSessionDidFinishEvents`. A task counts as reported when the delegate's method has
/// returned, and its file is kept until then. If the program ends in between, the task is reported again with
/// its file, unless the program has moved that: then the next run receives `didCompleteWithError` alone,
/// without an error. A delegate that copies files and must not do so twice has to check, by the task's
/// description for instance. `getAllTasks` lists the running tasks.
///
/// **Ownership.** One session at a time owns an identifier and its tasks; tasks of a second one fail with
/// `.backgroundSessionInUseByAnotherProcess`. When the other process ends or has no more tasks, the second
/// session takes over and receives the pending events. Identifiers are shared by all programs of the user:
/// choose one like `org.example.app.photos`.
///
/// **Files.** `$XDG_STATE_HOME/CurlNetworking/Background` has the journal, with complete requests,
/// `Authorization` and stored credentials for their hosts included; `$XDG_CACHE_HOME/CurlNetworking` has the
/// bodies; `$XDG_RUNTIME_DIR/CurlNetworking` (else `/tmp/CurlNetworking-<user id>`) the socket. Folders have
/// mode 0700, files 0600, and the helper accepts connections of its own user only. A record that is damaged
/// costs one task: it fails, or is moved aside if it does not say which task it is.
///
/// **Limits.** No program is started because its transfers are done: it finds out when it runs next. A helper
/// ends with the machine, or at logout where the system ends a user's processes; its tasks wait in the journal
/// for the next session with their identifier, or the next helper.
public struct BackgroundTransfers: Sendable {
    private let environment: [String: String]
    private let paths: BackgroundPaths

    /// The sessions of the user whose environment this process has.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    init(environment: [String: String]) {
        self.environment = environment
        paths = BackgroundPaths(environment: environment)
    }

    /// The number of a session's tasks, without a connection.
    public struct Summary: Hashable, Sendable {
        /// The session's identifier.
        public var identifier: String
        /// Tasks that are not completed.
        public var unfinishedCount = 0
        /// Tasks that are completed and not reported to a delegate yet.
        public var unreportedCount = 0
    }

    /// The sessions that have tasks, sorted by identifier. Read from the journal: nothing is started.
    public var sessions: [Summary] {
        var summaries: [String: Summary] = [:]
        for record in records {
            var summary = summaries[record.session] ?? Summary(identifier: record.session)
            if record.state.isOver {
                summary.unreportedCount += 1
            } else {
                summary.unfinishedCount += 1
            }
            summaries[record.session] = summary
        }
        return summaries.values.sorted { $0.identifier < $1.identifier }
    }

    /// The identifiers of sessions with pending events: create a session with one to receive them.
    public var identifiersWithPendingEvents: [String] {
        sessions.filter { $0.unreportedCount > 0 }.map(\.identifier)
    }

    /// The helper's log: one line per event, with session and task, without addresses. About 512 KiB at most,
    /// including the previous file (`….old`).
    public var logFile: URL { URL(filePath: paths.log, directoryHint: .notDirectory) }

    /// Cancels all tasks of a session and removes their results, reported or not.
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

    /// The readable records of the journal and the spool.
    private var records: [BackgroundTaskRecord] {
        // The spool first: a task that moves to the journal meanwhile is seen twice, and never missed.
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
    /// Cancels all tasks of the journal. Returns the reason when that is impossible.
    func forgetEverything() async -> URLError? {
        await withCheckedContinuation { continuation in
            submit { client in
                client.forgets = true
                // Some may be known already.
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
