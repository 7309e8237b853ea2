import FoundationEssentials

/// One revision of a file to download, as an adapter provides it.
struct Download: Sendable {
    let sink: DownloadSink

    /// Requests the bytes that the sink does not have yet.
    let receiveRest: @Sendable () async throws(StoreError) -> Void

    /// Checks after the last byte that all bytes belong to this revision, where their responses do not prove it.
    /// Throws `.changedMeanwhile`.
    var confirm: @Sendable () async throws(StoreError) -> Void = {}
}

extension Download {
    /// How often to restart because the file has another revision now.
    private static let revisionsFollowed = 3

    /// A transfer that downloads a file to a local path, complete and verified or not at all.
    ///
    /// - Parameter begin: Looks up the current revision.
    @MainActor static func transfer(
        _ path: RemotePath, to file: URL, isKept: Bool, replaces: Bool,
        delegate: any StoreTransferDelegate,
        begin: @escaping @Sendable (TransferProgressPort) async throws(StoreError) -> Download
    ) -> any StoreTransfer {
        StoreTransferTask(.download, of: path, delegate: delegate) { progress throws(StoreError) in
            try await receive(path, to: file.path, isKept: isKept, replaces: replaces) {
                () throws(StoreError) in
                try await begin(progress)
            }
        }
    }

    @concurrent private static func receive(
        _ path: RemotePath, to destination: String, isKept: Bool, replaces: Bool,
        begin: @Sendable () async throws(StoreError) -> Download
    ) async throws(StoreError) -> RemoteFile {
        for _ in 0..<revisionsFollowed {
            let download = try await begin()
            do throws(StoreError) {
                return try await download.receive(
                    destination, isKept: isKept, replaces: replaces)
            } catch {
                if error.leavesBytesOfUse {
                    download.sink.setAside()
                } else {
                    download.sink.discard()
                }
                guard error.code == .changedMeanwhile else { throw error }
            }
        }
        throw StoreError(.changedMeanwhile, during: .download, at: path)
    }

    private func receive(
        _ destination: String, isKept: Bool, replaces: Bool
    ) async throws(StoreError) -> RemoteFile {
        try await sink.open(destination, isKept: isKept)
        try await receiveAll()
        try await confirm()
        try await sink.finish(replaces: replaces)
        return sink.file
    }

    /// How often to restart because the server has no bytes after those that are here. One that breaks off every answer
    /// and takes no range would be asked for ever.
    private static let restartLimit = 2

    /// Requests the remaining bytes repeatedly, as long as each request makes progress.
    private func receiveAll() async throws(StoreError) {
        var restartCount = 0
        var hasEndedEarly = false
        while !sink.isComplete {
            let reached = sink.byteCount
            do throws(StoreError) {
                try await receiveRest()
            } catch {
                if error.refusedStatus == 416, hasEndedEarly {
                    // The server has no more bytes than it sent.
                    try await confirm()
                    throw tooShort(.damaged)
                } else if error.refusedStatus == 416, sink.byteCount > 0,
                    restartCount < Self.restartLimit
                {
                    restartCount += 1
                    // There are no remaining bytes: the partial file, or what a broken request has left, is not of
                    // this file.
                    try sink.restart()
                } else if error.code != .offline || sink.byteCount <= reached {
                    throw error
                }
                continue
            }
            // Without a length, an answer that breaks off looks like a complete one.
            guard !sink.isComplete else { return }
            hasEndedEarly = true
            guard sink.byteCount <= reached else { continue }
            try await confirm()
            throw tooShort(.badAnswer)
        }
    }

    private func tooShort(_ code: StoreError.Code) -> StoreError {
        StoreError(
            code, during: .download, at: sink.file.path,
            detail: "\(sink.byteCount) bytes of \(sink.file.byteCount)")
    }
}

extension StoreError {
    /// Whether the next attempt can go on from what has arrived.
    fileprivate var leavesBytesOfUse: Bool {
        switch code {
        // They may be of two revisions, or are not the file's.
        case .changedMeanwhile, .damaged: false
        // On a full disk, they would leave no room to record why it stopped, or for anything else.
        default: underlying as? DestinationProblem != .diskFull
        }
    }
}
