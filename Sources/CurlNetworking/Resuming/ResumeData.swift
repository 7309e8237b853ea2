import FoundationEssentials

/// The data with which an interrupted download can be resumed, as a blob for the program.
///
/// It identifies the partial file by its name in `PartialFiles`, never by a path. It contains no credentials:
/// header fields that may be secret are omitted, as are a user name and password in the URL.
struct ResumeData: Hashable, Sendable {
    /// The URL of the response, after redirects.
    var url: URL
    /// The URL of the first task.
    var originalURL: URL
    /// The other fields of the request.
    var headers: HTTPHeaderFields
    var validator: Validator
    /// The number of received bytes.
    var byteCount: Int64
    /// The ``Checksum`` of these bytes; nil in data of earlier versions.
    var checksum: UInt64?
    /// The length of the whole body; nil if the server did not send it.
    var totalByteCount: Int64?
    /// The name of the partial file.
    var fileName: String

    /// Identifies one version of a resource, byte for byte.
    enum Validator: Hashable, Sendable {
        /// A strong entity tag, with its quotes.
        case entityTag(String)
        /// A `Last-Modified` field, unchanged.
        case lastModified(String)

        /// The value of `If-Range`.
        var text: String {
            switch self {
            case .entityTag(let text), .lastModified(let text): text
            }
        }
    }

    static let largestByteCount = 256 << 10

    /// Parses resume data.
    ///
    /// - Throws: `.cannotDecodeRawData` with the reason.
    init(blob: Data) throws(URLError) {
        guard blob.count <= Self.largestByteCount else { throw Self.damaged("it is too large") }
        let payload: Data
        do throws(ChecksummedRecord.CorruptionError) {
            payload = try ChecksummedRecord.open(blob, as: .download)
        } catch {
            throw Self.damaged(error.text)
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: payload) else {
            throw Self.damaged("a part of it is missing")
        }
        try self.init(record)
    }

    var blob: Data {
        get throws { try ChecksummedRecord.seal(JSONEncoder().encode(Record(self)), as: .download) }
    }

    init(
        url: URL, originalURL: URL, headers: HTTPHeaderFields, validator: Validator,
        byteCount: Int64, checksum: UInt64? = nil, totalByteCount: Int64?, fileName: String
    ) {
        self.url = url.withoutCredentials
        self.originalURL = originalURL.withoutCredentials
        self.headers = headers.withoutSecrets
        self.validator = validator
        self.byteCount = byteCount
        self.checksum = checksum
        self.totalByteCount = totalByteCount
        self.fileName = fileName
    }

    fileprivate static func damaged(_ reason: String) -> URLError {
        URLError(
            .cannotDecodeRawData, underlyingText: "the resume data cannot be used: \(reason)")
    }
}

/// The contents of the blob, not yet validated.
private struct Record: Codable {
    struct Field: Codable {
        var name: String
        var value: String
    }

    var url: String
    var originalURL: String
    var fields: [Field]
    var entityTag: String?
    var lastModified: String?
    var byteCount: Int64
    /// In hexadecimal: not every JSON parser supports such large numbers.
    var checksum: String?
    var totalByteCount: Int64?
    var fileName: String

    init(_ data: ResumeData) {
        url = data.url.absoluteString
        originalURL = data.originalURL.absoluteString
        fields = data.headers.fields.map { Field(name: $0.name, value: $0.value) }
        switch data.validator {
        case .entityTag(let text): entityTag = text
        case .lastModified(let text): lastModified = text
        }
        byteCount = data.byteCount
        checksum = data.checksum?.hexadecimal
        totalByteCount = data.totalByteCount
        fileName = data.fileName
    }
}

extension ResumeData {
    fileprivate init(_ record: Record) throws(URLError) {
        guard let url = URL(string: record.url), Origin(of: url) != nil,
            let original = URL(string: record.originalURL), Origin(of: original) != nil
        else { throw Self.damaged("its URL is not http or https") }
        let isFieldText: (String) -> Bool = { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }
        let validator: Validator
        switch (record.entityTag, record.lastModified) {
        case (let tag?, nil) where StrongEntityTag.isValid(tag): validator = .entityTag(tag)
        case (nil, let date?) where isFieldText(date) && !date.isEmpty:
            validator = .lastModified(date)
        default: throw Self.damaged("it does not say which version it is of")
        }
        guard record.byteCount >= 0, record.totalByteCount.map({ $0 >= record.byteCount }) ?? true
        else { throw Self.damaged("its lengths make no sense") }
        let checksum = record.checksum.flatMap { UInt64($0, radix: 16) }
        guard (checksum == nil) == (record.checksum == nil) else {
            throw Self.damaged("its checksum is not a number")
        }
        guard PartialFiles.isName(record.fileName) else {
            throw Self.damaged("it names a file that is not ours")
        }
        var headers = HTTPHeaderFields()
        for field in record.fields {
            guard isFieldText(field.name), isFieldText(field.value), !field.name.isEmpty else {
                throw Self.damaged("it has a field that cannot be sent")
            }
            headers[field.name] = field.value
        }
        self.init(
            url: url, originalURL: original, headers: headers, validator: validator,
            byteCount: record.byteCount, checksum: checksum,
            totalByteCount: record.totalByteCount, fileName: record.fileName)
    }
}

extension HTTPHeaderFields {
    /// The fields without secrets, and without those that each request sets again.
    var withoutSecrets: HTTPHeaderFields {
        let renewed = ["range", "if-range", "accept-encoding", "expect"]
        var kept = HTTPHeaderFields()
        for field in fields {
            let name = field.name.lowercased()
            guard !renewed.contains(name), !Self.holdsSecret(name), !name.contains("key") else {
                continue
            }
            kept[field.name] = field.value
        }
        return kept
    }
}

extension URL {
    /// The URL without user name and password.
    var withoutCredentials: URL {
        guard absoluteString.utf8.contains(UInt8(ascii: "@")),
            user(percentEncoded: true) != nil || password(percentEncoded: true) != nil,
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        parts.percentEncodedUser = nil
        parts.percentEncodedPassword = nil
        return parts.url ?? self
    }
}
