import DropboxAPI

/// Which names a club shows, and which it accepts for writing.
enum NameRules {
    /// The longest name on Linux file systems, in bytes of UTF-8.
    static let byteLimit = 255

    /// Whether a name on disk belongs to the club.
    ///
    /// Hidden files are private, and temporary files of editors and browsers are not notes.
    static func isShown(_ name: String) -> Bool {
        !(name.hasPrefix(".") || name.hasPrefix("~$") || name.hasSuffix("~"))
            && !namesOfDesktops.contains(PathNames.key(name))
    }

    /// Names that Dropbox never syncs (help.dropbox.com, "ignored files").
    private static let namesOfDesktops: Set<String> = [
        "desktop.ini", "thumbs.db", "icon\r",
    ]

    /// Why nothing may be written under this name, or nil.
    static func problem(with name: String) -> WriteError? {
        if name.utf8.count > byteLimit {
            return .malformedPath("A name may have at most \(byteLimit) bytes.")
        }
        if name.last == " " {
            return .malformedPath("A name may not end with a blank.")
        }
        if name.unicodeScalars.contains(where: {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
        }) {
            return .disallowedName
        }
        return isShown(name) ? nil : .disallowedName
    }

    /// The name with a number: `a (1).txt`.
    static func numbered(_ name: String, _ number: Int) -> String {
        inserting(" (\(number))", into: name)
    }

    /// The name for a copy whose revision was not the latest: `a (conflicted copy).txt`.
    static func conflictedCopy(of name: String, _ number: Int) -> String {
        inserting(
            number == 1 ? " (conflicted copy)" : " (conflicted copy \(number - 1))", into: name)
    }

    /// The name for a second file whose name differs only in case.
    static func caseConflict(of name: String, _ number: Int) -> String {
        inserting(number == 1 ? " (Case Conflict)" : " (Case Conflict \(number - 1))", into: name)
    }

    /// Inserts text before the extension, shortening the stem if the result would be too long.
    private static func inserting(_ text: String, into name: String) -> String {
        var stem = name[...]
        var ending = ""[...]
        if let dot = name.lastIndex(of: "."), dot != name.startIndex {
            stem = name[..<dot]
            ending = name[dot...]
        }
        while stem.utf8.count + text.utf8.count + ending.utf8.count > byteLimit, !stem.isEmpty {
            stem.removeLast()
        }
        return stem + text + ending
    }
}
