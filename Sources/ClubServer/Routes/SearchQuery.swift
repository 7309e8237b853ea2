import DropboxAPI

/// The words of a search.
///
/// Every word must occur: in the name, or in the text of a note. Case and normalization do not
/// matter, and a word also matches inside a longer one.
struct SearchQuery: Sendable {
    let words: [String]

    init(_ text: String) {
        words = PathNames.key(text).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    func matches(name: String) -> Bool {
        let key = PathNames.key(name)
        return words.allSatisfy { key.contains($0) }
    }

    func matches(text: String) -> Bool {
        let key = PathNames.key(text)
        return words.allSatisfy { key.contains($0) }
    }

    /// Larger is better: a name that begins with the query, then one that contains it, then text.
    func rank(name: String, inText: Bool) -> Int {
        let key = PathNames.key(name)
        guard matches(name: name) else { return inText ? 1 : 0 }
        return words.first.map(key.hasPrefix) == true ? 3 : 2
    }

    /// Only text files up to this size are searched for words.
    static let textByteLimit: Int64 = 1 << 20

    /// Whether a file with this name may contain searchable text.
    static func mayHoldText(_ name: String) -> Bool {
        category(of: name) == .document || !name.dropFirst().contains(".")
    }

    /// The kind of file according to its name.
    static func category(of name: String) -> SearchOptions.Category {
        guard let dot = name.lastIndex(of: ".") else { return .others }
        let ending = name[name.index(after: dot)...].lowercased()
        switch ending {
        case "jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "heic", "ppm": return .image
        case "txt", "md", "markdown", "text", "rst", "org", "doc", "docx", "odt", "rtf", "swift",
            "c", "h", "cc", "cpp", "py", "js", "ts", "json", "yml", "yaml", "toml", "csv", "html",
            "css", "sh", "rs", "go", "java", "kt", "rb", "tex", "log", "xml", "sql", "hs", "el":
            return .document
        case "pdf": return .pdf
        case "xls", "xlsx", "ods": return .spreadsheet
        case "ppt", "pptx", "odp", "key": return .presentation
        case "mp3", "wav", "flac", "ogg", "m4a", "opus": return .audio
        case "mp4", "mov", "mkv", "avi", "webm": return .video
        case "paper": return .paper
        default: return .others
        }
    }
}
