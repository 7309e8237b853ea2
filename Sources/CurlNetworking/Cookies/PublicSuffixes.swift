import FoundationEssentials

/// The domains under which strangers register names (`com`, `co.uk`, `github.io`): no cookie may be set
/// for one of them, or any site there could set cookies for any other.
///
/// Rules are those of the Public Suffix List (publicsuffix.org/list): the longest that matches wins, an
/// exception wins over all, and a top-level name that no rule knows is a suffix.
struct PublicSuffixes: Sendable {
    private var rules: Set<String> = []
    private var wildcards: Set<String> = []
    private var exceptions: Set<String> = []

    /// The list of this machine, which Debian's package `publicsuffix` and its like elsewhere keep
    /// fresh. Read at the first question. Without it every top-level name counts as a suffix, and
    /// nothing below.
    static let system: PublicSuffixes = {
        let path = "/usr/share/publicsuffix/public_suffix_list.dat"
        guard let data = FileManager.default.contents(atPath: path) else { return PublicSuffixes() }
        return PublicSuffixes(list: data)
    }()

    /// Without rules: top-level names are suffixes.
    init() {}

    /// - Parameter list: In the list's own format: a rule a line, `//` before comments.
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

    /// The part of a host its owner registered, `example.co.uk`; nil for suffixes and addresses.
    func registrableDomain(of host: String) -> String? {
        guard !CookieScope.isAddress(host) else { return nil }
        let labels = Self.labels(of: host)
        let count = suffixLabelCount(of: labels)
        guard labels.count > count else { return nil }
        return labels.suffix(count + 1).joined(separator: ".") + (host.hasSuffix(".") ? "." : "")
    }

    /// The dot of the root behind a name (`example.org.`) makes it no other domain.
    private static func labels(of name: String) -> [Substring] {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return labels.last == "" ? labels.dropLast() : labels
    }

    private func suffixLabelCount(of labels: [Substring]) -> Int {
        var longest = min(1, labels.count)
        // No rule has more than a handful of labels; a host may have a hundred.
        for count in 1...max(1, min(labels.count, 8)) {
            let name = labels.suffix(count).joined(separator: ".")
            if exceptions.contains(name) { return count - 1 }
            if rules.contains(name) { longest = max(longest, count) }
            if labels.count > count, wildcards.contains(name) { longest = max(longest, count + 1) }
        }
        return longest
    }
}
