import DropboxAPI

/// A place in a club: the root, or names joined by slashes.
///
/// A path is exact: two that differ in case are different paths, although some stores
/// (Dropbox) would take one for the other. It may hold any name a store can list, control
/// characters too, since a file with such a name can be there; a name that a person has
/// just typed is held to more by ``appending(newName:)``.
public struct RemotePath: Hashable, Sendable {
    /// The names from the root down; empty for the root.
    public let components: [String]

    /// The club's own folder.
    public static let root = RemotePath(components: [])

    /// Takes a path apart, leniently about a missing first slash and a slash too many at the end.
    ///
    /// - Throws: ``StoreError/Code-swift.enum/nameNotAllowed`` for an empty name between
    ///   slashes, `.`, `..`, a NUL, or a name of more than 255 bytes of UTF-8.
    public init(validating string: String) throws(StoreError) {
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

    /// What is left of it without its first names.
    func dropFirst(_ count: Int) -> RemotePath {
        RemotePath(components: Array(components.dropFirst(count)))
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

    /// The folder it lies in; nil for the root.
    public var parent: RemotePath? {
        components.isEmpty ? nil : RemotePath(components: Array(components.dropLast()))
    }

    public var isRoot: Bool { components.isEmpty }

    /// Whether it is the folder itself or lies anywhere below it.
    public func isInside(_ folder: RemotePath) -> Bool {
        components.starts(with: folder.components)
    }

    /// The path of something with this name in this folder.
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

    /// The path of something about to be made, under a name that every store can keep; in
    /// Normalisation Form C, as Dropbox would store it.
    ///
    /// - Throws: ``StoreError/Code-swift.enum/nameNotAllowed`` also for control characters,
    ///   backslashes, and a blank or a full stop at the end, or a blank at the beginning:
    ///   Dropbox or a member's computer would refuse these.
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

extension RemotePath: Comparable {
    /// Orders by names from the root down, so that a folder stands right before what is in it.
    public static func < (a: RemotePath, b: RemotePath) -> Bool {
        a.components.lexicographicallyPrecedes(b.components)
    }
}

extension RemotePath: CustomStringConvertible {
    public var description: String { string }
}
