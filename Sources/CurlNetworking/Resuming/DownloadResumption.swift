import FoundationEssentials

/// Decides whether and how a download resumes.
struct DownloadResumption: Sendable {
    let data: ResumeData
    /// The offset at which to resume: the number of existing bytes.
    private(set) var offset: Int64

    /// Starts from resume data.
    ///
    /// - Parameter fileByteCount: The length of the partial file; nil if it is missing.
    /// - Throws: `.cannotOpenFile` if it is missing.
    init(_ data: ResumeData, fileByteCount: Int64?) throws(URLError) {
        guard let fileByteCount else {
            throw URLError(
                .cannotOpenFile, failingURL: data.url,
                underlyingText: "the partial file is missing")
        }
        self.data = data
        offset = min(data.byteCount, fileByteCount)
        // If the file is complete, the last byte is requested again, to verify that the resource is
        // unchanged.
        if offset > 0, offset == data.totalByteCount { offset -= 1 }
    }

    init(_ data: ResumeData, at offset: Int64) {
        self.data = data
        self.offset = offset
    }

    /// Restarts at the first byte.
    mutating func startOver() {
        offset = 0
    }

    /// The request that resumes the download.
    var request: URLRequest {
        var request = wholeRequest
        guard offset > 0 else { return request }
        request.headers["Range"] = "bytes=\(offset)-"
        request.headers["If-Range"] = data.validator.text
        // A range counts the bytes of one content coding.
        request.headers["Accept-Encoding"] = "identity"
        return request
    }

    /// The request for the whole file.
    var wholeRequest: URLRequest {
        var request = URLRequest(url: data.url)
        request.headers = data.headers
        return request
    }

    /// What to do about a response.
    enum Decision: Equatable {
        /// Append its body to the partial file, after cutting that to this length.
        case proceed(at: Int64, total: Int64?)
        /// Its body is the whole file: discard the existing bytes.
        case startOver
        /// Discard it and send `wholeRequest`.
        case askForWhole
        /// Deliver it like the response to any download; the partial file is useless.
        case deliver
        /// Deliver it, but keep the partial file: a later task may continue.
        case unavailable(URLError)
    }

    /// Decides about a response.
    ///
    /// - Parameter head: The head of the response to `request`, after challenges and redirects.
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

// MARK: - Resumable responses

extension DownloadResumption {
    /// Returns the validator with which a download can be resumed; nil if the server, the request or the
    /// response does not permit resuming.
    ///
    /// It requires a GET without a body; a strong entity tag or, without any tag, a `Last-Modified` before the
    /// response's date; byte ranges; and no content coding.
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
        // A date must not stand in for an entity tag, a weak one included (RFC 9110 §13.1.5).
        if let tag = head.headers["ETag"] {
            return StrongEntityTag.isValid(tag) ? .entityTag(tag) : nil
        }
        guard let date = head.headers["Last-Modified"], head.wasModifiedEarlier else { return nil }
        return .lastModified(date)
    }

    /// Creates the resume data of a download that stops; returns nil if it cannot be resumed.
    ///
    /// - Parameters:
    ///   - request: The request that was answered.
    ///   - byteCount: The length of the file, including bytes from an earlier task.
    ///   - checksum: The checksum of these bytes.
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
    /// Whether the resource was modified at least a second before the response: otherwise it may have been
    /// modified again in the same second (RFC 9110 §8.8.2.2).
    fileprivate var wasModifiedEarlier: Bool {
        let now = Date.now
        let dates = ["Last-Modified", "Date"].map { name in
            headers[name].flatMap { HTTPDate.parse($0.trimmingSpaces, now: now) }
        }
        guard let modified = dates[0], let sent = dates[1] else { return false }
        return sent.timeIntervalSince(modified) >= 1
    }

    /// Whether the body is compressed, so that its bytes are not those of the file.
    fileprivate var isCoded: Bool {
        guard let coding = headers["Content-Encoding"] else { return false }
        return !coding.isEmpty && !coding.isEqualIgnoringASCIICase(to: "identity")
    }
}
