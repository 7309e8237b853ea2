import DropboxAPI
public import FoundationEssentials

/// Copies a whole club into another one, file by file, and replaces nothing there.
///
/// Every copy is verified: by the destination's content hash, or by reading it back if the store
/// has none. To continue an interrupted run, start it again: it skips what was copied and resumes
/// partial transfers, in both directions.
@MainActor public final class ClubCopy {
    private let source: any RemoteStore
    private let destination: any RemoteStore
    private let folder: URL
    private let report: (Event) -> Void
    private let didWrite: (RemoteFile) async -> Void
    private var ledger: CopyLedger
    /// The maximum rate in bytes per second; nil for unlimited.
    public var bytesPerSecondLimit: Int64?

    /// The result for one entry.
    public enum Outcome: Sendable {
        case copied
        /// The same bytes were there already.
        case alreadyThere
        /// The destination has something else under this name, which was left unchanged.
        case different
        case failed(Failure)
    }

    public enum Event: Sendable {
        /// Both clubs are listed: the number of entries and bytes to process.
        case began(entryCount: Int, byteCount: Int64)
        /// A file's bytes are moving: first downloaded, then uploaded.
        case moving(RemoteFile, byteCount: Int64, isSending: Bool)
        case finished(RemotePath, Outcome)
    }

    /// An error and the club that caused it.
    public struct Failure: Error, Sendable {
        public enum Side: Sendable { case source, destination }
        public var side: Side
        public var error: StoreError
    }

    /// - Parameters:
    ///   - folder: A folder of this copy's own, created if missing, for partial transfers and the
    ///     ledger of what is done. Pass the same one to continue an interrupted copy.
    ///   - didWrite: Called with each file that was written into the destination; the copy waits for it.
    ///   - report: Receives events, on the main actor.
    public init(
        from source: any RemoteStore, to destination: any RemoteStore, workingFolder folder: URL,
        didWrite: @escaping (RemoteFile) async -> Void = { _ in },
        report: @escaping (Event) -> Void
    ) {
        self.source = source
        self.destination = destination
        self.folder = folder
        self.didWrite = didWrite
        self.report = report
        ledger = CopyLedger(at: folder.appending(path: Self.ledgerName))
    }

    /// Copies. Entries that cannot be copied are reported and skipped.
    ///
    /// - Throws: What stops the whole copy: a club that is offline, signed out or full, a disk
    ///   that cannot be written, or cancellation. Files already copied stay.
    public func run() async throws(Failure) {
        try makeFolder()
        let here = try await from { () async throws(StoreError) in
            try await self.source.list(.root, recursive: true)
        }
        let steps = CopyStep.steps(from: here, to: try await listDestination())
        report(.began(entryCount: steps.count, byteCount: here.byteCount))
        for place in here.skipped {
            report(.finished(Self.path(of: place), Self.unnameable(place)))
        }
        for step in steps {
            do throws(Failure) {
                report(.finished(step.path, try await take(step)))
            } catch {
                guard error.error.concernsOneFile else { throw error }
                report(.finished(step.path, .failed(error)))
            }
        }
        removeLocalCopies()
    }

    private func take(_ step: CopyStep) async throws(Failure) -> Outcome {
        switch step {
        case .blocked:
            return .different
        case .makeFolder(let path):
            return try await makeFolder(path)
        case .compare(let file, let other):
            return try await compare(file, with: other)
        case .copy(let file):
            return try await copy(file)
        }
    }
}

extension ClubCopy {
    private static let ledgerName = "ledger"

    /// If the club's folder does not exist yet, the first write creates it.
    private func listDestination() async throws(Failure) -> Listing {
        do throws(Failure) {
            return try await to { () async throws(StoreError) in
                try await self.destination.list(.root, recursive: true)
            }
        } catch {
            guard error.error.code == .notFound else { throw error }
            return Listing(entries: [], cursor: Cursor(rawValue: ""))
        }
    }

