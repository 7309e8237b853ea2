import FoundationEssentials
import Synchronization

// Uploads that survive a lost connection. What an answer or a loss means is decided by
// `UploadResumption`.

extension Engine {
    /// From how many bytes on an upload asks to be resumable: to send less again costs nothing.
    static var leastResumableByteCount: Int64 { 64 << 10 }

    /// Whether a task that starts goes on with an upload; then it lines up to ask how far that is.
    func takesUpUpload(_ load: Load) {
        guard let start = (load.task as? URLSessionUploadTask)?.resumption, let data = start.data
        else { return }
        let upload = UploadResumption(data, request: start.request, startsOver: start.hasRequest)
        load.upload = upload
        if let next = upload.next { load.request = next }
    }

    /// The body is open and a leg begins: finds out where in the body.
    ///
    /// - Returns: false when the body is not the one that was begun with; the task has failed then.
    func prepareUpload(of load: Load) -> Bool {
        guard load.task is URLSessionUploadTask else { return true }
        if load.upload?.leg == nil { load.upload = makeUpload(for: load) }
        guard let leg = load.upload?.leg, let offset = leg.bodyOffset else { return true }
        guard let upload = load.upload, upload.isOf(load.body.byteCount) else {
            end(
                load,
                with: URLError(
                    .requestBodyStreamExhausted, failingURL: load.task.currentRequest?.url,
                    underlyingText: "the body is not as long as when the upload began"))
            return false
        }
        load.upload?.beginLeg()
        guard offset > 0, load.bodyOffset == 0 else { return true }
        load.bodyOffset = offset
        _ = load.seek(to: 0)
        load.postedSent = offset
        load.sendsAgain = true
        return true
    }

    /// Asks the delegate for the rest of a body that another process has begun to send.
    func askForRest(of load: Load) {
        let task = load.task
        let leg = load.leg
        task.post(
            .needsRestOfBody(
                from: load.upload?.offset ?? 0,
                Reply { stream in
                    let opened: Result<BodyReader, URLError> =
                        stream.map {
                            .success(
                                BodyReader(
                                    stream: $0, byteCount: -1, wake: Self.waker(for: task)))
                        }
                        ?? .failure(
                            URLError(
                                .requestBodyStreamExhausted,
                                underlyingText: "the delegate gave no rest of the body"))
                    Self.shared.submit { $0.take(opened, for: task, leg: leg) }
                }))
    }

    private func makeUpload(for load: Load) -> UploadResumption? {
        switch load.body {
        case .none, .pipe: return nil
        case .reader(let reader) where !reader.canRewind: return nil
        case .data, .reader: break
        }
        guard load.body.byteCount >= Self.leastResumableByteCount,
            ["POST", "PUT", "PATCH"].contains(load.request.method)
        else { return nil }
        return UploadResumption(load.request, byteCount: load.body.byteCount)
    }

    /// Takes the head of an answer to a leg of an upload.
    ///
    /// - Returns: false when it is to be treated as any answer.
    func isUploadAnswer(_ head: ResponseHead, to load: Load) -> Bool {
        guard let isFirst = load.upload?.isCreating, load.upload?.leg != nil,
            let response = load.response, let decision = load.upload?.take(head)
        else { return false }
        switch decision {
        case .deliver where isFirst: return false
        case .deliver, .deliverWithoutBody: deliver(response, of: load)
        case .send: load.following = load.upload?.next
        case .fail(let error): end(load, with: error)
        }
        return true
    }

    /// Whether an upload goes on after a failure; then all that follows is done.
    func survives(_ load: Load, _ error: URLError) -> Bool {
        let hasSentAll = load.hasSentBody
        guard load.upload?.leg != nil, load.response == nil,
            [.networkConnectionLost, .timedOut, .cannotConnectToHost].contains(error.code),
            load.resourceTimer.deadline.map({ $0 > now }) ?? true,
            let decision = load.upload?.takeLoss(error, hasSentAll: hasSentAll),
            case .send = decision,
            let next = load.upload?.next
        else { return false }
        detach(load)
        load.beginLeg()
        load.request = next
        load.needsFreshConnection = true
        let rest = load.upload?.restSeconds ?? 0
        if rest > 0 {
            load.restsUntil = now + UInt64(rest * 1e9)
            deadlineChanged(of: load)
        } else {
            prepareBody(of: load)
        }
        return true
    }

    /// What a later task needs to go on with a load's upload.
    func uploadResumeData(of load: Load) -> Data? {
        guard let data = load.upload?.resumeData, let blob = try? data.blob else { return nil }
        UploadBodies.remember(
            blob, request: load.upload?.request ?? load.request, source: load.task.source)
        return blob
    }
}
