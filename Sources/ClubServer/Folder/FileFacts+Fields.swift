import DropboxAPI

extension FileSignature {
    static let fieldCount = 4

    /// Inode, size, seconds and nanoseconds.
    var fields: [String] {
        [String(inode), String(size), String(seconds), String(nanoseconds)]
    }

    init?(fields: ArraySlice<String>) {
        let fields = Array(fields)
        guard fields.count == Self.fieldCount, let inode = UInt64(fields[0]),
            let size = Int64(fields[1]), let seconds = Int64(fields[2]),
            let nanoseconds = Int64(fields[3])
        else { return nil }
        self.init(inode: inode, size: size, seconds: seconds, nanoseconds: nanoseconds)
    }
}

extension FileFacts {
    static let fieldCount = 8

    /// The signature's fields, then revision, hash, and both times; empty for unknown values.
    var fields: [String] {
        signature.fields + [
            revision, contentHash?.hexadecimal ?? "",
            clientModified.map { String($0.secondsSince1970) } ?? "",
            String(serverModified.secondsSince1970),
        ]
    }

    /// nil for anything not written by ``fields``.
    init?(fields: ArraySlice<String>) {
        let fields = Array(fields)
        guard fields.count == Self.fieldCount, let signature = FileSignature(fields: fields[..<4]),
            fields[4].utf8.count >= 9, let serverModified = Int64(fields[7])
        else { return nil }
        self.init(
            signature: signature, contentHash: ContentHash(fields[5]),
            clientModified: Int64(fields[6]).map(Timestamp.init(secondsSince1970:)),
            serverModified: Timestamp(secondsSince1970: serverModified), revision: fields[4])
    }
}
