internal import FoundationEssentials
internal import Glibc

/// The files on this computer that a pasted or dropped text names.
///
/// Terminals and file managers write one or several paths: one per line (`text/uri-list`), or as shell words,
/// quoted or with backslashes.
struct PastedPaths: Sendable, Equatable {
    /// Unique absolute paths, in the order of the text.
    var files: [String] = []
    /// The first folder among them.
    var folder: String?
    /// Paths that do not exist, or are neither a file nor a folder.
    var missing: [String] = []

    enum Kind: Sendable { case file, folder }

    /// More paths are a mistake, and each would need disk access.
    private static let limit = 1_000

    /// - Parameter kind: The kind of file at an absolute path; nil if there is no usable one.
    init(
        _ text: String, in folder: String, home: String, kind: (String) -> Kind?
    ) {
        for line in text.split(whereSeparator: \.isNewline) {
            // An unquoted path may contain blanks.
            let whole = TypedPath.resolve(String(line), in: folder, home: home)
            if !line.allSatisfy(\.isWhitespace), let kind = kind(whole) {
                add(whole, kind)
                continue
            }
            for word in TypedPath.words(in: String(line)) {
                guard files.count + missing.count < Self.limit else { return }
                let path = TypedPath.absolute(word, in: folder, home: home)
                if let kind = kind(path) { add(path, kind) } else { missing.append(path) }
            }
        }
    }

    private mutating func add(_ path: String, _ kind: Kind) {
        switch kind {
        case .file: if !files.contains(path) { files.append(path) }
        case .folder: folder = folder ?? path
        }
    }

    /// Reads from the disk.
    @concurrent static func read(
        _ text: String, in folder: String, home: String
    ) async -> PastedPaths {
        PastedPaths(text, in: folder, home: home) { path in
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return switch status.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFREG: .file
            default: nil
            }
        }
    }

    /// Whether a text begins like a path: a file may have been dropped.
    static func begins(_ text: String) -> Bool {
        let start = text.drop { $0.isWhitespace || $0 == "'" || $0 == "\"" }
        return start.hasPrefix("/") || start.hasPrefix("~/") || start.hasPrefix("file:///")
    }
}

extension TypedPath {
    /// The shell words of a line, without quotes and backslashes.
    static func words(in line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap { $0 }.filter { !$0.isEmpty }
    }
}
