import ClubStore
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import ClubLibrary

/// A local copy that a program holds which was stopped: others neither wait without end, nor take it for theirs.
@Suite(.timeLimit(.minutes(1))) struct HeldLibraryTests {
    let test = TestLibrary()

    private func open() -> LocalCopy {
        LocalCopy(LibraryFile(folder: test.folder, lockLimit: .milliseconds(20)))
    }

    /// Runs a closure while the lock is held that a program has while it opens the copy.
    private func whileHeld(_ body: () throws -> Void) throws {
        let descriptor = Glibc.open(
            test.folder.path + "/library.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        defer {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        try body()
    }

    @Test func oneThatIsHeldWhileItIsOpenedIsNotWaitedForWithoutEnd() throws {
        let file = try makeFile("/a.txt", "one")
        try test.copy.keep("one", of: file)
        var held: LocalCopy?
        try whileHeld {
            let copy = open()
            held = copy
            #expect(!copy.isDurable)
            let notice = try #require(copy.takeNotice())
            #expect(notice.contains("locked") && notice.contains("fg"))
            #expect(throws: LibraryError.locked) { try copy.enqueue(.delete(file)) }
        }
        #expect(open().isDurable)
        #expect(try test.copy.string(of: file) == "one")
        // The program that had to do without works with it again.
        try held?.enqueue(.delete(file))
        #expect(held?.isDurable == true)
        #expect(try test.copy.waitingChanges().count == 1)
    }

    @Test func oneThatIsHeldWhileItIsOpenIsNotWrittenTo() throws {
        let file = try makeFile("/a.txt", "one")
        let copy = open()
        try copy.keep("one", of: file)
        try whileHeld {
            #expect(throws: LibraryError.locked) { try copy.enqueue(.delete(file)) }
            // What is there can be read.
            let text = try copy.string(of: file)
            #expect(text == "one")
        }
        try copy.enqueue(.delete(file))
        #expect(try test.copy.waitingChanges().count == 1)
    }

    // MARK: - Before this program is stopped

    private func inThread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            done.signal()
        }
        return done
    }

    @Test func theProgramIsStoppedBetweenTransactions() {
        let gate = TransactionGate()
        let log = Mutex<[String]>([])
        let (isOpen, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let transaction = inThread {
            gate.pass {
                isOpen.signal()
                mayEnd.wait()
                log.withLock { $0.append("written") }
            }
        }
        isOpen.wait()
        let stop = inThread {
            gate.close(waitingAtMost: .seconds(60)) { log.withLock { $0.append("stopped") } }
        }
        mayEnd.signal()
        transaction.wait()
        stop.wait()
        #expect(log.withLock { $0 } == ["written", "stopped"])
    }

    @Test func aTransactionBeginsWhenTheProgramIsContinued() {
        let gate = TransactionGate()
        let log = Mutex<[String]>([])
        let transaction = gate.close(waitingAtMost: .zero) {
            let begun = DispatchSemaphore(value: 0)
            let transaction = inThread {
                begun.signal()
                gate.pass { log.withLock { $0.append("written") } }
            }
            begun.wait()
            log.withLock { $0.append("continued") }
            return transaction
        }
        transaction.wait()
        #expect(log.withLock { $0 } == ["continued", "written"])
    }

    /// Who presses `^Z` wants the shell, whatever the disk does.
    @Test func aTransactionThatDoesNotEndStopsNobody() {
        let gate = TransactionGate()
        let mayEnd = DispatchSemaphore(value: 0)
        let isOpen = DispatchSemaphore(value: 0)
        let transaction = inThread {
            gate.pass {
                isOpen.signal()
                mayEnd.wait()
            }
        }
        isOpen.wait()
        #expect(gate.close(waitingAtMost: .milliseconds(10)) { "stopped" } == "stopped")
        mayEnd.signal()
        transaction.wait()
    }
}
