import FoundationEssentials

/// Identifies one of the helper's own sessions.
///
/// Each session of a program has its own, so that accepted servers and passwords are not shared.
struct WorkerKey: Hashable {
    var session: String
    var settings: BackgroundSettings
}

extension BackgroundHelper {
    /// The session that runs a task, with the settings the task was created with.
    func worker(for record: BackgroundTaskRecord) -> URLSession {
        let work = WorkerKey(session: record.session, settings: record.settings)
        if let worker = workers[work] { return worker }
        let worker = URLSession(
            configuration: record.settings.makeConfiguration(), delegate: HelperDelegate(self),
            delegateQueue: executor.queue)
        workers[work] = worker
        return worker
    }

    /// Releases the sessions for a program's session without tasks and connection, with their cached
    /// credentials.
    func dismissWorkers(of session: String) {
        guard client(of: session) == nil, !transfers.keys.contains(where: { $0.session == session })
        else { return }
        for (work, worker) in workers where work.session == session {
            worker.finishTasksAndInvalidate()
            workers[work] = nil
        }
    }
}
