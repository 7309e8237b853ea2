public import FoundationEssentials
import Synchronization

/// Stores cookies, and selects those to send. All methods can be called from any thread.
///
/// A storage with a file writes changes soon after they are made, on another thread, at the latest when the
/// process exits, even if the storage was released. Several processes can use one file: each merges its
/// changes with the file's contents.
///
/// Subclasses can override Apple's methods: sessions get the cookies to send from `cookies(for:)` and pass
/// received ones to `setCookies(_:for:mainDocumentURL:)`. `SameSite` rules are up to the subclass then.
open class HTTPCookieStorage: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is immutable and Sendable, and a
    // subclass declares its own conformance.

    /// Which cookies are accepted.
    public enum AcceptPolicy: UInt, Sendable {
        case always = 0
        case never = 1
        /// Only those of the main document's site.
        case onlyFromMainDocumentDomain = 2
    }

    /// The stored cookies.
    let jar: KeptCookieJar
    private let policy = Mutex(AcceptPolicy.onlyFromMainDocumentDomain)

    /// The cookies of this program, in `$XDG_DATA_HOME/<program>/cookies` (`~/.local/share/…`).
    public static let shared = HTTPCookieStorage(
        file: ProgramFolders.data.map { CookieFile(path: $0 + "/cookies") })

    private static let groups = Mutex<[String: HTTPCookieStorage]>([:])

    /// Returns a storage for several programs of a user, in `$XDG_DATA_HOME/<identifier>/cookies`.
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

    /// Creates a storage in memory.
    public override init() {
        jar = KeptCookieJar(CookieJar(suffixes: .system), in: nil, clock: { Date() })
    }

    /// Creates a storage with a file, with mode 0600, which is created when needed.
    ///
    /// Not part of Apple's API.
    public init(fileURL: URL) {
        jar = KeptCookieJar(
            CookieJar(suffixes: .system),
            in: CookieFile(path: fileURL.path(percentEncoded: false)), clock: { Date() })
    }

    init(
        file: CookieFile?,
        suffixes: @escaping @autoclosure @Sendable () -> PublicSuffixes = .system,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        jar = KeptCookieJar(CookieJar(suffixes: suffixes()), in: file, clock: clock)
    }

    // MARK: - Apple's methods

    /// All cookies, oldest first.
    open var cookies: [HTTPCookie]? {
        jar.look { jar, now in jar.all(now: now).map(HTTPCookie.init) }
    }

    /// Returns the cookies for a URL, in the order to send them.
    open func cookies(for url: URL) -> [HTTPCookie]? {
        jar.look { jar, now in jar.cookies(for: url, now: now).map(HTTPCookie.init) }
    }

    /// Stores a cookie, unless the policy is `.never`. It replaces one with the same name, domain and path;
    /// an expired cookie only removes it.
    open func setCookie(_ cookie: HTTPCookie) {
        guard cookieAcceptPolicy != .never,
            (try? CookieAdmission.checkPrefix(of: cookie.cookie)) != nil
        else { return }
        jar.change { jar, now in
            var cookie = cookie.cookie
            cookie.created = now
            jar.put(cookie, now: now)
        }
        StorageChange.cookies.post(of: self)
    }

    /// Stores the cookies of a response, as far as its URL may set them and the policy allows it.
    ///
    /// - Parameter mainDocumentURL: The URL of the main document; nil if the request is for it.
    open func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
        guard let url else { return cookies.forEach(setCookie) }
        guard Self.allows(url, mainDocumentURL, cookieAcceptPolicy) else { return }
        jar.change { jar, now in
            for cookie in cookies {
                Self.store(cookie.cookie, in: &jar, from: url, mainDocumentURL, now: now)
            }
        }
        StorageChange.cookies.post(of: self)
    }

    /// Removes the cookie with the same name, domain and path.
    open func deleteCookie(_ cookie: HTTPCookie) {
        jar.change { jar, _ in jar.delete(cookie.cookie.identity) }
        StorageChange.cookies.post(of: self)
    }

    /// Removes the cookies that were first set at or after a date.
    open func removeCookies(since date: Date) {
        jar.change { jar, _ in jar.removeAll(since: date) }
        StorageChange.cookies.post(of: self)
    }

    /// Which cookies of responses are accepted. Not stored in the file.
    open var cookieAcceptPolicy: AcceptPolicy {
        get { policy.withLock { $0 } }
        set {
            policy.withLock { $0 = newValue }
            StorageChange.cookiePolicy.post(of: self)
        }
    }

    /// Returns all cookies, sorted.
    public func sortedCookies<Order: SortComparator<HTTPCookie>>(
        using order: [Order]
    ) -> [HTTPCookie] {
        (cookies ?? []).sorted(using: order)
    }

    #if Foundation
        /// Returns all cookies, sorted.
        open func sortedCookies(using sortOrder: [NSSortDescriptor]) -> [HTTPCookie] {
            (cookies ?? []).sorted { one, other in
                for descriptor in sortOrder {
                    let order = descriptor.compare(one, to: other)
                    if order != .orderedSame { return order == .orderedAscending }
                }
                return false
            }
        }
    #endif

    /// The number of cookies.
    open override var description: String {
        "<NSHTTPCookieStorage cookies count:\(cookies?.count ?? 0)>"
    }

    // MARK: - For the engine

    /// Whether the storage is a subclass.
    private var isSubclassed: Bool { type(of: self) != HTTPCookieStorage.self }

    /// The path of the file; nil for a storage in memory.
    var filePath: String? { jar.file?.path }

    /// Returns the cookies for a request with a main document.
    func cookies(for url: URL, mainDocumentURL: URL?) -> [HTTPCookie] {
        jar.look { jar, now in
            jar.cookies(for: url, mainDocumentURL: mainDocumentURL, now: now).map(HTTPCookie.init)
        }
    }

    /// Returns the `Cookie` field for a request; nil without cookies.
    func field(for url: URL, mainDocumentURL: URL?) -> String? {
        let cookies =
            isSubclassed
            ? self.cookies(for: url)?.map(\.cookie) ?? []
            : jar.look { jar, now in
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

    /// Cookies beyond this are not sent. RFC 6265 §6.1 requires 50 cookies of 4096 bytes.
    private static let largestFieldByteCount = 256 << 10

    /// Stores the cookies of `Set-Cookie` lines, each without the field's name.
    ///
    /// - Parameter sessionPolicy: The session's policy, which applies in addition to the storage's.
    func receive(
        _ lines: [String], from url: URL, mainDocumentURL: URL?,
        sessionPolicy: AcceptPolicy = .always
    ) {
        let fields = lines.compactMap { SetCookieField($0.utf8) }
        guard !fields.isEmpty, Self.allows(url, mainDocumentURL, cookieAcceptPolicy),
            Self.allows(url, mainDocumentURL, sessionPolicy)
        else { return }
        if isSubclassed {
            let now = Date()
            let cookies = fields.compactMap { Cookie($0, from: url, now: now).map(HTTPCookie.init) }
            return setCookies(cookies, for: url, mainDocumentURL: mainDocumentURL)
        }
        jar.change { jar, now in
            for cookie in fields.compactMap({ Cookie($0, from: url, now: now) }) {
                Self.store(cookie, in: &jar, from: url, mainDocumentURL, now: now)
            }
        }
        StorageChange.cookies.postLater(of: self)
    }

    /// Writes pending changes on the calling thread.
    func flush() {
        jar.flush()
    }

    private static func store(
        _ cookie: Cookie, in jar: inout CookieJar, from url: URL, _ mainDocumentURL: URL?, now: Date
    ) {
        do throws(CookieAdmission.Refusal) {
            try jar.store(cookie, from: url, mainDocumentURL: mainDocumentURL, now: now)
        } catch {
            return  // a cookie that may not be set is ignored (RFC 6265 §5.3)
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
}
