import FoundationEssentials

/// One revision of a file on its way here, as a store gives it.
struct Download: Sendable {
    let sink: DownloadSink

    /// Asks for the bytes that the sink does not have yet.
    let receiveRest: @Sendable () async throws(StoreError) -> Void

    /// Makes sure, when all bytes are here, that they are of this revision, where their answers did not
    /// tell. Throws `.changedMeanwhile`.
    var confirm: @Sendable () async throws(StoreError) -> Void = {}
}

extension Download {
    /// How often to begin with another revision than the one of a moment ago.
    private static let revisionsFollowed = 3

    /// A transfer that brings a file to a place on this computer, whole and verified or not at all.
    ///
    /// - Parameter begin: Looks which revision the store has now.
    @MainActor static func transfer(
        _ path: RemotePath, to file: URL, isKept: Bool, delegate: any TransferDelegate,
        begin: @escaping @Sendable (TransferProgressPort) async throws(StoreError) -> Download
    ) -> any Transfer {
        StoreTransfer(.download, of: path, delegate: delegate) { progress throws(StoreError) in
            try await receive(path, to: file.path, isKept: isKept) { () throws(StoreError) in
                try await begin(progress)
            }
        }
    }

    @concurrent private static func receive(
        _ path: RemotePath, to destination: String, isKept: Bool,
        begin: @Sendable () async throws(StoreError) -> Download
    ) async throws(StoreError) -> RemoteFile {
        for _ in 0..<revisionsFollowed {
            let download = try await begin()
            do throws(StoreError) {
                return try await download.receive(destination, isKept: isKept)
            } catch {
                download.sink.setAside()
                guard error.code == .changedMeanwhile else { throw error }
            }
        }
        throw StoreError(.changedMeanwhile, during: .download, at: path)
    }

    private func receive(
        _ destination: String, isKept: Bool
    ) async throws(StoreError) -> RemoteFile {
        try await sink.open(destination, isKept: isKept)
        try await receiveAll()
        try await confirm()
        try await sink.finish()
        return sink.file
    }

    /// Asks for the rest again and again as long as that brings more bytes.
    private func receiveAll() async throws(StoreError) {
        while !sink.isComplete {
            let reached = sink.byteCount
            do throws(StoreError) {
                return try await receiveRest()
            } catch {
                if error.refusedStatus == 416, reached > 0 {
                    // There is no rest: not of this file, then.
                    try sink.restart()
                } else if error.code != .offline || sink.byteCount <= reached {
                    throw error
                }
            }
        }
    }
}
