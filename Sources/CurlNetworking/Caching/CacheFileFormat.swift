import FoundationEssentials

/// The file format of a stored response.
///
/// | bytes | |
/// |---|---|
/// | 8 | `CNcache1` |
/// | 8 | length of the head; all numbers are little-endian |
/// | 8 | length of the body |
/// | 8 | checksum of the head |
/// | 8 | checksum of the body |
/// | 8 | checksum of the preceding 40 bytes |
/// | … | the head: status, times, URL, variant, fields, and user info if there is any |
/// | … | the body |
///
/// The file must have exactly this length; otherwise the entry is invalid.
struct CacheFilePreamble: Hashable, Sendable {
    var headByteCount: Int
    var bodyByteCount: Int
    var headSum: UInt64
    var bodySum: UInt64

    static let byteCount = 48
    static let largestHeadByteCount = 1 << 20
    private static let magic = Array("CNcache1".utf8)

    var bodyOffset: Int { Self.byteCount + headByteCount }
    var fileByteCount: Int { bodyOffset + bodyByteCount }

    var encoded: [UInt8] {
        var writer = CacheFileWriter()
        writer.bytes = Self.magic
        for number in [UInt64(headByteCount), UInt64(bodyByteCount), headSum, bodySum] {
            writer.write(number)
        }
        writer.write(Checksum.of(writer.bytes))
        return writer.bytes
    }

    init(headByteCount: Int, bodyByteCount: Int, headSum: UInt64, bodySum: UInt64) {
        self.headByteCount = headByteCount
        self.bodyByteCount = bodyByteCount
        self.headSum = headSum
        self.bodySum = bodySum
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        var reader = CacheFileReader(bytes.dropFirst(8))
        guard let head = reader.number(), let body = reader.number(), let headSum = reader.number(),
            let bodySum = reader.number(), let sum = reader.number(),
            sum == Checksum.of(bytes.prefix(40)), head <= UInt64(Self.largestHeadByteCount),
            body <= UInt64(Int32.max) << 16
        else { return nil }
        self.init(
            headByteCount: Int(head), bodyByteCount: Int(body), headSum: headSum, bodySum: bodySum)
    }
}

extension StoredHead {
    var encoded: [UInt8] {
        var writer = CacheFileWriter()
        writer.write(UInt64(status))
        writer.write(requestTime.timeIntervalSinceReferenceDate.bitPattern)
        writer.write(responseTime.timeIntervalSinceReferenceDate.bitPattern)
        writer.write(url.absoluteString)
        writer.write(variant.fields.map { ($0.name, $0.value) })
        writer.write(headers.fields.map { ($0.name, $0.value) })
        if let text = userInfo?.encoded { writer.write(text) }
        return writer.bytes
    }

    init?(encoded bytes: ArraySlice<UInt8>) {
        var reader = CacheFileReader(bytes)
        guard let status = reader.number(), (100...999).contains(status),
            let requestTime = reader.date(), let responseTime = reader.date(),
            let url = reader.text().flatMap({ URL(string: $0) }), Origin(of: url) != nil,
            let variant = reader.pairs(), let pairs = reader.pairs()
        else { return nil }
        var userInfo: StoredUserInfo?
        if !reader.isAtEnd {
            userInfo = reader.text().flatMap(StoredUserInfo.init(encoded:))
            guard userInfo != nil, reader.isAtEnd else { return nil }
        }
        var headers = HTTPHeaderFields()
        for (name, value) in pairs {
            guard !name.isEmpty, headers[name] == nil else { return nil }
            headers[name] = value
        }
        self.init(
            url: url, status: Int(status), headers: headers,
            variant: Variant(fields: variant.map { Variant.Field(name: $0.0, value: $0.1) }),
            requestTime: requestTime, responseTime: responseTime)
        self.userInfo = userInfo
    }
}

// MARK: - Numbers and strings

struct CacheFileWriter {
    var bytes: [UInt8] = []

    mutating func write(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func write(_ pairs: [(String, String)]) {
        write(UInt64(pairs.count))
        for (name, value) in pairs {
            write(name)
            write(value)
        }
    }
}

/// Parses what `CacheFileWriter` has written; a step returns nil if the data has another format.
struct CacheFileReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        let number = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(8)
        return number
    }

    mutating func date() -> Date? {
        guard let seconds = number().map(Double.init(bitPattern:)), seconds.isFinite,
            abs(seconds) < 1e12
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    mutating func text() -> String? {
        guard let count = number(), count <= UInt64(rest.count) else { return nil }
        let bytes = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func pairs() -> [(String, String)]? {
        guard let count = number(), count <= UInt64(rest.count / 16) else { return nil }
        var pairs: [(String, String)] = []
        for _ in 0..<Int(count) {
            guard let name = text(), let value = text() else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }
}
