import FoundationEssentials
import Synchronization

// What tasks ask of the engine. What a task wants is read from the task itself, so that wishes that
// come late or twice do no harm. As in the files beside this one, every function runs in a turn of the
// engine, never inside a callback of libcurl.

extension Engine {
    func start(_ task: URLSessionTask) {
        guard loads[ObjectIdentifier(task)] == nil, !task.status.withLock({ $0.life.isOver }) else {
            return
        }
        if let failure = task.startFailure {
            return task.post(.completed(TaskResult(error: failure)))
        }
        let request = task.requestToLoad
        guard let url = request.url, let origin = Origin(of: url) else {
            let url = request.url
            let isHTTP = ["http", "https"].contains(url?.scheme?.lowercased())
            let code: URLError.Code = isHTTP ? .badURL : .unsupportedURL
            return task.post(
                .completed(TaskResult(error: URLError(code, failingURL: url?.withoutCredentials))))
        }
        let load = Load(task: task, origin: origin, marks: marks, sockets: sockets)
        loads[load.id] = load
        noteSuspension(of: load)
        if !delays(load) { setOut(load) }
    }

    /// The time to begin has come.
    func setOut(_ load: Load) {
        takesUpUpload(load)
        if !opensPart(for: load) { begin(load) }
    }

    func lifeChanged(of task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        noteSuspension(of: load)
        let isSuspended = load.pauses.contains(.suspended)
        switch load.stage {
        case .waiting where isSuspended && load.isInLine:
            slots.withdraw(load.id, from: load.place)
            load.isInLine = false
        case .waiting where !isSuspended && !load.isInLine:
            begin(load)
        case .held where !isSuspended:
            connect(load)
        case .connecting where isSuspended && !load.isAsking:
            detach(load)  // nothing of the request has left yet
            load.stage = .held
        default:
            break
        }
        applyPauses(to: load)
    }

    func priorityChanged(of task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)], load.isInLine else { return }
        slots.withdraw(load.id, from: load.place)
        load.isInLine = false
        lineUp(load)
    }

    func abort(_ task: URLSessionTask) {
        if let load = loads[ObjectIdentifier(task)] { return stop(load) }
        dropSuccessor(of: task)
        // What was given is all there is, as long as nothing was begun with it.
        let isFresh = !task.status.withLock { $0.life.hasStarted }
        task.finishCancelling(
            resumeData: isFresh && task.wantsResumeData ? task.givenResumeData : nil)
    }

    func fail(_ task: URLSessionTask, with error: URLError) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        end(load, with: error.failingURL == nil ? error.for(load.request.url) : error)
    }

    func flowOpened(for task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        load.pauses.remove(.flow)
        applyPauses(to: load)
    }

    func noteSuspension(of load: Load) {
        if load.task.status.withLock({ $0.life.isHeld }) {
            load.pauses.insert(.suspended)
        } else {
            load.pauses.remove(.suspended)
        }
    }

    // MARK: - Pauses

    func applyPauses(to load: Load) {
        if load.stage == .serving { return serveMore(load) }
        load.updateTimers(at: now)
        deadlineChanged(of: load)
        guard load.stage == .exchanging, load.verdict == nil, let easy = load.easy else { return }
        _ = easy.pause(
            receiving: !load.pauses.isEmpty,
            sending: load.isAwaitingBody || load.pauses.contains(.suspended))
    }
}
