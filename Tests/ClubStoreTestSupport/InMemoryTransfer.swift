import ClubStore

/// An upload or download of an ``InMemoryStore``: half of the bytes, a suspension if held, the
/// rest.
@MainActor final class InMemoryTransfer: StoreTransfer {
    typealias Work = @MainActor (InMemoryTransfer) async throws(StoreError) -> RemoteFile

    let path: RemotePath
    private(set) var state = StoreTransferState.suspended
    private(set) var byteCount: Int64 = 0
    private(set) var expectedByteCount: Int64 = 0
    var bytesPerSecondLimit: Int64?

    private weak var delegate: (any StoreTransferDelegate)?
    private let operation: StoreError.Operation
    private let work: Work
    private var task: Task<Void, Never>?

    init(
        _ operation: StoreError.Operation, of path: RemotePath, delegate: any StoreTransferDelegate,
        work: @escaping Work
    ) {
        self.operation = operation
        self.path = path
        self.delegate = delegate
        self.work = work
    }

    func resume() {
        guard state == .suspended else { return }
        state = .running
        task = Task {
            let result: Result<RemoteFile, StoreError>
            do throws(StoreError) {
                result = .success(try await work(self))
            } catch {
                result = .failure(error)
            }
            finish(result)
        }
    }

    func cancel() {
        guard state != .finished else { return }
        state = .finished
        task?.cancel()
        Task { delegate?.transfer(self, didFinishWith: .failure(cancelled)) }
    }

    func move(_ count: Int64, of expected: Int64) {
        guard state == .running else { return }
        byteCount = count
        expectedByteCount = expected
        delegate?.transfer(self, didMove: count, ofExpected: expected)
    }
}

extension InMemoryTransfer {
    private var cancelled: StoreError {
        StoreError(.cancelled, during: operation, at: path)
    }

    private func finish(_ result: Result<RemoteFile, StoreError>) {
        guard state == .running else { return }
        if case .success(let file) = result { move(file.byteCount, of: file.byteCount) }
        state = .finished
        delegate?.transfer(self, didFinishWith: result)
    }
}
