internal import ByteClubMessages

/// The rule that turns what the user typed into a note's file name.
///
/// A note's file name is its name, with `.txt` added when it has no extension. Names that no cloud folder
/// could store, or that would hide the note, are rejected with the reason.
public struct NoteName: Hashable, Sendable {
    /// The file name, valid in a path: no slash, no control characters, at most 255 bytes.
    public let fileName: String

    /// Why a name was rejected, as a sentence for the user.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// The maximum length of a file name on the file systems of clubs.
    static let maximumByteCount = 255

    /// - Parameter addsExtension: False for a folder's name, or a photo's.
    /// - Throws: `Refusal` when the name is empty, hidden, too long or has invalid characters.
    public init(_ typed: String, addsExtension: Bool = true) throws(Refusal) {
        let name = Self.trimmed(typed)
        guard !name.isEmpty else {
            throw Refusal(
                description: addsExtension
                    ? localized("The note needs a name.") : localized("A name is needed."))
        }
        guard name != ".", name != "..", name.utf8.first != UInt8(ascii: ".") else {
            throw Refusal(
                description: localized("A name may not begin with a dot: it would be hidden.")
            )
        }
        guard !name.unicodeScalars.contains("/") else {
            throw Refusal(description: localized("A name may not contain a slash."))
        }
        guard !name.unicodeScalars.contains("\\") else {
            throw Refusal(description: localized("A name may not contain a backslash."))
        }
        guard !name.unicodeScalars.contains(where: Self.isForbidden) else {
            throw Refusal(description: localized("A name may not contain control characters."))
        }
        let fileName = !addsExtension || Self.hasExtension(name) ? name : name + ".txt"
        guard fileName.utf8.count <= Self.maximumByteCount else {
            throw Refusal(
                description: localized("The name is too long: 255 bytes at most, with its ending."))
        }
        self.fileName = fileName
    }

    /// The new name of a note. Without a typed extension, it keeps its current one.
    ///
    /// - Throws: As ``init(_:addsExtension:)`` does.
    package init(_ typed: String, renaming name: String) throws(Refusal) {
        let new = try NoteName(typed, addsExtension: false)
        guard !Self.hasExtension(new.fileName), Self.hasExtension(name),
            let dot = name.lastIndex(of: ".")
        else {
            self = new
            return
        }
        self = try NoteName(new.fileName + name[dot...], addsExtension: false)
    }

    /// Whether a file has this name, and an extension that was not typed.
    package static func isName(_ name: String, withoutExtension typed: String) -> Bool {
        hasExtension(name) && name.hasPrefix(typed + ".")
            && !name.dropFirst(typed.count + 1).contains(".")
    }

    /// An extension is a dot with one to ten letters or digits after it, so that "Chapter 1. Trees"
    /// is a name without one.
    private static func hasExtension(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        let ending = name[name.index(after: dot)...]
        return (1...10).contains(ending.count)
            && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }

    private static func trimmed(_ text: String) -> String {
        var slice = Substring(text)
        while let first = slice.first, first.isWhitespace { slice.removeFirst() }
        while let last = slice.last, last.isWhitespace { slice.removeLast() }
        return String(slice)
    }
}
