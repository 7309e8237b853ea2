import Dispatch
public import FoundationEssentials
import Synchronization

/// Keeps which hosts want to be reached over TLS only, as they have said by `Strict-Transport-Security` (RFC 6797).
///
/// A request for `http://` to such a host goes out as one for `https://`; nothing of it leaves in the clear. What a
/// server says counts only over TLS that is in order, and never for an address.
///
/// A storage with a file writes changes soon after they are made, off the caller's thread and at the latest when the
/// process exits. Several processes may use one file. All methods may be called from any thread.
///
/// Not in Apple's suite, which does the same without a way to see it.
public final class HSTSStorage: Sendable {
    private struct State {
        var hosts = TransportSecurityHosts()
        var isLoaded: Bool
        var isSaveScheduled = false
        var stamp: AtomicFile.Stamp?
        var lastLook: UInt64 = 0
    }

    private let file: SharedListFile<TransportSecurityHosts.Host>?
    private let state: Mutex<State>
    /// Held while the file is read or written.
    private let filing = Mutex(())
    private let clock: @Sendable () -> Date

    private static let queue = DispatchQueue(label: "CurlNetworking.hsts", qos: .utility)

    /// Those of this program, in `$XDG_DATA_HOME/<program>/hsts` (`~/.local/share/…`).
    public static let shared = HSTSStorage(path: ProgramFolders.data.map { $0 + "/hsts" })

    /// Makes a storage in memory.
    public convenience init() { self.init(path: nil) }

    /// Makes a storage that is kept in a file of its own, with mode 0600, made when it is first needed.
    public convenience init(fileURL: URL) {
        self.init(path: fileURL.path(percentEncoded: false))
    }

    init(path: String?, clock: @escaping @Sendable () -> Date = { Date() }) {
        file = path.map {
            SharedListFile(path: $0, title: "CurlNetworking hsts 1") { host in
                host.expires.timeIntervalSince1970.isFinite
                    && TransportSecurityHosts.canonical(host.name) == host.name
            }
        }
        state = Mutex(State(isLoaded: path == nil))
        self.clock = clock
        if file != nil { ExitHandlers.add(self) }
    }

    var filePath: String? { file?.path }

    // MARK: - What is known

    /// The names of the hosts that have said it, in alphabetical order.
    public var hosts: [String] {
        look { hosts, now in hosts.all(at: now).map(\.name) }
    }

    /// Whether requests to a host go out over TLS only: it has said so, or a host above it for all below.
    public func requiresTLS(_ host: String) -> Bool {
        look { hosts, now in hosts.requiresTLS(host, at: now) }
    }

    /// Forgets what a host has said for itself.
    public func remove(_ host: String) {
        guard let name = TransportSecurityHosts.canonical(host) else { return }
        change { hosts, _ in hosts.remove(name) }
    }

    /// Forgets all.
    public func removeAll() {
        change { hosts, _ in hosts.removeAll() }
    }

    func note(_ policy: StrictTransportSecurity, from host: String) {
        change { hosts, now in hosts.note(policy, from: host, at: now) }
    }

    private func look<Result>(
        _ body: (TransportSecurityHosts, Date) -> Result
    ) -> Result {
        let now = clock()
        let uptime = DispatchTime.now().uptimeNanoseconds
        let (result, looks) = state.withLock { state in
            load(&state, at: now)
            let looks = file != nil && uptime - state.lastLook > 1_000_000_000
            if looks { state.lastLook = uptime }
            return (body(state.hosts, now), looks)
        }
        if looks { Self.queue.async { @Sendable [self] in lookAtFile() } }
        return result
    }

    private func change(_ body: (inout TransportSecurityHosts, Date) -> Void) {
        let now = clock()
        let schedules = state.withLock { state in
            load(&state, at: now)
            body(&state.hosts, now)
            guard file != nil, state.hosts.isTouched, !state.isSaveScheduled else { return false }
            state.isSaveScheduled = true
            return true
        }
        guard schedules else { return }
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(100)) { @Sendable [self] in flush() }
    }

    // MARK: - With the file

    private func load(_ state: inout State, at now: Date) {
        guard !state.isLoaded, let file else { return }
        state.isLoaded = true
        guard let (list, stamp) = try? file.read() else { return }
        state.hosts.adopt(list, at: now)
        state.stamp = stamp
    }

    /// Writes what was not written yet, on the caller's thread.
    func flush() {
        guard let file else { return }
        filing.withLock { _ in
            let changes = state.withLock { state in
                state.isSaveScheduled = false
                return state.hosts.takeTouched()
            }
            guard !changes.isEmpty else { return }
            let now = clock()
            do throws(URLError) {
                let (list, stamp) = try file.update { list in
                    list.removeAll { changes.keys.contains($0.name) || $0.expires <= now }
                    list += changes.values.compactMap { $0 }
                    list.sort { $0.name < $1.name }
                }
                take(list, stamp, at: now)
            } catch {
                // A full disk, say. It is all in memory, and the next change tries again.
                state.withLock { $0.hosts.touchAgain(changes) }
            }
        }
    }

    /// Takes over what another process has written.
    private func lookAtFile() {
        guard let file else { return }
        filing.withLock { _ in
            guard let stamp = AtomicFile.stamp(of: file.path),
                stamp != state.withLock({ $0.stamp }), let (list, newStamp) = try? file.read()
            else { return }
            take(list, newStamp, at: clock())
        }
    }

    private func take(
        _ list: [TransportSecurityHosts.Host], _ stamp: AtomicFile.Stamp?, at now: Date
    ) {
        state.withLock { state in
            state.hosts.adopt(list, at: now)
            state.stamp = stamp
        }
    }
}

extension HSTSStorage: ExitHandler {
    func handleExit() {
        flush()
    }
}
