package import ClubAccess
package import ClubStore
package import FoundationEssentials

/// Which state of each file the person at this computer has seen; what has changed since is unread.
///
/// A value of two numbers for each file, so that a club of 100,000 takes 1.6 MB on disk. Two paths or
/// revisions may get the same number, once in a very long while: then something new looks old.
package struct SeenRevisions: Sendable, Equatable {
    private var seen: [UInt64: UInt64] = [:]
    /// Whether nothing has ever been seen here: then all that is there is old, and what comes is new.
    private(set) var isEmpty = true

    package init() {}

    package func isUnread(_ file: RemoteFile) -> Bool {
        !isEmpty && seen[Self.number(of: file.path)] != Self.number(of: file.revision.rawValue)
    }

    /// Notes that the person knows a file in this state.
    package mutating func see(_ file: RemoteFile) {
        isEmpty = false
        seen[Self.number(of: file.path)] = Self.number(of: file.revision.rawValue)
    }

    /// All files of a club as they are now, and no others.
    package init(of contents: ClubContents) {
        for file in contents.allFiles { see(file) }
        isEmpty = false
    }

    /// The same off the main actor: there may be many.
    @concurrent package static func make(of contents: ClubContents) async -> SeenRevisions {
        SeenRevisions(of: contents)
    }

    /// What another window has kept, with what was seen here since `base`.
    func merged(into theirs: SeenRevisions, since base: SeenRevisions) -> SeenRevisions {
        guard !theirs.isEmpty else { return self }
        var merged = theirs
        for (path, revision) in seen where base.seen[path] != revision {
            merged.seen[path] = revision
        }
        // A file that is in the club no longer.
        for (path, revision) in base.seen where seen[path] == nil && theirs.seen[path] == revision {
            merged.seen[path] = nil
        }
        return merged
    }

    /// The same over restarts and machines, unlike `Hasher`. Source: FNV-1a, 64 bits.
    private static func number(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func number(of path: RemotePath) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for name in path.components {
            hash = (hash ^ UInt64(UInt8(ascii: "/"))) &* 0x100_0000_01B3
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return hash
    }
}

// MARK: - On disk

extension SeenRevisions {
    private static let magic = Array("BCSEEN1\n".utf8)
    /// Enough for a million files; a larger file was not written here.
    package static let byteLimit = 16 << 20

    /// - Returns: Nil for what was not written here.
    package init?(_ data: Data) {
        let bytes = [UInt8](data)
        guard bytes.starts(with: Self.magic), bytes.count <= Self.byteLimit,
            (bytes.count - Self.magic.count) % 16 == 0
        else { return nil }
        isEmpty = false
        seen.reserveCapacity(bytes.count / 16)
        var offset = Self.magic.count
        while offset < bytes.count {
            seen[Self.word(bytes[offset..<offset + 8])] = Self.word(bytes[offset + 8..<offset + 16])
            offset += 16
        }
    }

    package var data: Data {
        var bytes = Self.magic
        bytes.reserveCapacity(bytes.count + 16 * seen.count)
        for (path, revision) in seen {
            for word in [path, revision] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
                }
            }
        }
        return Data(bytes)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