    /// A later run downloads again what could not be copied; a completed run leaves no bytes
    /// behind. Other files in the folder are kept.
    private func removeLocalCopies() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where Self.isLocalCopy(name) {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    /// A complete or partial download (`.NAME.REVISION.part`), or an upload record.
    private static func isLocalCopy(_ name: String) -> Bool {
        var rest = name.drop { $0 == "." }
        if rest.hasPrefix(checkPrefix) { rest = rest.dropFirst(checkPrefix.count) }
        let digits = rest.prefix { $0.isHexDigit }
        let ending = rest[digits.endIndex...]
        return digits.count == 32
            && (ending.isEmpty || ending.hasSuffix(".part") || ending.hasPrefix(recordEnding))
    }

    private static let checkPrefix = "check-"

    /// For the records of uploads in progress.
    private static let recordExtension = "upload"
    private static let recordEnding = "." + recordExtension

    /// An entry in the source that cannot be requested.
    private static func unnameable(_ place: String) -> Outcome {
        .failed(
            Failure(
                side: .source,
                error: StoreError(.nameNotAllowed, during: .list, at: path(of: place))))
    }

    /// Only for reporting: names that are too long are truncated.
    private static func path(of place: String) -> RemotePath {
        let names = place.split(separator: "/").map { name in
            guard name.utf8.count > 255 else { return String(name) }
            var beginning = name.prefix(240)
            while beginning.utf8.count > 240 { beginning.removeLast() }
            return beginning + "…"
        }
        return (try? RemotePath(validating: "/" + names.joined(separator: "/"))) ?? .root
    }

    private func makeFolder(_ path: RemotePath) async throws(Failure) -> Outcome {
        do throws(Failure) {
            try await to { () async throws(StoreError) in
                try await self.destination.createFolder(path)
            }
            return .copied
        } catch {
            // Created in the meantime, by someone else or for a file in it.
            if error.error.isConflict { return .alreadyThere }
            throw error
        }
    }

    private func compare(
        _ file: RemoteFile, with other: RemoteFile
    ) async throws(Failure) -> Outcome {
        guard file.byteCount == other.byteCount else { return .different }
        if ledger.hasVerified(file, as: other) { return .alreadyThere }
        let mine = try await contentHash(of: file, in: source, .source)
        let theirs = try await contentHash(of: other, in: destination, .destination)
        guard mine == theirs else { return .different }
        ledger.note(file, isEqualTo: other)
        return .alreadyThere
    }

    private func copy(_ file: RemoteFile) async throws(Failure) -> Outcome {
        let local = localCopy(of: file)
        let (received, hash) = try await receive(file, from: source, .source, into: local)
        let sent: RemoteFile
        do throws(Failure) {
            sent = try await to { () async throws(StoreError) in
                try await TransferRun.run { delegate in
                    let transfer = self.destination.upload(
                        fileAt: local, to: received.path, mode: .add,
                        record: local.appendingPathExtension(Self.recordExtension),
                        delegate: delegate)
                    transfer.bytesPerSecondLimit = self.bytesPerSecondLimit
                    return transfer
                } moved: { count, _ in
                    self.report(.moving(received, byteCount: count, isSending: true))
                }
            }
        } catch {
            if error.error.isNameTaken {
                try? FileManager.default.removeItem(at: local)
                return .different
            }
            throw error
        }
        var unverified = sent
        if !destination.reportsServerHashes { unverified.contentHash = nil }
        guard try await contentHash(of: unverified, in: destination, .destination) == hash else {
            // Ours, and incomplete: a later run would take it for another member's.
            try? await destination.delete(sent.path, ifRevision: sent.revision)
            throw Failure(
                side: .destination, error: StoreError(.damaged, during: .upload, at: sent.path))
        }
        await didWrite(sent)
        ledger.note(received, isEqualTo: sent)
        try? FileManager.default.removeItem(at: local)
        return .copied
    }

    /// The store's own hash, or that of the downloaded bytes.
    private func contentHash(
        of file: RemoteFile, in store: any RemoteStore, _ side: Failure.Side
    ) async throws(Failure) -> String {
        if let hash = file.contentHash { return hash }
        let local = folder.appending(path: Self.checkPrefix + Self.name(for: file))
        defer { try? FileManager.default.removeItem(at: local) }
        return try await receive(file, from: store, side, into: local).hash
    }

    /// Downloads a file, or finds it complete from an earlier run.
    private func receive(
        _ file: RemoteFile, from store: any RemoteStore, _ side: Failure.Side, into local: URL
    ) async throws(Failure) -> (file: RemoteFile, hash: String) {
        if let hash = await Self.hash(ofWholeCopy: local, of: file) { return (file, hash) }
        do throws(StoreError) {
            let received = try await TransferRun.run { delegate in
                let transfer = store.download(
                    file.path, to: local, keepsPartialFile: true, delegate: delegate)
                transfer.bytesPerSecondLimit = self.bytesPerSecondLimit
                return transfer
            } moved: { count, _ in
                self.report(.moving(file, byteCount: count, isSending: false))
            }
            return (received, try await SourceFile(at: local).contentHash().hexadecimal)
        } catch {
            throw Failure(side: side, error: error)
        }
    }

    /// The hash of what an earlier run has downloaded; nil where it might belong to another state
    /// of the file, although its name holds the revision.
    private static func hash(ofWholeCopy local: URL, of file: RemoteFile) async -> String? {
        guard let copy = try? SourceFile(at: local), copy.byteCount == file.byteCount,
            let hash = try? await copy.contentHash().hexadecimal
        else { return nil }
        let isRight = file.contentHash.map { $0 == hash } ?? file.hasExactRevision
        return isRight ? hash : nil
    }

    private func localCopy(of file: RemoteFile) -> URL {
        folder.appending(path: Self.name(for: file))
    }

    /// A name that is safe on every file system, and different for each revision.
    private static func name(for file: RemoteFile) -> String {
        let identity = Data((file.path.string + "\0" + file.revision.rawValue).utf8)
        return sha256(of: identity).prefix(16).reduce(into: "") { text, byte in
            text += byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
        }
    }

    private func makeFolder() throws(Failure) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(
                side: .source,
                error: StoreError(
                    .fileUnwritable, during: .download, detail: folder.path, underlying: error))
        }
    }

    private func from<Value>(
        _ call: () async throws(StoreError) -> Value
    ) async throws(Failure) -> Value {
        do throws(StoreError) {
            return try await call()
        } catch {
            throw Failure(side: .source, error: error)
        }
    }

    @discardableResult
    private func to<Value>(
        _ call: () async throws(StoreError) -> Value
    ) async throws(Failure) -> Value {
        do throws(StoreError) {
            return try await call()
        } catch {
            throw Failure(side: .destination, error: error)
        }
    }
}

extension StoreError {
    /// Whether the same may still succeed with other files.
    package var concernsOneFile: Bool {
        switch code {
        case .notFound, .conflict, .notEmpty, .wrongKind, .nameNotAllowed, .tooLarge, .damaged,
            .changedMeanwhile, .badRequest, .forbidden, .refused, .locked, .fileUnreadable,
            .noThumbnail, .cursorReset, .withoutEffect:
            true
        case .unauthorized, .rateLimited, .overQuota, .serverUnavailable, .serverError, .offline,
            .untrusted,
            .timedOut, .cancelled, .badAnswer, .fileUnwritable:
            false
        }
    }
}

extension Listing {
    /// The total of all files, saturating.
    fileprivate var byteCount: Int64 {
        files.reduce(0) { sum, file in
            let (next, isTooMuch) = sum.addingReportingOverflow(max(0, file.byteCount))
            return isTooMuch ? .max : next
        }
    }
}
