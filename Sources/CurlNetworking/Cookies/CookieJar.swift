import FoundationEssentials

/// The cookies of a storage as a value (RFC 6265 §5.3 and §5.4), without clock, file and lock.
struct CookieJar: Sendable {
    /// Limits against servers that set too many cookies. The RFC requires at least 50 and 3000.
    struct Limits: Sendable {
        /// For all hosts of one site together; otherwise each subdomain would have the full number.
        var perSite = 150
        /// How far the limit may be exceeded before cookies are removed, so that this does not happen for
        /// each cookie.
        var perSiteExcess = 30
        var total = 3000
        var totalExcess = 300
    }

    private struct Entry: Sendable {
        var cookie: Cookie
        var lastUse: Date
        /// Orders cookies of the same time, oldest first.
        var number: Int

        /// Replaces the cookie, which keeps its place in the order (§5.3).
        mutating func replace(with cookie: Cookie, now: Date) {
            let created = self.cookie.created
            self.cookie = cookie
            self.cookie.created = created
            lastUse = now
        }
    }

    private struct Shelf: Sendable {
        var site: String
        var entries: [Entry] = []
    }

    /// Loaded when a cookie is first stored, because the list is large.
    private let suffixes: @Sendable () -> PublicSuffixes
    private let limits: Limits
    /// By domain.
    private var shelves: [String: Shelf] = [:]
    private var lastNumber = 0
    private var lastCreated = Date.distantPast
    private var firstNumber = 0
    private(set) var count = 0
    /// What was set or removed since `takeTouched()`.
    private(set) var touched: Set<Cookie.Identity> = []

    init(
        suffixes: @escaping @autoclosure @Sendable () -> PublicSuffixes = .system,
        limits: Limits = Limits()
    ) {
        self.suffixes = suffixes
        self.limits = limits
    }

    // MARK: - Storing cookies

    /// Stores a cookie from a URL, if that is allowed.
    mutating func store(
        _ cookie: Cookie, from url: URL, mainDocumentURL: URL? = nil, now: Date
    ) throws(CookieAdmission.Refusal) {
        let admission = CookieAdmission(
            url: url, mainDocumentURL: mainDocumentURL, suffixes: suffixes())
        let cookie = try admission.admit(cookie)
        if !CookieScope.isSecure(url), !cookie.isSecure, wouldShadowSecureCookie(cookie) {
            throw .insecure
        }
        put(cookie, now: now)
    }

    /// Stores a cookie of the program. An expired one removes its predecessor.
    mutating func put(_ cookie: Cookie, now: Date) {
        touched.insert(cookie.identity)
        guard !cookie.isExpired(at: now) else {
            _ = remove(cookie.identity)
            return
        }
        if let index = index(of: cookie.identity) {
            shelves[cookie.domain]?.entries[index].replace(with: cookie, now: now)
            return
        }
        append(cookie, now: now)
        makeRoom(beside: cookie.domain, now: now)
    }

    private mutating func append(_ cookie: Cookie, now: Date) {
        lastNumber += 1
        var cookie = cookie
        // Cookies of one response have the same time, and keep their order in the file.
        if cookie.created == lastCreated {
            cookie.created += 1e-6 * Double(lastNumber - firstNumber)
        } else {
            lastCreated = cookie.created
            firstNumber = lastNumber
        }
        let site =
            shelves[cookie.domain]?.site
            ?? suffixes().registrableDomain(of: cookie.domain) ?? cookie.domain
        shelves[cookie.domain, default: Shelf(site: site)].entries
            .append(Entry(cookie: cookie, lastUse: now, number: lastNumber))
        count += 1
    }

    /// Over an insecure connection, no cookie may hide or replace one that was set over a secure one.
    private func wouldShadowSecureCookie(_ cookie: Cookie) -> Bool {
        shelves.contains { domain, shelf in
            guard
                CookieScope.host(domain, matches: cookie.domain)
                    || CookieScope.host(cookie.domain, matches: domain)
            else { return false }
            return shelf.entries.contains {
                $0.cookie.isSecure && $0.cookie.name == cookie.name
                    && CookieScope.path(cookie.path, matches: $0.cookie.path)
            }
        }
    }

    // MARK: - Cookies to send

    /// Returns the cookies to send with a request, longest path first, then oldest (§5.4).
    mutating func cookies(
        for url: URL, mainDocumentURL: URL? = nil, now: Date
    ) -> [Cookie] {
        guard count > 0, let host = CookieScope.canonicalHost(of: url) else { return [] }
        let path = CookieScope.requestPath(of: url)
        let isSecure = CookieScope.isSecure(url)
        let isSameSite = CookieAdmission(
            url: url, mainDocumentURL: mainDocumentURL, suffixes: suffixes()
        ).isSameSite
        var found: [Entry] = []
        for domain in Self.domains(above: host) {
            guard var shelf = shelves.removeValue(forKey: domain) else { continue }
            for index in shelf.entries.indices {
                let cookie = shelf.entries[index].cookie
                guard !cookie.isHostOnly || host == domain, isSecure || !cookie.isSecure,
                    isSameSite || cookie.sameSite == nil || cookie.sameSite == "none",
                    !cookie.isExpired(at: now), CookieScope.path(path, matches: cookie.path)
                else { continue }
                shelf.entries[index].lastUse = now
                found.append(shelf.entries[index])
            }
            shelves[domain] = shelf
        }
        return found.sorted(by: Self.isSentBefore).map(\.cookie)
    }

