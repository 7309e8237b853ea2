import FoundationEssentials

/// What one of the helper's own sessions is for.
///
/// Each session of a program has its own: who its delegate has let in, and which passwords were good,
/// is nobody else's.
struct WorkerKey: Hashable {
    var session: String
    var settings: BackgroundSettings
}

extension BackgroundHelper {
    /// A session that does the work of a task, with the settings the task was made with.
    func worker(for record: BackgroundTaskRecord) -> URLSession {
        let work = WorkerKey(session: record.session, settings: record.settings)
        if let worker = workers[work] { return worker }
        let worker = URLSession(
            configuration: record.settings.makeConfiguration(), delegate: HelperDelegate(self),
            delegateQueue: executor.queue)
        workers[work] = worker
        return worker
    }

    /// Lets go of what was made for a session that has no tasks here and whose program has gone, what it
    /// knew of passwords included.
    func dismissWorkers(of session: String) {
        guard client(of: session) == nil, !transfers.keys.contains(where: { $0.session == session })
        else { return }
        for (work, worker) in workers where work.session == session {
            worker.finishTasksAndInvalidate()
            workers[work] = nil
        }
    }
}
