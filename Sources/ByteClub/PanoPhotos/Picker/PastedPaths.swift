internal import FoundationEssentials
internal import Glibc

/// What a text that was pasted, or dropped onto the terminal, names on this computer.
///
/// Terminals and file managers write one path or several: a line for each (`text/uri-list`), or words as for a shell, quoted or
/// with backslashes.
struct PastedPaths: Sendable, Equatable {
    /// Absolute paths, each once, in the order of the text.
    var files: [String] = []
    /// The first folder among them.
    var folder: String?
    /// What is not there, or is neither a file nor a folder.
    var missing: [String] = []

    enum Kind: Sendable { case file, folder }

    /// A paste of more paths is a mistake, and would ask the disk for each.
    private static let limit = 1_000

    /// - Parameter kind: What there is at an absolute path; nil for nothing that can be used.
    init(
        _ text: String, in folder: String, home: String, kind: (String) -> Kind?
    ) {
        for line in text.split(whereSeparator: \.isNewline) {
            // A path with blanks in it that nobody has quoted is a path all the same.
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

    /// Asks the disk.
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

    /// Whether a text begins like a path, so that somebody may have dropped a file.
    static func begins(_ text: String) -> Bool {
        let start = text.drop { $0.isWhitespace || $0 == "'" || $0 == "\"" }
        return start.hasPrefix("/") || start.hasPrefix("~/") || start.hasPrefix("file:///")
    }
}

extension TypedPath {
    /// The words of a line as a shell would see them, without quotes and backslashes.
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
