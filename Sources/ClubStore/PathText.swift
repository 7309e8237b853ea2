/// The text of a path is taken apart by bytes: a slash and a combining mark, with which the next name may begin, are one
/// `Character`.
extension String {
    /// The names between the slashes.
    ///
    /// - Parameter keepsEmpty: Whether two slashes have an empty name between them, and one at an end beside it.
    package func pathNames(keepsEmpty: Bool = false) -> [String] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: !keepsEmpty)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The folder before the last slash and the name after it; nil without a slash.
    package var splitAtLastSlash: (folder: String, name: String)? {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let (folder, name) = (utf8[..<slash], utf8[slash...].dropFirst())
        return (String(decoding: folder, as: UTF8.self), String(decoding: name, as: UTF8.self))
    }

    /// Whether the path is absolute.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// What follows a folder in a path below it, without the slash between them; nil for a path that is elsewhere.
    package func pathAfter(folder: String) -> String? {
        guard utf8.starts(with: folder.utf8) else { return nil }
        let rest = utf8.dropFirst(folder.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return nil }
        return String(decoding: rest.dropFirst(), as: UTF8.self)
    }
}

extension RemotePath {
    /// The path without the slash at its beginning, as people write it.
    package var relativeString: String { components.joined(separator: "/") }
}
