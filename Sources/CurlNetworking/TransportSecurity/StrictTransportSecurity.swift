import FoundationEssentials

/// A parsed `Strict-Transport-Security` field (RFC 6797 §6.1).
struct StrictTransportSecurity: Hashable, Sendable {
    /// The lifetime in seconds; 0 removes the policy.
    var maximumAge: Double
    var includesSubdomains = false

    /// Parses a field. Returns nil if it is invalid: it is ignored as a whole.
    ///
    /// - Parameter value: The value of the field. If there are several fields, joined by commas, the first
    ///   one counts (§8.1); directives contain no commas.
    init?(_ value: String) {
        var seen: Set<String> = []
        var age: Double?
        let first = value.split(separator: ",", omittingEmptySubsequences: false).first ?? ""
        for directive in first.split(separator: ";") {
            let parts = directive.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = (parts.first ?? "").trimmingSpaces.lowercased()
            guard !name.isEmpty || parts.count == 1 else { return nil }
            if name.isEmpty { continue }
            guard seen.insert(name).inserted else { return nil }
            switch name {
            case "max-age":
                guard parts.count == 2, let seconds = Self.seconds(parts[1].trimmingSpaces) else {
                    return nil
                }
                age = seconds
            case "includesubdomains":
                guard parts.count == 1 else { return nil }
                includesSubdomains = true
            default: break
            }
        }
        guard let age else { return nil }
        maximumAge = age
    }

    /// The maximum lifetime: a hundred years.
    private static let longestAge = 100 * 365 * 86_400.0

    private static func seconds(_ text: String) -> Double? {
        var digits = text[...]
        if digits.count > 1, digits.hasPrefix("\""), digits.hasSuffix("\"") {
            digits = digits.dropFirst().dropLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return min(Double(digits) ?? longestAge, longestAge)
    }
}

/// The hosts that require TLS (RFC 6797 §8).
struct TransportSecurityHosts: Sendable {
    /// A host and its policy.
    struct Host: Codable, Hashable, Sendable {
        /// Canonical: in lower case, with punycode, without a trailing dot.
        var name: String
        var expires: Date
        var includesSubdomains: Bool
    }

    private var hosts: [String: Host] = [:]
    /// What was changed since `takeTouched()`; nil for removed hosts.
    private var touched: [String: Host?] = [:]

    /// Programs use far fewer hosts; the limit protects against a server that invents names.
    static let largestCount = 5000

    // MARK: - Queries

    /// Returns whether a host requires TLS.
    func requiresTLS(_ host: String, at now: Date) -> Bool {
        guard !hosts.isEmpty, var name = Self.canonical(host)?[...] else { return false }
        if let entry = hosts[String(name)], entry.expires > now { return true }
        while let dot = name.firstIndex(of: ".") {
            name = name[name.index(after: dot)...]
            if let entry = hosts[String(name)], entry.includesSubdomains, entry.expires > now {
                return true
            }
        }
        return false
    }

    /// Returns all hosts, sorted by name.
    func all(at now: Date) -> [Host] {
        hosts.values.filter { $0.expires > now }.sorted { $0.name < $1.name }
    }

    /// Returns nil for an address, which does not identify a host (§8.1.1).
    static func canonical(_ host: String) -> String? {
        guard var name = CookieScope.canonicalHost(host), !CookieScope.isAddress(name) else {
            return nil
        }
        if name.hasSuffix(".") { name.removeLast() }
        return name.isEmpty ? nil : name
    }

    // MARK: - Changing

    /// Stores a host's policy that was received over valid TLS.
    mutating func note(_ policy: StrictTransportSecurity, from host: String, at now: Date) {
        guard let name = Self.canonical(host) else { return }
        guard policy.maximumAge > 0 else { return remove(name) }
        let new = Host(
            name: name, expires: now.addingTimeInterval(policy.maximumAge),
            includesSubdomains: policy.includesSubdomains)
        // Every response repeats the policy: a slightly later expiration is not worth a write.
        if let old = hosts[name], old.includesSubdomains == new.includesSubdomains,
            abs(old.expires.timeIntervalSince(new.expires))
                < min(86_400, policy.maximumAge / 10)
        {
            return
        }
        makeRoom(at: now)
        hosts[name] = new
        touched[name] = .some(new)
    }

    mutating func remove(_ name: String) {
        guard hosts.removeValue(forKey: name) != nil else { return }
        touched[name] = .some(nil)
    }

    mutating func removeAll() {
        for name in hosts.keys { touched[name] = .some(nil) }
        hosts = [:]
    }

    private mutating func makeRoom(at now: Date) {
        guard hosts.count >= Self.largestCount else { return }
        for entry in hosts.values where entry.expires <= now { remove(entry.name) }
        guard hosts.count >= Self.largestCount,
            let first = hosts.values.min(by: { $0.expires < $1.expires })
        else { return }
        remove(first.name)
    }

    // MARK: - On the disk

    var isTouched: Bool { !touched.isEmpty }

    mutating func takeTouched() -> [String: Host?] {
        defer { touched = [:] }
        return touched
    }

    /// Marks changes that could not be written, so that they are written with the next change.
    mutating func touchAgain(_ changes: [String: Host?]) {
        touched.merge(changes) { newer, _ in newer }
    }

    /// Merges the contents of the file, except for hosts that were changed here since.
    mutating func adopt(_ list: [Host], at now: Date) {
        var adopted: [String: Host] = [:]
        for host in list.prefix(Self.largestCount) where host.expires > now {
            adopted[host.name] = host
        }
        for (name, host) in touched { adopted[name] = host }
        hosts = adopted
    }
}
