internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import Pictures

/// Who is told how an upload goes, on the main actor.
@MainActor protocol PhotoUploadDelegate: AnyObject {
    func photoUploadDidProgress(_ upload: PhotoUpload)
    /// Comes exactly once.
    func photoUpload(_ upload: PhotoUpload, didFinishWith result: PhotoUpload.Result)
}

/// One photo on its way to the club: re-encoded first, then sent. No views here.
///
/// The picture on the person's disk is never touched; the re-encoded copy is a file without a name, so
/// that nothing of it is left behind, however it ends.
@MainActor final class PhotoUpload {
    enum Phase: Equatable {
        /// Re-encoding; how far, from 0 to 1.
        case preparing(Double)
        /// The last byte counts as sent only when the server has confirmed the whole.
        case sending(TransferProgress)
        case finished
    }

    enum Failure: Error {
        case picture(PictureError)
        case store(StoreError)
    }

    enum Result {
        case uploaded(RemoteFile)
        case cancelled
        case failed(Failure)
    }

    let source: URL
    /// Under which name it will stand in the club.
    let name: String
    private(set) var phase = Phase.preparing(0)
    weak var delegate: (any PhotoUploadDelegate)?

    private let club: Club
    private let mode: WriteMode
    private let settings: TransferSettings
    private var preparing: Task<Void, Never>?
    private var transfer: (any Transfer)?
    /// The file that is sent goes with it.
    private var prepared: PreparedPhoto?
    private var keepsAlive: PhotoUpload?
    private let clock = ContinuousClock()
    private lazy var began = clock.now

    init(
        _ source: URL, named name: String, mode: WriteMode = .add, in club: Club,
        settings: TransferSettings = TransferSettings()
    ) {
        self.source = source
        self.settings = settings
        self.name = name
        self.mode = mode
        self.club = club
    }

    /// Begins. The upload keeps itself alive until it has finished.
    func start() {
        guard preparing == nil, phase != .finished else { return }
        keepsAlive = self
        club.activity.begin()
        preparing = Task { await prepareAndSend() }
    }

    /// Ends it at once; the delegate hears `.cancelled` before this returns.
    func cancel() {
        guard phase != .finished else { return }
        preparing?.cancel()
        transfer?.cancel()
        finish(.cancelled)
    }
}

extension PhotoUpload {
    private func prepareAndSend() async {
        do {
            let prepared = try await reencode()
            guard phase != .finished else { return }
            self.prepared = prepared
            try await send(prepared)
        } catch let error as PictureError {
            finish(error.code == .cancelled ? .cancelled : .failed(.picture(error)))
        } catch let error as StoreError {
            finish(error.code == .cancelled ? .cancelled : .failed(.store(error)))
        } catch {
            finish(.cancelled)
        }
    }

    private func reencode() async throws -> PreparedPhoto {
        let (source, quality) = (source, settings.photoQuality)
        let (progress, continuation) = AsyncStream.makeStream(
            of: Double.self, bufferingPolicy: .bufferingNewest(1))
        let reporting = Task {
            for await fraction in progress {
                // The last word about preparing may come after sending has begun.
                guard case .preparing = phase else { return }
                phase = .preparing(fraction)
                delegate?.photoUploadDidProgress(self)
            }
        }
        defer {
            continuation.finish()
            reporting.cancel()
        }
        return try await PictureWorkers.shared.reencode(source, quality: quality) {
            continuation.yield($0)
        }
    }

    private func send(_ prepared: PreparedPhoto) async throws {
        let path = try RemotePath.root.appending(ClubContents.photosFolderName)
            .appending(newName: name)
        let store = try await club.openStore()
        guard phase != .finished else { return }
        phase = .sending(TransferProgress(expectedByteCount: prepared.byteCount))
        delegate?.photoUploadDidProgress(self)
        let transfer = store.upload(fileAt: prepared.url, to: path, mode: mode, delegate: self)
        transfer.bytesPerSecondLimit = settings.bytesPerSecondLimit
        self.transfer = transfer
        transfer.resume()
    }

    private func finish(_ result: Result) {
        guard phase != .finished else { return }
        phase = .finished
        club.activity.end()
        if case .uploaded(let file) = result { club.record(file) }
        delegate?.photoUpload(self, didFinishWith: result)
        transfer = nil
        prepared = nil
        keepsAlive = nil
    }
}

extension PhotoUpload: TransferDelegate {
    func transfer(
        _ transfer: any Transfer, didMove byteCount: Int64, ofExpected expected: Int64
    ) {
        guard case .sending(var progress) = phase else { return }
        progress.record(byteCount: byteCount, of: expected, at: began.duration(to: clock.now))
        phase = .sending(progress)
        delegate?.photoUploadDidProgress(self)
    }

    func transfer(
        _ transfer: any Transfer, didFinishWith result: Swift.Result<RemoteFile, StoreError>
    ) {
        switch result {
        case .success(let file): finish(.uploaded(file))
        case .failure(let error) where error.code == .cancelled: finish(.cancelled)
        case .failure(let error): finish(.failed(.store(error)))
        }
    }
}
