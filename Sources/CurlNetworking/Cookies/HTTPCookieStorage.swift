import Dispatch
public import FoundationEssentials
import Synchronization

/// Keeps cookies and finds those to send. All methods may be called from any thread.
///
/// A storage with a file writes changes soon after they are made, off the caller's thread and at the
/// latest when the process exits. Several processes may use one file: each adds its changes to what
/// the others have written.
public final class HTTPCookieStorage: Sendable {
    /// Which cookies are taken.
    public enum AcceptPolicy: UInt, Sendable {
        case always = 0
        case never = 1
        /// Those of the site a request was made for, not those of others it draws on.
        case onlyFromMainDocumentDomain = 2
    }

    private struct State {
        var jar: CookieJar
        var policy = AcceptPolicy.onlyFromMainDocumentDomain
        var isLoaded: Bool
        var isSaveScheduled = false
        var stamp: WholeFile.Stamp?
        var lastLook = DispatchTime(uptimeNanoseconds: 1)
    }

    private let state: Mutex<State>
    private let file: CookieFile?
    /// Held while the file is read or written: whoever flushes waits for a write that is under way, and
    /// nobody takes over a file that lacks what is just being written to it.
    private let filing = Mutex(())
    private let clock: @Sendable () -> Date

    private static let queue = DispatchQueue(label: "CurlNetworking.cookies", qos: .utility)
    private static let saveDelay = DispatchTimeInterval.milliseconds(100)

    /// The cookies of this program, in `$XDG_DATA_HOME/<program>/cookies` (`~/.local/share/…`).
    public static let shared = HTTPCookieStorage(
        file: ProgramFolders.data.map { CookieFile(path: $0 + "/cookies") })

    private static let groups = Mutex<[String: HTTPCookieStorage]>([:])

    /// Cookies several programs of a user share, in `$XDG_DATA_HOME/<identifier>/cookies`.
    public class func sharedCookieStorage(
        forGroupContainerIdentifier identifier: String
    ) -> HTTPCookieStorage {
        let name = String(identifier.map { $0 == "/" ? "_" : $0 })
        return groups.withLock { groups in
            if let storage = groups[name] { return storage }
            let isName = !name.isEmpty && name != "." && name != ".." && !name.contains("\0")
            let file = (isName ? ProgramFolders.dataHome : nil).map {
                CookieFile(path: $0 + "/" + name + "/cookies")
            }
            let storage = HTTPCookieStorage(file: file)
            groups[name] = storage
            return storage
        }
    }

    /// Makes a storage in memory.
    public convenience init() {
        self.init(file: nil)
    }

    /// Makes a storage that is kept in a file of its own, with mode 0600, made when it is first needed.
    ///
    /// Not in Apple's suite.
    public convenience init(fileURL: URL) {
        self.init(file: CookieFile(path: fileURL.path(percentEncoded: false)))
    }

    init(
        file: CookieFile?, suffixes: @autoclosure () -> PublicSuffixes = .system,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.file = file
        self.clock = clock
        state = Mutex(State(jar: CookieJar(suffixes: suffixes()), isLoaded: file == nil))
        if file != nil { LastWishes.add(self) }
    }

    // MARK: - Apple's methods

    /// All cookies, oldest first.
    public var cookies: [HTTPCookie]? {
        withJar { jar, now in jar.all(now: now).map(HTTPCookie.init) }
    }

    /// The cookies to send to a URL, in the order to send them.
    public func cookies(for url: URL) -> [HTTPCookie]? {
        withJar { jar, now in jar.cookies(for: url, now: now).map(HTTPCookie.init) }
    }

    /// Stores a cookie, unless the policy is never. Replaces one of the same name, domain and path; an
    /// expired one only removes that.
    public func setCookie(_ cookie: HTTPCookie) {
        change { jar, policy, now in
            guard policy != .never, (try? CookieAdmission.checkPrefix(of: cookie.cookie)) != nil
            else {
                return
            }
            var cookie = cookie.cookie
            cookie.created = now
            jar.put(cookie, now: now)
        }
    }

