internal import ClubStore
internal import ClubAccess
internal import FoundationEssentials
internal import Glibc

/// A typed, pasted or dropped path, made absolute.
///
/// Understands `~`, relative paths, quotes, backslash escapes and `file:` URLs, as file managers and
/// terminals paste them.
enum TypedPath {
    /// - Parameters:
    ///   - typed: The text of the field; may be empty.
    ///   - folder: The absolute base of relative paths.
    ///   - home: The absolute path for `~`.
    /// - Returns: An absolute path without `.`, `..` or double slashes; `folder` for an empty text.
    static func resolve(_ typed: String, in folder: String, home: String) -> String {
        let text = trimmed(typed)
        if let bare = unquoted(text) { return absolute(bare, in: folder, home: home) }
        if text.hasPrefix("file://") { return absolute(text, in: folder, home: home) }
        return absolute(text.contains("\\") ? unescaped(text) : text, in: folder, home: home)
    }

    /// The same for the picker's line, which `/` opens: `/Pics/` means `Pics` in `folder` where the top of the disk has
    /// nothing of that name.
    ///
    /// - Parameter isAtTop: Whether something of that name is at the top of the disk.
    static func resolve(
        line: String, in folder: String, home: String, isAtTop: (String) -> Bool = isAtTop
    ) -> String {
        let text = trimmed(line)
        let first = text.dropFirst().prefix { $0 != "/" }
        guard text.hasPrefix("/"), !first.isEmpty, !isAtTop(String(first)) else {
            return resolve(line, in: folder, home: home)
        }
        return resolve(String(text.dropFirst()), in: folder, home: home)
    }

    static func isAtTop(_ name: String) -> Bool {
        var status = stat()
        return lstat("/" + name, &status) == 0
    }

    /// A path without quotes and backslashes, or a `file:` URL, made absolute.
    static func absolute(_ bare: String, in folder: String, home: String) -> String {
        var text = bare
        if text.hasPrefix("file://") {
            text = percentDecoded(afterHost(text.dropFirst("file://".count)))
        }
        guard !text.isEmpty else { return folder }
        if text == "~" { return home }
        // The field begins with `~/`: a whole path was typed after it.
        if text == "~/~" { return home }
        while text.hasPrefix("~/~/") { text.removeFirst(2) }
        if text.hasPrefix("~//") { return normalized(String(text.dropFirst(2))) }
        if let rest = text.pathAfter(folder: "~") { return normalized(home + "/" + rest) }
        if text.isAbsolutePath { return normalized(text) }
        return normalized(folder + "/" + text)
    }

    /// The folder for `~`.
    static var home: String { ProcessInfo.processInfo.environment["HOME"] ?? "/" }

    /// An absolute path for display, with `~` for the home folder.
    static func shown(_ path: String, home: String = TypedPath.home) -> String {
        path == home ? "~" : path.pathAfter(folder: home).map { "~/" + $0 } ?? path
    }

    /// The same; only the end of a long path.
    static func brief(_ path: String, home: String) -> String {
        let shown = shown(path, home: home)
        return shown.count > 40 ? "…" + shown.suffix(39) : shown
    }

    /// The longest common prefix of all names that begin with `prefix`, or nil if there is none.
    ///
    /// Ignores case unless the prefix contains a capital letter.
    static func completion(of prefix: String, among names: [String]) -> String? {
        let matching = names.filter { matches($0, prefix: prefix) }
        guard var shared = matching.first else { return nil }
        for name in matching.dropFirst() {
            shared = String(zip(shared, name).prefix { $0 == $1 }.map(\.0))
        }
        return shared.count >= prefix.count ? shared : prefix
    }

    static func matches(_ name: String, prefix: String) -> Bool {
        let hasCapital = prefix.contains(where: \.isUppercase)
        return hasCapital
            ? name.hasPrefix(prefix) : name.lowercased().hasPrefix(prefix.lowercased())
    }

    private static func trimmed(_ text: String) -> String {
        var slice = Substring(text)
        while let last = slice.last, last.isWhitespace { slice.removeLast() }
        while let first = slice.first, first.isWhitespace { slice.removeFirst() }
        return String(slice)
    }

    private static func unquoted(_ text: String) -> String? {
        guard text.count >= 2, let first = text.first, first == text.last,
            first == "'" || first == "\""
        else { return nil }
        return String(text.dropFirst().dropLast())
    }

    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }

    private static func afterHost(_ text: Substring) -> Substring {
        text.hasPrefix("/") ? text : text.drop { $0 != "/" }
    }

    private static func percentDecoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func normalized(_ path: String) -> String {
        var parts: [String] = []
        for part in path.pathNames() where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
