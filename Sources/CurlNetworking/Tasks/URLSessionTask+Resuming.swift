import Dispatch
import FoundationEssentials
import Synchronization

/// The key of a failed download's resume data in `URLError.userInfo`.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
/// The same key by FoundationNetworking's name.
public let URLSessionDownloadTaskResumeData = NSURLSessionDownloadTaskResumeData
/// The key of a failed upload's resume data in `URLError.userInfo`.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"

/// What a resumed task starts from.
protocol TaskStart: Sendable {
    associatedtype Position

    /// The resume data as passed by the caller.
    var blob: Data { get }
    /// The decoded resume data, or why it is unusable.
    var read: Result<Position, URLError> { get }
    var request: URLRequest { get }
    var source: BodySource { get }
}

extension TaskStart {
    var data: Position? { try? read.get() }

    /// Why the task cannot be resumed.
    var failure: URLError? {
        if case .failure(let error) = read { error } else { nil }
    }
}

extension URLSessionTask {
    /// Why the task cannot start.
    var startFailure: URLError? { start?.failure }
    /// The resume data that it was created with, if that is usable.
    var givenResumeData: Data? { startFailure == nil ? start?.blob : nil }

    /// Whether a caller is waiting for resume data of the cancelled task.
    var wantsResumeData: Bool { status.withLock { !$0.reports.resumeDataReceivers.isEmpty } }

    func cancel(producing receive: @escaping @Sendable (Data?) -> Void) {
        let consequence = changeLife({ $0.cancel() }) {
            $0.reports.resumeDataReceivers.append(receive)
        }
        guard consequence != .abort else { return }
        let joins = status.withLock { status in
            guard status.reports.isReportingSuspended, !status.reports.resumeDataReceivers.isEmpty
            else {
                return false
            }
            status.reports.resumeDataReceivers.append(receive)
            return true
        }
        if !joins { session.callbackQueue.async { receive(nil) } }
    }

    func cancelProducing() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(producing: { continuation.resume(returning: $0) })
        }
    }
}
