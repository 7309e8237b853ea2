import DropboxAPI

/// Something in the club: a file or a folder, as it was last seen on the disk.
struct Entry: Hashable, Sendable {
    /// What it is to others: the path in lower case and Normalisation Form C; "" for the root.
    let key: String
    /// The last component as others see it, in Normalisation Form C.
    let name: String
    /// The last component as the disk has it.
    let diskName: String
    /// Stays with it through moves and changes of content.
    let id: String
    /// When it last changed, counted in changes of the whole club.
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

    /// The key of the folder it lies in; nil for the root.
    var parentKey: String? { Self.parentKey(of: key) }

    static func parentKey(of key: String) -> String? {
        guard let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(key[..<slash])
    }
}

/// What is known of a file's content.
struct FileFacts: Hashable, Sendable {
    var signature: FileSignature
    /// At least nine hexadecimal digits.
    var revision: String
    /// nil until somebody needed it.
    var contentHash: ContentHash?
    /// What the client that uploaded it said; nil for files put there by hand.
    var clientModified: Timestamp?
    /// When it was written, as far as we know.
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

    /// A revision that the same content on the disk gets again, even when all our notes are lost.
    ///
    /// The inode alone makes two contents of one path differ, since a file is replaced and never
    /// written in place; the times catch those who do write in place.
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

/// The trace of something that is gone.
struct Tombstone: Hashable, Sendable {
    let key: String
    let name: String
    /// The path as it was shown.
    let path: String
    let sequence: UInt64
    let wasFile: Bool

    var parentKey: String? { Entry.parentKey(of: key) }
}
