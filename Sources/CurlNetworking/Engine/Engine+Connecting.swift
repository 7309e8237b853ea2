import FoundationEssentials
import Synchronization

// From a task that runs to a request on its way.

extension Engine {
    // MARK: - Towards a connection

    func lineUp(_ load: Load) {
        load.stage = .waiting
        guard !load.pauses.contains(.suspended) else { return }
        let task = load.task
        if slots.enter(
            load.id, at: load.place, limit: load.connectionLimit,
            priority: task.priority)
        {
            load.hasConnection = true
            prepareBody(of: load)
        } else {
            load.isInLine = true
        }
    }

    func giveUpConnection(of load: Load) {
        if load.isInLine {
            slots.withdraw(load.id, from: load.place)
            load.isInLine = false
        }
        guard load.hasConnection else { return }
        load.hasConnection = false
        guard let next = slots.leave(load.place), let heir = loads[next] else { return }
        heir.isInLine = false
        heir.hasConnection = true
        prepareBody(of: heir)
    }

    func prepareBody(of load: Load) {
        load.stage = .preparing
        let task = load.task
        let leg = load.leg
        if load.upload?.leg?.isUpload == false {
            load.body = .none
            return connect(load)
        }
        switch load.source {
        case .none:
            load.body = .none
            connect(load)
        case .data(let data):
            load.body = .data(data, position: 0)
            connect(load)
        case .file(let url):
            FileQueue.run {
                let opened = Result { () throws(URLError) in
                    try BodyReader.open(file: url, wake: Self.waker(for: task))
                }
                Self.shared.submit { $0.take(opened, for: task, leg: leg) }
            }
        case .pipe(let pipe):
            pipe.connect(wake: Self.waker(for: task))
            load.body = .pipe(pipe)
            connect(load)
        case .given(let stream):
            load.source = .stream
            load.body = .reader(
                BodyReader(
                    stream: stream, byteCount: load.request.announcedByteCount,
                    wake: Self.waker(for: task)))
            connect(load)
        case .stream where load.upload?.hasArrived == true:
            askForRest(of: load)
        case .stream:
            let byteCount = load.request.announcedByteCount
            task.post(
                .needsBodyStream(
                    Reply { stream in
                        let opened: Result<BodyReader, URLError> =
                            stream.map {
                                .success(
                                    BodyReader(
                                        stream: $0, byteCount: byteCount,
                                        wake: Self.waker(for: task)))
                            }
                            ?? .failure(
                                URLError(
                                    .requestBodyStreamExhausted,
                                    underlyingText: "the delegate gave no body stream"))
                        Self.shared.submit { $0.take(opened, for: task, leg: leg) }
                    }))
        }
    }

    static func waker(for task: URLSessionTask) -> @Sendable () -> Void {
        { [weak task] in
            guard let task else { return }
            shared.submit { $0.bodyArrived(for: task) }
        }
    }

    func take(
        _ opened: Result<BodyReader, URLError>, for task: URLSessionTask, leg: Int
    ) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.stage == .preparing
        else { return }
        switch opened {
        case .success(let reader):
            load.body = .reader(reader)
            connect(load)
        case .failure(let error):
            end(load, with: error.failingURL == nil ? error.for(load.request.url) : error)
        }
    }

    func bodyArrived(for task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task.successor ?? task)], load.isAwaitingBody else {
            return
        }
        load.isAwaitingBody = false
        applyPauses(to: load)
    }

    func connect(_ load: Load) {
        guard !load.pauses.contains(.suspended) else {
            load.stage = .held
            return
        }
        guard !load.isGetWithBody else {
            return end(
                load,
                with: URLError(
                    .dataLengthExceedsMaximum, failingURL: load.request.url,
                    underlyingText: "a GET has no body"))
        }
        guard prepareUpload(of: load), prove(load) else { return }
        guard let easy = takeHandle() else {
            return end(load, with: URLError(.unknown, underlyingText: "no memory for a transfer"))
        }
        do throws(URLError) {
            try easy.configure(for: load, headers: fieldsToSend(for: load))
        } catch {
            return end(load, with: error)
        }
        if load.upload?.leg?.isUpload != false {
            let expected = load.body.byteCount
            load.task.status.withLock { $0.expectedToSend = expected }
        }
        load.easy = easy
        load.stage = .connecting
        load.notes.handedOver = now
        load.updateTimers(at: now)
        deadlineChanged(of: load)
        guard multi.add(easy) else {
            load.easy = nil
            return end(
                load, with: URLError(.unknown, underlyingText: "libcurl refused the transfer"))
        }
        if load.handshake != nil { multi.handshakes.begin(easy) }
    }
}
