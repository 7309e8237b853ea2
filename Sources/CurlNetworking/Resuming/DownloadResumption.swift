import FoundationEssentials

/// Whether and how a download goes on where it stopped.
struct DownloadResumption: Sendable {
    let data: ResumeData
    /// Where to go on: what has arrived, as far as it is still there.
    private(set) var offset: Int64

    /// - Parameter fileByteCount: The real length of the part; nil when it is gone.
    /// - Throws: `.cannotOpenFile` when it is.
    init(_ data: ResumeData, fileByteCount: Int64?) throws(URLError) {
        guard let fileByteCount else {
            throw URLError(
                .cannotOpenFile, failingURL: data.url,
                underlyingText: "the part that had arrived is no longer there")
        }
        self.data = data
        offset = min(data.byteCount, fileByteCount)
        // When all is there the last byte is asked for again: the answer says then whether it still is.
        if offset > 0, offset == data.totalByteCount { offset -= 1 }
    }

    init(_ data: ResumeData, at offset: Int64) {
        self.data = data
        self.offset = offset
    }

    /// Goes back to the beginning.
    mutating func startOver() {
        offset = 0
    }

    /// The request that goes on.
    var request: URLRequest {
        var request = wholeRequest
        guard offset > 0 else { return request }
        request.headers["Range"] = "bytes=\(offset)-"
        request.headers["If-Range"] = data.validator.text
        // A range counts the bytes of one coding.
        request.headers["Accept-Encoding"] = "identity"
        return request
    }

    /// The request that starts from the beginning.
    var wholeRequest: URLRequest {
        var request = URLRequest(url: data.url)
        request.headers = data.headers
        return request
    }

    /// What to do about an answer.
    enum Decision: Equatable {
        /// Its body goes behind what is there, which is cut to this length before.
        case proceed(at: Int64, total: Int64?)
        /// Its body is the whole: cut what is there to nothing.
        case startOver
        /// Drop it and send `wholeRequest`.
        case askForWhole
        /// It is the answer, as to any download; what is there is of no use.
        case deliver
        /// It is the answer, too, but a later task may continue: what is there stays good.
        case unavailable(URLError)
    }

    /// - Parameter head: Of the answer to `request`, after challenges and redirects.
    func decide(on head: ResponseHead) -> Decision {
        switch head.status {
        case 206 where offset > 0: return decide(onPart: head)
        case 416 where offset > 0: return .askForWhole
        case 200..<300: return .startOver
        case 408, 425, 429, 500..<600:
            return .unavailable(
                URLError(
                    .badServerResponse, failingURL: data.url,
                    underlyingText: "the server answered \(head.status)"))
        default: return .deliver
        }
    }

    private func decide(onPart head: ResponseHead) -> Decision {
        guard let range = head.headers["Content-Range"].flatMap(ContentRange.init),
            range.range?.lowerBound == offset, range.isToTheEnd, !head.isCoded,
            isSame(total: range.total), isSameVersion(head)
        else { return .askForWhole }
        return .proceed(at: offset, total: range.total ?? data.totalByteCount)
    }

    private func isSame(total: Int64?) -> Bool {
        guard let total, let known = data.totalByteCount else { return true }
        return total == known
    }

    private func isSameVersion(_ head: ResponseHead) -> Bool {
        switch data.validator {
        case .entityTag(let tag): head.headers["ETag"].map { $0 == tag } ?? true
        case .lastModified(let date): head.headers["Last-Modified"].map { $0 == date } ?? true
        }
    }
}

// MARK: - What can be gone on with

extension DownloadResumption {
    /// What a download needs so that it can be gone on with later; nil when the server, the request or
    /// the answer does not allow it.
    ///
    /// Only a GET without a body; a strong entity tag, or a `Last-Modified` that is older than the
    /// answer; byte ranges; no content coding.
    static func validator(
        for request: URLRequest, _ head: ResponseHead
    ) -> ResumeData.Validator? {
        guard request.method == "GET", request.httpBody == nil,
            request.url.flatMap(Origin.init) != nil, head.status == 200 || head.status == 206,
            !head.isCoded
        else { return nil }
        if head.status == 200 {
            let units = head.headers["Accept-Ranges"]?.split(separator: ",") ?? []
            guard units.contains(where: { $0.trimmingSpaces.lowercased() == "bytes" }) else {
                return nil
            }
        }
        if let tag = head.headers["ETag"] {
            if EntityTag.isStrong(tag) { return .entityTag(tag) }
        }
        // One that was changed in the second of the answer may change again in it (RFC 9110
        // §8.8.2.2). A weak tag does not forbid the date.
        guard let date = head.headers["Last-Modified"], !date.isEmpty, date != head.headers["Date"]
        else { return nil }
        return .lastModified(date)
    }

    /// The resume data of a download that stops; nil when it cannot be gone on with.
    ///
    /// - Parameters:
    ///   - request: The one that was answered.
    ///   - byteCount: What is in the file, the part before this task included.
    ///   - checksum: Of so many bytes.
    static func data(
        request: URLRequest, originalURL: URL?, head: ResponseHead, byteCount: Int64,
        checksum: UInt64? = nil, fileName: String
    ) -> ResumeData? {
        guard let url = request.url, byteCount > 0, let validator = validator(for: request, head)
        else { return nil }
        let total: Int64?
        if head.status == 206 {
            total = head.headers["Content-Range"].flatMap(ContentRange.init)?.total
        } else {
            total =
                head.headers["Transfer-Encoding"] == nil
                ? head.headers["Content-Length"].flatMap(Int64.init) : nil
        }
        if let total, byteCount > total { return nil }
        return ResumeData(
            url: url, originalURL: originalURL ?? url, headers: request.headers,
            validator: validator, byteCount: byteCount, checksum: checksum, totalByteCount: total,
            fileName: fileName)
    }
}

extension ResponseHead {
    /// Whether the body comes compressed: then its bytes are not those of the file.
    fileprivate var isCoded: Bool {
        guard let coding = headers["Content-Encoding"] else { return false }
        return !coding.isEmpty && !coding.isEqualIgnoringASCIICase(to: "identity")
    }
}
