package import ClubAccess
package import ClubStore
package import FoundationEssentials

/// Which revision of each file was seen on this computer; files changed since then are unread.
///
/// Stores two numbers per file: 1.6 MB for a club of 100,000 files. Two paths or revisions may collide, very
/// rarely: then a new file looks old.
package struct UnreadMarks: Sendable, Equatable {
    private var seen: [UInt64: UInt64] = [:]
    /// Whether nothing was ever seen here: existing files are then old, and only later ones are new.
    private(set) var isEmpty = true

    package init() {}

    package func isUnread(_ file: RemoteFile) -> Bool {
        !isEmpty && seen[Self.number(of: file.path)] != Self.number(of: file.revision.rawValue)
    }

    /// Marks a file's revision as seen.
    package mutating func see(_ file: RemoteFile) {
        isEmpty = false
        seen[Self.number(of: file.path)] = Self.number(of: file.revision.rawValue)
    }

    /// All files of a club in their current revisions, and no others.
    package init(of contents: ClubContents) {
        for file in contents.allFiles { see(file) }
        isEmpty = false
    }

    /// The same off the main actor, for large clubs.
    @concurrent package static func make(of contents: ClubContents) async -> UnreadMarks {
        UnreadMarks(of: contents)
    }

    /// Merges another window's state with what was seen here since `base`.
    func merged(into theirs: UnreadMarks, since base: UnreadMarks) -> UnreadMarks {
        guard !theirs.isEmpty else { return self }
        var merged = theirs
        for (path, revision) in seen where base.seen[path] != revision {
            merged.seen[path] = revision
        }
        // A file that is no longer in the club.
        for (path, revision) in base.seen where seen[path] == nil && theirs.seen[path] == revision {
            merged.seen[path] = nil
        }
        return merged
    }

    /// Stable across runs and machines, unlike `Hasher`. Source: FNV-1a, 64 bits.
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

extension UnreadMarks {
    private static let magic = Array("BCSEEN1\n".utf8)
    /// Enough for a million files; a larger file was not written by this program.
    package static let byteLimit = 16 << 20

    /// - Returns: Nil for data that this program did not write.
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
