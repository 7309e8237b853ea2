import Synchronization

/// The end of a request body that is not sent before the session's delegate allows it.
///
/// A server does not act on an incomplete body: until the held part is sent, the request was certainly not
/// carried out.
struct HeldPart: Sendable {
    /// How many bytes at the end of the body are held back.
    var byteCount: Int64
    /// Whether all bytes before it were taken, and the delegate was asked.
    var isReached = false
}

/// A delegate that allows the end of a request body to be sent.
protocol HeldPartDelegate: URLSessionDelegate {
    /// Called on the delegate queue, once, when only the held part of a body is left. Nothing more of it is
    /// sent until `sendHeldPart()` of the task is called.
    func heldPartReached(by task: URLSessionTask)
}

extension URLSessionTask {
    /// Holds back the end of the request body, in each attempt. Called before `resume()`.
    func holdLastPart(of byteCount: Int64) {
        status.withLock { $0.delivery.heldPart = HeldPart(byteCount: byteCount) }
    }

    /// Sends the part that was held back, and holds back nothing more: also not of a body that is sent again,
    /// after a redirect for example.
    func sendHeldPart() {
        status.withLock { $0.delivery.heldPart = nil }
        Engine.shared.thread.submit { [weak self] engine in
            if let self { engine.bodyReleased(of: self) }
        }
    }

    /// Asks the delegate, unless it was asked before.
    fileprivate func reachHeldPart() {
        let isFirst = status.withLock { status in
            defer { status.delivery.heldPart?.isReached = true }
            return status.delivery.heldPart?.isReached == false
        }
        guard isFirst else { return }
        guard let delegate = session.delegate as? any HeldPartDelegate else {
            return sendHeldPart()
        }
        session.callbackQueue.async { delegate.heldPartReached(by: self) }
    }
}

extension Attempt {
    /// How many of the next bytes of the body may be sent now; 0 while the rest is held back.
    func releasedByteCount(of wanted: Int) -> Int {
        guard let task = transfer?.task,
            let held = task.status.withLock({ $0.delivery.heldPart })
        else { return wanted }
        let released = body.byteCount - held.byteCount - body.position
        if released > 0 { return Int(min(Int64(wanted), released)) }
        task.reachHeldPart()
        return 0
    }
}