    /// Stores the cookies of an answer, as far as its URL may set them and the policy allows.
    ///
    /// - Parameter mainDocumentURL: What the request was made for; nil when it was for itself.
    public func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
        guard let url else { return cookies.forEach(setCookie) }
        change { jar, policy, now in
            guard Self.allows(url, mainDocumentURL, policy) else { return }
            for cookie in cookies {
                Self.store(cookie.cookie, in: &jar, from: url, mainDocumentURL, now: now)
            }
        }
    }

    /// Forgets the cookie of the same name, domain and path.
    public func deleteCookie(_ cookie: HTTPCookie) {
        change { jar, _, _ in jar.delete(cookie.cookie.identity) }
    }

    /// Removes the cookies that were first set at or after a date.
    public func removeCookies(since date: Date) {
        change { jar, _, _ in jar.removeAll(since: date) }
    }

    /// Which cookies are taken from answers. Not kept in the file.
    public var cookieAcceptPolicy: AcceptPolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    /// All cookies in an order of yours.
    public func sortedCookies<Order: SortComparator<HTTPCookie>>(
        using order: [Order]
    ) -> [HTTPCookie] {
        (cookies ?? []).sorted(using: order)
    }

    // MARK: - For the engine

    /// Where the cookies are kept; nil for a storage in memory.
    var filePath: String? { file?.path }

    /// The cookies to send with a request that is made for a document.
    func cookies(for url: URL, mainDocumentURL: URL?) -> [HTTPCookie] {
        withJar { jar, now in
            jar.cookies(for: url, mainDocumentURL: mainDocumentURL, now: now).map(HTTPCookie.init)
        }
    }

    /// The `Cookie` field for a request; nil when there is nothing to send.
    func field(for url: URL, mainDocumentURL: URL?) -> String? {
        let cookies = withJar { jar, now in
            jar.cookies(for: url, mainDocumentURL: mainDocumentURL, now: now)
        }
        var field = ""
        for cookie in cookies {
            let pair = cookie.pair
            guard field.utf8.count + pair.utf8.count + 2 <= Self.largestFieldByteCount else {
                break
            }
            field += field.isEmpty ? pair : "; " + pair
        }
        return field.isEmpty ? nil : field
    }

    /// What does not fit stays behind. The 50 cookies of 4096 bytes that RFC 6265 §6.1 asks for do.
    private static let largestFieldByteCount = 256 << 10

    /// Takes the `Set-Cookie` lines of an answer, each without the field's name.
    ///
    /// - Parameter sessionPolicy: The session's, which can only narrow the storage's.
    func receive(
        _ lines: [String], from url: URL, mainDocumentURL: URL?,
        sessionPolicy: AcceptPolicy = .always
    ) {
        let fields = lines.compactMap { SetCookieField($0.utf8) }
        guard !fields.isEmpty else { return }
        change { jar, policy, now in
            guard Self.allows(url, mainDocumentURL, policy),
                Self.allows(url, mainDocumentURL, sessionPolicy)
            else { return }
            for cookie in fields.compactMap({ Cookie($0, from: url, now: now) }) {
                Self.store(cookie, in: &jar, from: url, mainDocumentURL, now: now)
            }
        }
    }

    /// Writes what was not written yet, on the caller's thread.
    func flush() {
        save()
    }
}

extension HTTPCookieStorage: Hashable {
    public static func == (one: HTTPCookieStorage, other: HTTPCookieStorage) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension HTTPCookieStorage: CustomStringConvertible {
    public var description: String { "<NSHTTPCookieStorage cookies count:\(cookies?.count ?? 0)>" }
}

// MARK: - Under the lock

extension HTTPCookieStorage {
    private static func store(
        _ cookie: Cookie, in jar: inout CookieJar, from url: URL, _ mainDocumentURL: URL?, now: Date
    ) {
        do throws(CookieAdmission.Refusal) {
            try jar.store(cookie, from: url, mainDocumentURL: mainDocumentURL, now: now)
        } catch {
            return  // a cookie that may not be set is as if it had not come (RFC 6265 §5.3)
        }
    }

    private static func allows(
        _ url: URL, _ mainDocumentURL: URL?, _ policy: AcceptPolicy
    ) -> Bool {
        switch policy {
        case .always: true
        case .never: false
        case .onlyFromMainDocumentDomain:
            CookieAdmission(url: url, mainDocumentURL: mainDocumentURL, suffixes: .system)
                .isSameSite
        }
    }

    private func withJar<Result: Sendable>(
        _ body: (inout CookieJar, Date) -> Result
    ) -> Result {
        let now = clock()
        let (result, looks) = state.withLock { state in
            load(&state, now: now)
            let looks = isTimeToLook(&state)
            return (body(&state.jar, now), looks)
        }
        if looks { Self.queue.async { @Sendable [self] in lookAtFile() } }
        return result
    }

    private func change(_ body: (inout CookieJar, AcceptPolicy, Date) -> Void) {
        let now = clock()
        let schedules = state.withLock { state in
            load(&state, now: now)
            body(&state.jar, state.policy, now)
            guard file != nil, !state.jar.touched.isEmpty, !state.isSaveScheduled else {
                return false
            }
            state.isSaveScheduled = true
            return true
        }
        guard schedules else { return }
        Self.queue.asyncAfter(deadline: .now() + Self.saveDelay) { @Sendable [self] in save() }
    }

    private func load(_ state: inout State, now: Date) {
        guard !state.isLoaded, let file else { return }
        state.isLoaded = true
        guard let (cookies, stamp) = try? file.read() else { return }
        state.jar.adopt(cookies, now: now)
        state.stamp = stamp
    }
}

// MARK: - With the file

extension HTTPCookieStorage: HasLastWish {
    func fulfilLastWish() {
        save()
    }

    private func save() {
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
            // A full disk, say. The cookies are in memory, and the next change tries again.
            state.withLock { $0.jar.touchAgain(changes.keys) }
        }
    }

    private func take(_ cookies: [Cookie], _ stamp: WholeFile.Stamp?, now: Date) {
        state.withLock { state in
            state.jar.adopt(cookies, now: now)
            state.stamp = stamp
        }
    }

    /// Once a second at most, and only when somebody asks for cookies.
    private func isTimeToLook(_ state: inout State) -> Bool {
        guard file != nil else { return false }
        let now = DispatchTime.now()
        guard now.uptimeNanoseconds - state.lastLook.uptimeNanoseconds > 1_000_000_000 else {
            return false
        }
        state.lastLook = now
        return true
    }

    /// Takes over what another process has written.
    func lookAtFile() {
        guard let file else { return }
        filing.withLock { _ in
            guard let stamp = WholeFile.stamp(of: file.path),
                stamp != state.withLock({ $0.stamp }), let (cookies, newStamp) = try? file.read()
            else { return }
            take(cookies, newStamp, now: clock())
        }
    }
}
