import Dispatch
import FoundationEssentials
import Synchronization

/// A thread-safe cookie jar, with an optional file.
///
/// The file is read when the jar is first used, and written soon after a change. A pending write retains the
/// jar, so that it happens even if the program has released the storage.
final class KeptCookieJar: Sendable {
    private struct State {
        var jar: CookieJar
        var isLoaded: Bool
        var isSaveScheduled = false
        var stamp: AtomicFile.Stamp?
        var lastLook = DispatchTime(uptimeNanoseconds: 1)
    }

    let file: CookieFile?
    private let state: Mutex<State>
    /// Locked while the file is read or written: a flush waits for a write in progress, and no read misses
    /// what is being written.
    private let filing = Mutex(())
    private let clock: @Sendable () -> Date

    private static let queue = DispatchQueue(label: "CurlNetworking.cookies", qos: .utility)
    private static let saveDelay = DispatchTimeInterval.milliseconds(100)

    init(_ jar: CookieJar, in file: CookieFile?, clock: @escaping @Sendable () -> Date) {
        self.file = file
        self.clock = clock
        state = Mutex(State(jar: jar, isLoaded: file == nil))
        if file != nil { ExitHandlers.add(self) }
    }

    // MARK: - Under the lock

    /// Reads cookies; the jar records their use.
    func look<Result: Sendable>(_ body: (inout CookieJar, Date) -> Result) -> Result {
        let now = clock()
        let (result, looks) = state.withLock { state in
            load(&state, now: now)
            let looks = isLookDue(state)
            if looks { state.lastLook = .now() }
            return (body(&state.jar, now), looks)
        }
        if looks { Self.queue.async { @Sendable [self] in lookAtFile() } }
        return result
    }

    func change(_ body: (inout CookieJar, Date) -> Void) {
        let now = clock()
        let schedules = state.withLock { state in
            load(&state, now: now)
            body(&state.jar, now)
            guard file != nil, !state.jar.touched.isEmpty, !state.isSaveScheduled else {
                return false
            }
            state.isSaveScheduled = true
            return true
        }
        guard schedules else { return }
        Self.queue.asyncAfter(deadline: .now() + Self.saveDelay) { @Sendable [self] in flush() }
    }

    private func load(_ state: inout State, now: Date) {
        guard !state.isLoaded, let file else { return }
        state.isLoaded = true
        guard let (cookies, stamp) = try? file.read() else { return }
        state.jar.adopt(cookies, now: now)
        state.stamp = stamp
    }

    // MARK: - With the file

    /// Writes pending changes on the calling thread.
    func flush() {
        guard let file else { return }
        filing.withLock { _ in save(to: file) }
    }

    private func save(to file: CookieFile) {
        let changes = state.withLock { state in
            state.isSaveScheduled = false
            return state.jar.takeTouched()
        }
        guard !changes.isEmpty else { return }
        let now = clock()
        do throws(URLError) {
            let (cookies, stamp) = try file.update { cookies in
                cookies.removeAll { changes.keys.contains($0.identity) || $0.isExpired(at: now) }
                cookies += changes.values.compactMap { $0 }
                cookies.sort { $0.created < $1.created }
            }
            take(cookies, stamp, now: now)
        } catch {
            // For example, the disk is full. The cookies stay in memory, and the next change tries again.
            state.withLock { $0.jar.touchAgain(changes.keys) }
        }
    }

    private func take(_ cookies: [Cookie], _ stamp: AtomicFile.Stamp?, now: Date) {
        state.withLock { state in
            state.jar.adopt(cookies, now: now)
            state.stamp = stamp
        }
    }

    /// At most once a second, and only when cookies are requested.
    private func isLookDue(_ state: State) -> Bool {
        guard file != nil else { return false }
        let now = DispatchTime.now().uptimeNanoseconds
        return now - state.lastLook.uptimeNanoseconds > 1_000_000_000
    }

    /// Merges what another process has written.
    func lookAtFile() {
        guard let file else { return }
        filing.withLock { _ in
            guard let stamp = AtomicFile.stamp(of: file.path),
                stamp != state.withLock({ $0.stamp }), let (cookies, newStamp) = try? file.read()
            else { return }
            take(cookies, newStamp, now: clock())
        }
    }
}

extension KeptCookieJar: ExitHandler {
    func handleExit() {
        flush()
    }
}
