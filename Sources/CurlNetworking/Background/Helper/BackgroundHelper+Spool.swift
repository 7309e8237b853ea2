import Dispatch
import FoundationEssentials

// Tasks of programs that were gone before they could hand them over.

extension BackgroundHelper {
    /// Enters into the journal, and begins, what nobody alive answers for.
    func takeSpooledTasks() {
        let damaged = PendingTaskSpool(paths).takeAbandoned { record in
            if let present = journal[record.session, record.number], present.key == record.key {
                return true  // it was handed over, but nobody was there to hear so
            }
            var record = record
            if journal[record.session, record.number] != nil {
                // Whoever knew it by its number is gone.
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
        for name in damaged { log.note("removed, as it is no record of a task: \(name)") }
    }

    /// The same a little later: a process that ends hangs up before it lets go of all its locks.
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
