import FoundationEssentials
import CurlNetworkingPlatform

/// The domains under which anyone can register names (`com`, `co.uk`, `github.io`). No cookie may be set for
/// them, because every site below would receive it.
///
/// The rules are those of the Public Suffix List (publicsuffix.org/list): the longest match applies,
/// exceptions precede, and an unknown top-level domain is a suffix. Without the list, every domain counts as
/// a suffix: a cookie is then for the host that has set it, and no host shares a site with another.
struct PublicSuffixes: Sendable {
    private let source: Source

    /// Where the rules come from.
    private enum Source: Sendable {
        case list(PublicSuffixList)
        /// Asks a library about a domain of at least two labels.
        case library(@Sendable (_ domain: String) -> Bool)
        case none
    }

    /// The rules of this machine. Loaded on first use.
    static let system = PublicSuffixes.installed()

    /// The list of Debian's package `publicsuffix` or similar ones, which the system updates.
    static let systemPath = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// Creates the rules of a file; without it, those of a library; without both, none.
    static func installed(
        listAt path: String = PublicSuffixes.systemPath,
        library: @autoclosure () -> PublicSuffixes? = PublicSuffixes.libpsl
    ) -> PublicSuffixes {
        if let data = FileManager.default.contents(atPath: path) {
            let list = PublicSuffixList(data)
            if !list.isEmpty { return PublicSuffixes(source: .list(list)) }
        }
        return library() ?? PublicSuffixes()
    }

    /// The list that is built into libpsl; nil where that is not installed.
    static let libpsl: PublicSuffixes? = LibPSL.load().map { library in
        PublicSuffixes(library: { library.isPublicSuffix($0) })
    }

    /// Without rules.
    init() {
        self.init(source: .none)
    }

    /// Parses a list.
    ///
    /// - Parameter list: The list in its own format: a rule per line, with `//` before comments.
    init(list: some Sequence<UInt8>) {
        self.init(source: .list(PublicSuffixList(list)))
    }

    /// Asks a library whether a domain of at least two labels is a suffix.
    init(library isSuffix: @escaping @Sendable (_ domain: String) -> Bool) {
        self.init(source: .library(isSuffix))
    }

    private init(source: Source) {
        self.source = source
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
        switch source {
        case .list(let list):
            return list.suffixLabelCount(of: labels)
        case .library(let isSuffix):
            guard labels.count > 1 else { return labels.count }
            // The longest first: `forgot.his.name` is a suffix, but `his.name` is not.
            var count = min(labels.count, PublicSuffixList.largestLabelCount)
            while count > 1, !isSuffix(labels.suffix(count).joined(separator: ".")) { count -= 1 }
            return count
        case .none:
            return labels.count
        }
    }
}

/// The rules of a Public Suffix List.
private struct PublicSuffixList: Sendable {
    private var rules: Set<String> = []
    private var wildcards: Set<String> = []
    private var exceptions: Set<String> = []

    /// Rules have few labels, but a host may have a hundred.
    static let largestLabelCount = 8

    var isEmpty: Bool { rules.isEmpty && wildcards.isEmpty }

    init(_ list: some Sequence<UInt8>) {
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

    func suffixLabelCount(of labels: [Substring]) -> Int {
        var longest = min(1, labels.count)
        for count in 1...max(1, min(labels.count, Self.largestLabelCount)) {
            let name = labels.suffix(count).joined(separator: ".")
            if exceptions.contains(name) { return count - 1 }
            if rules.contains(name) { longest = max(longest, count) }
            if labels.count > count, wildcards.contains(name) { longest = max(longest, count + 1) }
        }
        return longest
    }
}

/// libpsl, loaded at run time: programs do not depend on it.
private struct LibPSL: @unchecked Sendable {
    // Unchecked for the pointers, to a function and to constant data of a library that is never unloaded.

    private typealias BuiltIn = @convention(c) () -> OpaquePointer?
    private typealias IsPublicSuffix =
        @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32

    private let list: OpaquePointer
    private let check: IsPublicSuffix

    /// Returns nil if the library is not installed, or was built without a list.
    static func load() -> LibPSL? {
        guard let library = dlopen("libpsl.so.5", RTLD_NOW),
            let builtIn = dlsym(library, "psl_builtin"),
            let check = dlsym(library, "psl_is_public_suffix"),
            let list = unsafeBitCast(builtIn, to: BuiltIn.self)()
        else { return nil }
        return LibPSL(list: list, check: unsafeBitCast(check, to: IsPublicSuffix.self))
    }

    func isPublicSuffix(_ domain: String) -> Bool {
        domain.withCString { check(list, $0) != 0 }
    }
}
