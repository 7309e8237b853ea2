import FoundationEssentials

/// The domains under which anyone can register names (`com`, `co.uk`, `github.io`). No cookie may be set for
/// them, because every site below would receive it.
///
/// The rules are those of the Public Suffix List (publicsuffix.org/list): the longest match applies,
/// exceptions precede, and an unknown top-level domain is a suffix.
struct PublicSuffixes: Sendable {
    private var rules: Set<String> = []
    private var wildcards: Set<String> = []
    private var exceptions: Set<String> = []

    /// The list of this machine, from Debian's package `publicsuffix` or similar ones. Loaded on first use.
    /// Without it, only top-level domains are suffixes.
    static let system: PublicSuffixes = {
        let path = "/usr/share/publicsuffix/public_suffix_list.dat"
        guard let data = FileManager.default.contents(atPath: path) else { return PublicSuffixes() }
        return PublicSuffixes(list: data)
    }()

    /// Without rules: top-level domains are suffixes.
    init() {}

    /// Parses a list.
    ///
    /// - Parameter list: The list in its own format: a rule per line, with `//` before comments.
    init(list: some Sequence<UInt8>) {
        for line in Array(list).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let rule = line.prefix { $0 != 0x20 && $0 != 0x09 }
            guard let first = rule.first, !rule.starts(with: "//".utf8) else { continue }
            if first == UInt8(ascii: "!") {
                Self.insert(rule.dropFirst(), into: &exceptions)
            } else if rule.starts(with: "*.".utf8) {
                Self.insert(rule.dropFirst(2), into: &wildcards)
            } else {
                Self.insert(rule, into: &rules)
            }
        }
    }

    private static func insert(_ rule: ArraySlice<UInt8>, into set: inout Set<String>) {
        let text = String(decoding: rule, as: UTF8.self)
        let isPlain = rule.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
        guard let name = isPlain ? text : CookieScope.canonicalHost(text), !name.isEmpty else {
            return
        }
        set.insert(name)
    }

    /// Whether a domain, in canonical spelling, is a public suffix.
    func contains(_ domain: String) -> Bool {
        let labels = Self.labels(of: domain)
        return suffixLabelCount(of: labels) == labels.count
    }

    /// The registered part of a host, such as `example.co.uk`; nil for suffixes and addresses.
    func registrableDomain(of host: String) -> String? {
        guard !CookieScope.isAddress(host) else { return nil }
        let labels = Self.labels(of: host)
        let count = suffixLabelCount(of: labels)
        guard labels.count > count else { return nil }
        return labels.suffix(count + 1).joined(separator: ".") + (host.hasSuffix(".") ? "." : "")
    }

    /// Splits a name into labels, ignoring a trailing dot (`example.org.`).
    private static func labels(of name: String) -> [Substring] {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return labels.last == "" ? labels.dropLast() : labels
    }

    private func suffixLabelCount(of labels: [Substring]) -> Int {
        var longest = min(1, labels.count)
        // Rules have few labels, but a host may have a hundred.
        for count in 1...max(1, min(labels.count, 8)) {
            let name = labels.suffix(count).joined(separator: ".")
            if exceptions.contains(name) { return count - 1 }
            if rules.contains(name) { longest = max(longest, count) }
            if labels.count > count, wildcards.contains(name) { longest = max(longest, count + 1) }
        }
        return longest
    }
}
