import DropboxAPI

/// A file or folder in the club, as last seen on disk.
struct Entry: Hashable, Sendable {
    /// The path in lowercase and Normalization Form C; "" for the root.
    let key: String
    /// The last component for clients, in Normalization Form C.
    let name: String
    /// The last component on disk.
    let diskName: String
    /// Constant through moves and changes of content.
    let id: String
    /// The sequence number of its last change, counted over the whole club.
    var sequence: UInt64
    let content: Content

    enum Content: Hashable, Sendable {
        case folder(inode: UInt64)
        case file(FileFacts)
    }

    var facts: FileFacts? {
        if case .file(let facts) = content { facts } else { nil }
    }

    var isFolder: Bool { facts == nil }

    var inode: UInt64 {
        switch content {
        case .folder(let inode): inode
        case .file(let facts): facts.signature.inode
        }
    }

    /// The key of its folder; nil for the root.
    var parentKey: String? { Self.parentKey(of: key) }

    static func parentKey(of key: String) -> String? {
        guard let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(key[..<slash])
    }
}

/// Metadata of a file's content.
struct FileFacts: Hashable, Sendable {
    var signature: FileSignature
    /// At least nine hexadecimal digits.
    var revision: String
    /// nil until it was needed.
    var contentHash: ContentHash?
    /// The time given by the uploading client; nil for files put there by hand.
    var clientModified: Timestamp?
    /// When it was written, as far as known.
    var serverModified: Timestamp

    init(
        signature: FileSignature, contentHash: ContentHash? = nil,
        clientModified: Timestamp? = nil, serverModified: Timestamp? = nil, revision: String? = nil
    ) {
        self.signature = signature
        self.revision = revision ?? Self.revision(of: signature)
        self.contentHash = contentHash
        self.clientModified = clientModified
        self.serverModified = serverModified ?? Timestamp(secondsSince1970: signature.seconds)
    }

    /// The revision for a file signature: the same content on disk gets the same one again, even
    /// without the journal.
    ///
    /// The inode alone distinguishes two contents of one path, since a file is replaced and never
    /// written in place; the times detect programs that do write in place.
    static func revision(of signature: FileSignature) -> String {
        let text =
            "\(signature.inode) \(signature.size) \(signature.seconds) \(signature.nanoseconds)"
        let digits = sha256(of: Array(text.utf8)).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }
        return digits.joined()
    }
}

/// A tombstone: the trace of a deleted file or folder.
struct Tombstone: Hashable, Sendable {
    let key: String
    let name: String
    /// The display path.
    let path: String
    let sequence: UInt64
    let wasFile: Bool

    var parentKey: String? { Entry.parentKey(of: key) }
}
