import FoundationEssentials

// Records on the disk. Their checksum tells damage, not malice: every number is checked before anything
// is calculated with it.

extension BackgroundTaskRecord {
    static let largestByteCount = 1 << 20

    func render() throws -> Data {
        try ChecksummedRecord.seal(JSONEncoder().encode(self), as: .backgroundTask)
    }

    /// nil when the data is damaged or its values are invalid.
    init?(parsing data: Data) {
        guard let payload = Self.payload(of: data),
            let record = try? JSONDecoder().decode(Self.self, from: payload),
            record.isSound
        else { return nil }
        self = record
    }

    /// Reads a record. One with invalid values becomes a failed task, so that its program is notified;
    /// returns nil if it does not identify a task.
    static func read(_ data: Data) -> BackgroundTaskRecord? {
        BackgroundTaskRecord(parsing: data) ?? payload(of: data).flatMap(failedRecord)
    }

    private static func payload(of data: Data) -> Data? {
        guard data.count <= largestByteCount else { return nil }
        return try? ChecksummedRecord.open(data, as: .backgroundTask)
    }

    /// The values that identify a task.
    private struct Identity: Decodable {
        var number: Int
        var session: String
        var key: UInt64
        var kind: Kind
        var request: Request
    }

    private static func failedRecord(from payload: Data) -> BackgroundTaskRecord? {
        guard let identity = try? JSONDecoder().decode(Identity.self, from: payload) else {
            return nil
        }
        var record = BackgroundTaskRecord(
            number: identity.number, session: identity.session, kind: identity.kind,
            request: identity.request, created: 0, key: identity.key)
        let error = URLError(
            .backgroundSessionWasDisconnected,
            underlyingText: "the helper's record of the task is damaged")
        guard record.isSound, record.apply(.fail(error, resumeData: nil)) == .applied else {
            return nil
        }
        return record
    }

    /// Whether all values are ones that this library writes.
    var isSound: Bool {
        guard Self.numbers.contains(number), Self.counts.contains(attempts),
            Self.counts.contains(interruptions), Self.times.contains(created),
            suspendedSince.map(Self.times.contains) ?? true,
            earliestBegin.map(Self.moments.contains) ?? true, priority.isFinite, !session.isEmpty,
            settings.isSound, history.isSound, request.timeout ?? 0 >= 0,
            let url = URL(string: request.url), Origin(of: url) != nil
        else { return false }
        if case .upload(let file) = kind, !file.hasPrefix("/") || file.utf8.contains(0) {
            return false
        }
        guard part.newFile.map(PartialFiles.isName) ?? true, reachedByteCount ?? 0 >= 0,
            part.firstAnswer.map({ (100...999).contains($0.status) }) ?? true
        else { return false }
        switch state {
        case .running(let moved, let expected): return moved >= 0 && expected >= -1
        case .finished(let answer, let file):
            return (100...999).contains(answer.status) && file.map(PrivateFolder.isPlain) ?? true
        case .queued, .failed, .delivered: return true
        }
    }
}
