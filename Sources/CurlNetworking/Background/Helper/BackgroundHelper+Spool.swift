import Dispatch
import FoundationEssentials

// Tasks of programs that ended before they could send them.

extension BackgroundHelper {
    /// Moves the tasks of ended processes to the journal, and starts them.
    func takeSpooledTasks() {
        let damaged = PendingTaskSpool(paths).takeAbandoned { record in
            if let present = journal[record.session, record.number], present.key == record.key {
                return true  // handed over, but the program could not be notified
            }
            var record = record
            if journal[record.session, record.number] != nil {
                // The process that used this number has ended.
                record = record.renumbered(journal.nextNumber(in: record.session))
            }
            do {
                try journal.add(record)
            } catch {
                log.note("cannot keep task \(record.number) of a program that is gone: \(error)")
                return false
            }
            log.note(
                "task \(record.number) of \(record.session) was left by a program that is gone")
            notify(record.session, .task(record))
            if !record.state.isOver { carry(record) }
            return true
        }
        for name in damaged { log.note("removed, because it is not a record of a task: \(name)") }
    }

    /// Does the same a little later: an ending process closes its socket before its locks are released.
    func takeSpooledTasksSoon() {
        executor.queue.asyncAfter(deadline: .now() + .milliseconds(500)) { @Sendable [self] in
            assumeIsolated { helper in
                helper.takeSpooledTasks()
                helper.assignWaitingClients()
                helper.armTimer()
            }
        }
    }
}
