import CByteClubBackgroundHelper
import Dispatch
import Foundation
import Glibc
import Synchronization

@testable import CurlNetworking

/// Folders for the background sessions of one test, and all processes that belong to them: gone with
/// the last reference, whatever has become of the test.
final class BackgroundHome: Sendable {
    let path: String
    let environment: [String: String]
    let places: BackgroundPaths

    /// - Parameter restSeconds: How long a helper stays with nothing to do.
    init(restSeconds: Double = 30) throws {
        // Short: a socket's path may have 107 bytes.
        path = "/tmp/bgt-" + String(UInt64.random(in: 1...UInt64.max), radix: 36)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let own = ProcessInfo.processInfo.environment
        var environment = [
            "HOME": path, "XDG_STATE_HOME": path + "/state", "XDG_CACHE_HOME": path + "/cache",
            "XDG_DATA_HOME": path + "/data", "XDG_RUNTIME_DIR": path + "/run",
            BackgroundEnvironment.idleVariable: String(restSeconds),
        ]
        // As in the library; a sanitizer's settings are among them.
        for (name, value) in BackgroundEnvironment.fitting(own) where environment[name] == nil {
            environment[name] = value
        }
        environment["PATH"] = own["PATH"]
        Self.add(path)
        self.environment = environment
        places = BackgroundPaths(environment: environment)
        try FileManager.default.createDirectory(
            atPath: path + "/run", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        Self.clear(path)
    }

    private static func clear(_ path: String) {
        // One that is killed cannot start another; one that was being started shows up in the next
        // round.
        for _ in 0..<5 {
            for process in processes(of: path) { _ = Glibc.kill(process, SIGKILL) }
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// All homes of this process. A session that still had something to say when its home went has
    /// started a helper once more, which made folders again: at the end there is nobody left to do so.
    private static let paths = Mutex<[String]>([])
    private static let lastHandler: Int32 = atexit {
        for path in BackgroundHome.paths.withLock({ $0 }) where access(path, F_OK) == 0 {
            BackgroundHome.clear(path)
        }
    }

    private static func add(_ path: String) {
        _ = lastHandler
        paths.withLock { $0.append(path) }
    }

    func configuration(_ identifier: String = "test") -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: identifier, environment: environment)
        // A helper that outlives a test that crashed should not do so for a week.
        configuration.timeoutIntervalForResource = 60
        return configuration
    }

    func session(
        _ identifier: String = "test", _ delegate: RecordingDelegate,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = configuration(identifier)
        change(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    func path(of name: String) -> String { path + "/" + name }

    func makeFile(_ data: Data) throws -> URL {
        let url = URL(filePath: path(of: "body-to-send"))
        try data.write(to: url)
        return url
    }

    var journalNames: [String] { Self.names(in: places.journal) }
    var spoolNames: [String] { Self.names(in: places.spool) }
    var reportedTaskNames: [String] { Self.names(in: places.reportedTasks) }
    var resultNames: [String] { Self.names(in: places.results) }
    var partNames: [String] { Self.names(in: places.parts) }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// What the journal says of all tasks. Files that are not in their place yet say nothing.
    var records: [BackgroundTaskRecord] {
        journalNames.filter(PrivateFolder.isPlain).compactMap { name in
            FileManager.default.contents(atPath: places.journal + "/" + name)
                .flatMap { BackgroundTaskRecord(parsing: $0) }
        }
    }

    var log: String {
        String(
            decoding: FileManager.default.contents(atPath: places.log) ?? Data(), as: UTF8.self)
    }

    // MARK: - Processes

    private var processes: [pid_t] { Self.processes(of: path) }

    /// All that have a home in their environment, and live.
    private static func processes(of path: String) -> [pid_t] {
        let wanted = Data(path.utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            process != getpid()
                && FileManager.default.contents(atPath: "/proc/\(process)/environ")?
                    .range(of: wanted) != nil
        }
    }

    static func words(of process: pid_t) -> [String] {
        let data = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    var helpers: [pid_t] {
        processes.filter { Self.words(of: $0) == ["CurlNetworking:", "background transfers"] }
    }

    /// Kills a process and waits until it is gone.
    ///
    /// - Parameter act: Done while it is stopped, right before its end.
    static func kill(
        _ process: pid_t, _ signal: Int32 = SIGKILL, after act: () -> Void = {}
    ) async {
        await end(of: process) {
            _ = Glibc.kill(process, SIGSTOP)
            act()
            _ = Glibc.kill(process, signal)
        }
    }

    /// Lets the files of a process not grow beyond a size: to it, the disk is full.
    static func limitFiles(of process: pid_t, to byteCount: UInt64?) throws {
        var limit = rlimit(
            rlim_cur: byteCount.map { rlim_t($0) } ?? rlim_t.max, rlim_max: rlim_t.max)
        typealias Call = @convention(c) (pid_t, Int32, UnsafePointer<rlimit>, UInt) -> Int32
        guard let call = dlsym(nil, "prlimit"),
            unsafeBitCast(call, to: Call.self)(process, 1, &limit, 0) == 0
        else { throw POSIXError(.EPERM) }
    }

    /// Waits until a process is gone.
    static func end(of process: pid_t, after act: () -> Void = {}) async {
        let pidfd_open = 434
        let descriptor = Int32(byteclub_test_syscall(pidfd_open, Int(process)))
        act()
        guard descriptor >= 0 else { return }
        await withCheckedContinuation { continuation in
            let source = DispatchSource.makeReadSource(
                fileDescriptor: descriptor, queue: DispatchQueue(label: "end"))
            let isOver = OneShot(true)
            source.setEventHandler {
                guard isOver.take() != nil else { return }
                source.cancel()
                continuation.resume()
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }
    }
}

private func byteclub_test_syscall(_ number: Int, _ argument: Int) -> Int {
    typealias Call = @convention(c) (Int, Int, Int) -> Int
    guard let address = dlsym(nil, "syscall") else { return -1 }
    return unsafeBitCast(address, to: Call.self)(number, argument, 0)
}

/// The program of `Tests/BackgroundProgram`, in a process of its own.
final class BackgroundProgram: Sendable {
    let process: pid_t
    private let line: Line
    private let lines = Mutex<[String]>([])
    private let isReaped = Mutex(false)
    private let news = Signal()

    /// Our end of its input and output, closed when neither this nor the thread that reads needs it.
    private final class Line: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }
    }

    init(_ home: BackgroundHome, _ identifier: String = "test") throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent()
            .appending(path: "background-program").path
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let arguments: [String] = [path, identifier]
        let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        let variables: [UnsafeMutablePointer<CChar>?] = home.environment.map {
            strdup("\($0.key)=\($0.value)")
        }
        var process: pid_t = 0
        let code = posix_spawn(
            &process, path, &actions, nil, words + [nil], variables + [nil])
        for word in words + variables { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        let line = Line(ends[0])
        guard code == 0 else { throw POSIXError(.ENOENT) }
        self.process = process
        self.line = line
        let news = news
        Thread.detachNewThread { [weak self] in
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(line.descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: 10) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest.removeFirst(end + 1)
                    self?.lines.withLock { $0.append(line) }
                    news.add()
                }
            }
            self?.lines.withLock { $0.append("end") }
            news.add()
        }
    }

    deinit {
        kill()
    }

    func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = send(line.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// All it has said so far.
    var said: [String] { lines.withLock { $0 } }

    /// Waits until it has said something that begins so, or has ended.
    @discardableResult
    func heard(_ start: String) async -> String {
        while true {
            // Counted before the look: what is said in between ends the wait at once.
            let count = news.count
            let said = said
            if let line = said.first(where: { $0.hasPrefix(start) }) { return line }
            if said.last == "end" { return "end" }
            await news.wait(for: count + 1)
        }
    }

    /// kill -9, and gone when this returns.
    func kill() {
        isReaped.withLock { isReaped in
            guard !isReaped else { return }
            isReaped = true
            Glibc.kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
    }

    /// Waits for its own end.
    func end() async {
        await heard("end")
        kill()
    }
}
