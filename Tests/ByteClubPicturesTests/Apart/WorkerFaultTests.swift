import Foundation
import Glibc
import ByteClubPictures
import Synchronization
import TestSupport
import Testing

/// Whatever happens to the process apart happens to one picture.
@Suite struct WorkerFaultTests {
    private func makeWorkers(
        _ change: (inout PictureWorkers.Configuration) -> Void = { _ in }
    ) -> PictureWorkers {
        var configuration = PictureWorkers.Configuration()
        change(&configuration)
        return PictureWorkers(configuration)
    }

    private func probe(_ probe: WorkerProbe, in workers: PictureWorkers) async throws -> Int {
        try await workers.probe(probe.rawValue).result
    }

    private func expectFailure(
        _ code: PictureError.Code, of probe: WorkerProbe, in workers: PictureWorkers,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: PictureError.self, sourceLocation: sourceLocation) {
            _ = try await self.probe(probe, in: workers)
        }
        #expect(error?.code == code, "\(probe)", sourceLocation: sourceLocation)
        #expect(error?.isOfThePicture == (code != .cancelled), sourceLocation: sourceLocation)
    }

    /// The next picture is not affected.
    private func expectPicture(in workers: PictureWorkers) async throws {
        let decoded = try await workers.decode(PictureFile(data: Photos.corners()))
        #expect(decoded.image.size == PixelSize(width: 96, height: 64))
    }

    @Test(arguments: [WorkerProbe.readNothing, .takeTooMuchMemory, .leave])
    func oneThatBreaksDownCostsItsPicture(how: WorkerProbe) async throws {
        let workers = makeWorkers()
        let first = try await probe(.tellProcess, in: workers)
        await expectFailure(.crashed, of: how, in: workers)
        try await expectPicture(in: workers)
        #expect(try await probe(.tellProcess, in: workers) != first)
    }

    @Test func itsMemoryIsLimited() async throws {
        let workers = makeWorkers()
        let megabytes = try await probe(.takeMemory, in: workers)
        #expect(megabytes > 8 && megabytes < 64)
        try await expectPicture(in: workers)
    }

    @Test func itsProcessorTimeIsLimited() async throws {
        let workers = makeWorkers { $0.processorSeconds = 1 }
        await expectFailure(.tooCostly, of: .spin, in: workers)
        try await expectPicture(in: workers)
    }

    @Test func itsTimeOnTheWallIsLimited() async throws {
        let workers = makeWorkers { $0.seconds = 0.2 }
        await expectFailure(.tooCostly, of: .hang, in: workers)
        await expectFailure(.tooCostly, of: .spin, in: workers)
    }

    @Test func oneThatIsKilledInTheMiddleCostsItsPicture() async throws {
        let workers = makeWorkers()
        let folder = try TemporaryFolder()
        let photo = try folder.add(Photos.wide(width: 6000, height: 3000), named: "wide.jpg")
        let process = pid_t(try await probe(.tellProcess, in: workers))
        let error = await #expect(throws: PictureError.self) {
            // It has begun, and is not through.
            _ = try await workers.reencode(photo) { _ in kill(process, SIGKILL) }
        }
        #expect(error?.code == .crashed)
        try await expectPicture(in: workers)
    }

    @Test func oneThatIsKilledBetweenPicturesCostsNothing() async throws {
        let workers = makeWorkers()
        let process = pid_t(try await probe(.tellProcess, in: workers))
        kill(process, SIGKILL)
        try await expectPicture(in: workers)
        #expect(try await probe(.tellProcess, in: workers) != Int(process))
    }

    @Test func cancellingEndsItAtOnce() async throws {
        let workers = makeWorkers()
        let process = pid_t(try await probe(.tellProcess, in: workers))
        let task = Task { try await probe(.hang, in: workers) }
        try await eventually("work on it") { workers.hasWork }
        task.cancel()
        let error = await #expect(throws: PictureError.self) { _ = try await task.value }
        #expect(error?.code == .cancelled)
        try await eventually("its end") { ProcessTable.isDead(process) }
        try await expectPicture(in: workers)
    }

    @Test func itIsKeptForTheNextPictureAndReplacedAfterSoMany() async throws {
        let workers = makeWorkers { $0.picturesPerProcess = 3 }
        var processes: [Int] = []
        for _ in 0..<6 { processes.append(try await probe(.tellProcess, in: workers)) }
        #expect(Set(processes[0..<3]).count == 1)
        #expect(Set(processes[3..<6]).count == 1)
        #expect(processes[0] != processes[3])
    }

    @Test func itIsReplacedAfterAnError() async throws {
        let workers = makeWorkers()
        let process = try await probe(.tellProcess, in: workers)
        // Nothing that its header tells.
        var photo = Photos.noise(width: 64, height: 64)
        let scan = try #require(photo.firstRange(of: Data([0xFF, 0xDA])))
        photo.replaceSubrange(scan.upperBound + 2..<scan.upperBound + 3, with: [9])
        await #expect(throws: PictureError.self) {
            _ = try await workers.decode(PictureFile(data: photo))
        }
        #expect(try await probe(.tellProcess, in: workers) != process)
    }

    @Test func withoutPicturesItLeaves() async throws {
        let workers = makeWorkers { $0.idleSeconds = 0 }
        let process = pid_t(try await probe(.tellProcess, in: workers))
        try await eventually("its end") { ProcessTable.isDead(process) }
        try await expectPicture(in: workers)
    }
}

/// What a picture that has taken its decoder over can do with it.
@Suite struct WorkerSandboxTests {
    @Test(arguments: WorkerProbe.attempts)
    func nothingOutsideCanBeReached(attempt: WorkerProbe) async throws {
        let (error, held) = try await PictureWorkers.shared.probe(attempt.rawValue)
        if held.contains(.seccomp) {
            #expect(error == Int(EPERM), "\(attempt): \(String(cString: strerror(Int32(error))))")
        }
    }

    @Test func whatThisKernelHasHolds() async throws {
        let held = try await PictureWorkers.shared.protections()
        #expect(held.isSuperset(of: [.limits, .noNewPrivileges, .diesWithProgram]))
        #expect(held.names.count >= 3)
    }
}
