import DropboxAPI

/// A location in a club: the root, or names joined by slashes.
///
/// Paths compare exactly, by their bytes: two that differ in case or in Unicode normalization are
/// different, although some stores (Dropbox) treat them as the same. A path may hold any name a
/// store can list, including control characters, since such files can exist;
/// ``appending(newName:)`` is stricter about a name a person has just typed.
public struct RemotePath: Sendable {
    /// The names from the root down; empty for the root.
    public let components: [String]

    /// The club's own folder.
    public static let root = RemotePath(components: [])

    /// Parses a path. A missing leading slash and one extra trailing slash are accepted.
    ///
    /// - Throws: ``StoreError/Code-swift.enum/nameNotAllowed`` for an empty name between
    ///   slashes, `.`, `..`, a NUL, or a name of more than 255 bytes of UTF-8.
    public init(validating string: String) throws(StoreError) {
        if let components = Self.components(of: string) {
            self.components = components
            return
        }
        // Says which name it is.
        var path = RemotePath.root
        var rest = string[...]
        if rest.hasPrefix("/") { rest.removeFirst() }
        if !rest.isEmpty {
            if rest.hasSuffix("/") { rest.removeLast() }
            for name in rest.split(separator: "/", omittingEmptySubsequences: false) {
                path = try path.appending(String(name))
            }
        }
        self = path
    }

    /// The names of a path as stores write it, in one pass; nil where one is not allowed. A large club has many.
    private static func components(of string: String) -> [String]? {
        var string = string
        return string.withUTF8 { bytes -> [String]? in
            var start = bytes.first == UInt8(ascii: "/") ? 1 : 0
            guard start < bytes.count else { return [] }
            let end = bytes.last == UInt8(ascii: "/") ? bytes.count - 1 : bytes.count
            var components: [String] = []
            while true {
                let name = bytes[start..<end].prefix { $0 != UInt8(ascii: "/") }
                guard isAllowed(name) else { return nil }
                components.append(String(decoding: name, as: UTF8.self))
                guard name.endIndex < end else { return components }
                start = name.endIndex + 1
            }
        }
    }

    /// Neither empty, `.` nor `..`, and without NUL.
    private static func isAllowed(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let isDots = name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
        return !isDots && name.count <= 255 && !name.contains(0)
    }

    /// The path without its first names.
    func dropFirst(_ count: Int) -> RemotePath {
        RemotePath(components: Array(components.dropFirst(count)))
    }

    /// The folder above it with this number of names; itself if it has no more.
    package func prefix(_ count: Int) -> RemotePath {
        RemotePath(components: Array(components.prefix(count)))
    }

    /// The path of an item in a folder after that was moved.
    package func moved(from folder: RemotePath, to target: RemotePath) -> RemotePath {
        RemotePath(components: target.components + components.dropFirst(folder.components.count))
    }

    private init(components: [String]) {
        self.components = components
    }

    /// `/` for the root, else each name after a slash: `/photos/cliff.jpg`.
    public var string: String {
        components.isEmpty ? "/" : components.reduce(into: "") { $0 += "/" + $1 }
    }

    /// The last name; empty for the root.
    public var name: String { components.last ?? "" }

    /// The folder that contains it; nil for the root.
    public var parent: RemotePath? {
        components.isEmpty ? nil : RemotePath(components: Array(components.dropLast()))
    }

    public var isRoot: Bool { components.isEmpty }

    /// Whether this is the folder itself or anything below it.
    public func isInside(_ folder: RemotePath) -> Bool {
        components.starts(with: folder.components, by: Self.areSame)
    }

    /// The path of the item with this name in this folder.
    ///
    /// - Throws: ``StoreError/Code-swift.enum/nameNotAllowed`` as ``init(validating:)``
    ///   does, and for a slash.
    public func appending(_ name: String) throws(StoreError) -> RemotePath {
        guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 255,
            !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
        else {
            throw StoreError(.nameNotAllowed, during: .naming, at: self, detail: name)
        }
        return RemotePath(components: components + [name])
    }

    /// The path for a new item, with a name that every store can keep, in Normalization
    /// Form C as Dropbox stores it.
    ///
    /// - Throws: ``StoreError/Code-swift.enum/nameNotAllowed`` also for control characters,
    ///   backslashes, a leading or trailing space, and a trailing full stop: Dropbox or a
    ///   member's computer would reject these.
    public func appending(newName name: String) throws(StoreError) -> RemotePath {
        let isTroublesome = name.unicodeScalars.contains { scalar in
            scalar == "\\" || scalar.properties.generalCategory == .control
        }
        guard !isTroublesome, !name.hasPrefix(" "), !name.hasSuffix(" "), !name.hasSuffix(".")
        else {
            throw StoreError(.nameNotAllowed, during: .naming, at: self, detail: name)
        }
        return try appending(PathNames.normalized(name))
    }
}

extension RemotePath: Hashable {
    public static func == (a: RemotePath, b: RemotePath) -> Bool {
        a.components.elementsEqual(b.components, by: areSame)
    }

    public func hash(into hasher: inout Hasher) {
        for var name in components {
            name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // No name has one.
            hasher.combine(UInt8(ascii: "/"))
        }
    }

    /// Whether two names have the same bytes. `String` calls the forms of one name equal (`é` in one scalar or in
    /// two), and a server may have a file under each.
    private static func areSame(_ name: String, _ other: String) -> Bool {
        name.utf8.count == other.utf8.count && name.utf8.elementsEqual(other.utf8)
    }
}

extension RemotePath: Comparable {
    /// Orders by the bytes of the names from the root down, so that a folder comes right before its contents.
    public static func < (a: RemotePath, b: RemotePath) -> Bool {
        for (name, other) in zip(a.components, b.components) where !areSame(name, other) {
            return name.utf8.lexicographicallyPrecedes(other.utf8)
        }
        return a.components.count < b.components.count
    }
}

extension RemotePath: CustomStringConvertible {
    public var description: String { string }
}
