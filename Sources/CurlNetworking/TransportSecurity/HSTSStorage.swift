import Dispatch
public import FoundationEssentials
import Synchronization

/// Stores hosts that require TLS (`Strict-Transport-Security`, RFC 6797).
///
/// A request for `http://` to such a host is sent as `https://`. A policy is only accepted over valid TLS,
/// and never for an address.
///
/// A storage with a file writes changes soon after they are made, on another thread, at the latest when the
/// process exits. Several processes can use one file. All methods can be called from any thread.
///
/// Not part of Apple's API, which has no access to HSTS policies.
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
    /// Locked while the file is read or written.
    private let filing = Mutex(())
    private let clock: @Sendable () -> Date

    private static let queue = DispatchQueue(label: "CurlNetworking.hsts", qos: .utility)

    /// The hosts of this program, in `$XDG_DATA_HOME/<program>/hsts` (`~/.local/share/…`).
    public static let shared = HSTSStorage(path: ProgramFolders.data.map { $0 + "/hsts" })

    /// Creates a storage in memory.
    public convenience init() { self.init(path: nil) }

    /// Creates a storage with a file, with mode 0600, which is created when needed.
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

    // MARK: - Queries

    /// The names of the stored hosts, in alphabetical order.
    public var hosts: [String] {
        look { hosts, now in hosts.all(at: now).map(\.name) }
    }

    /// Returns whether a host requires TLS, by its own policy or that of a parent domain that includes
    /// subdomains.
    public func requiresTLS(_ host: String) -> Bool {
        look { hosts, now in hosts.requiresTLS(host, at: now) }
    }

    /// Removes a host's own policy.
    public func remove(_ host: String) {
        guard let name = TransportSecurityHosts.canonical(host) else { return }
        change { hosts, _ in hosts.remove(name) }
    }

    /// Removes all policies.
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

    /// Writes pending changes on the calling thread.
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
                // For example, the disk is full. The changes stay in memory, and the next one tries again.
                state.withLock { $0.hosts.touchAgain(changes) }
            }
        }
    }

    /// Merges what another process has written.
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