    /// Returns all cookies that have not expired, oldest first.
    func all(now: Date) -> [Cookie] {
        shelves.values.flatMap(\.entries).filter { !$0.cookie.isExpired(at: now) }
            .sorted { $0.number < $1.number }.map(\.cookie)
    }

    func cookie(_ identity: Cookie.Identity) -> Cookie? {
        index(of: identity).flatMap { shelves[identity.domain]?.entries[$0].cookie }
    }

    private static func isSentBefore(_ one: Entry, _ other: Entry) -> Bool {
        let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        return lengths.0 != lengths.1 ? lengths.0 > lengths.1 : one.number < other.number
    }

    /// Returns the host and each parent domain; an address has none.
    private static func domains(above host: String) -> [String] {
        guard !CookieScope.isAddress(host) else { return [host] }
        var domains = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: "."), domains.count < 128 {
            rest = rest[rest.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }

    // MARK: - Removing cookies

    mutating func delete(_ identity: Cookie.Identity) {
        if remove(identity) != nil { touched.insert(identity) }
    }

    /// Removes the cookies that were first set at or after a time.
    mutating func removeAll(since date: Date) {
        for cookie in shelves.values.flatMap(\.entries).map(\.cookie) where cookie.created >= date {
            delete(cookie.identity)
        }
    }

    /// Removes expired cookies, then those in excess of the limits, of a site and of the whole jar: first
    /// insecure ones, and of these the least recently used (6265bis §5.7).
    private mutating func makeRoom(beside domain: String, now: Date) {
        guard let site = shelves[domain]?.site else { return }
        if count > limits.perSite + limits.perSiteExcess {
            shrink(to: limits.perSite, allowing: limits.perSiteExcess, now: now) { $0.site == site }
        }
        if count > limits.total + limits.totalExcess {
            shrink(to: limits.total, allowing: limits.totalExcess, now: now) { _ in true }
        }
    }

    private mutating func shrink(
        to limit: Int, allowing excess: Int, now: Date, where isMeant: (Shelf) -> Bool
    ) {
        var entries = shelves.values.filter(isMeant).flatMap(\.entries)
        guard entries.count > limit + excess else { return }
        for entry in entries where entry.cookie.isExpired(at: now) { delete(entry.cookie.identity) }
        entries.removeAll { $0.cookie.isExpired(at: now) }
        guard entries.count > limit else { return }
        entries.sort { one, other in
            if one.cookie.isSecure != other.cookie.isSecure { return other.cookie.isSecure }
            return one.lastUse != other.lastUse
                ? one.lastUse < other.lastUse : one.number < other.number
        }
        for entry in entries.prefix(entries.count - limit) { delete(entry.cookie.identity) }
    }

    private mutating func remove(_ identity: Cookie.Identity) -> Cookie? {
        guard let index = index(of: identity),
            var shelf = shelves.removeValue(forKey: identity.domain)
        else { return nil }
        let entry = shelf.entries.remove(at: index)
        if !shelf.entries.isEmpty { shelves[identity.domain] = shelf }
        count -= 1
        return entry.cookie
    }

    private func index(of identity: Cookie.Identity) -> Int? {
        shelves[identity.domain]?.entries.firstIndex { $0.cookie.identity == identity }
    }
}

// MARK: - Partial files

extension CookieJar {
    /// Returns the cookies that were set, and nil for those that were removed or became session cookies,
    /// since the last call.
    mutating func takeTouched() -> [Cookie.Identity: Cookie?] {
        defer { touched = [] }
        return Dictionary(
            uniqueKeysWithValues: touched.map { identity in
                (identity, cookie(identity).flatMap { $0.isPersistent ? $0 : nil })
            })
    }

    /// Marks changes that could not be written as changed again.
    mutating func touchAgain(_ identities: some Sequence<Cookie.Identity>) {
        touched.formUnion(identities)
    }

    /// Merges the contents of a file, which take precedence except over session cookies and changes that were
    /// not written yet.
    mutating func adopt(_ filed: [Cookie], now: Date) {
        let present = Set(filed.map(\.identity))
        for cookie in shelves.values.flatMap(\.entries).map(\.cookie)
        where cookie.isPersistent && !present.contains(cookie.identity)
            && !touched.contains(cookie.identity)
        {
            _ = remove(cookie.identity)
        }
        for cookie in filed where !touched.contains(cookie.identity) && !cookie.isExpired(at: now) {
            if let index = index(of: cookie.identity) {
                guard self.cookie(cookie.identity)?.isPersistent == true else { continue }
                shelves[cookie.domain]?.entries[index].cookie = cookie
            } else if count < limits.total + limits.totalExcess {
                append(cookie, now: cookie.created)
            }
        }
    }
}
