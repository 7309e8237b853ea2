import CByteClubPictureWorker
import Testing

@testable import ByteClubPictures

@Suite(.timeLimit(.minutes(1))) struct PictureWorkerTests {
    /// A job that is found at the end of a wait leaves its signal behind.
    @Test func aSignalThatIsLeftOverEndsNoWorker() async throws {
        let workers = PictureWorkers()
        let worker = try PictureWorker(BYTECLUB_PICTURE_USUAL, workers, to: "test")
        for _ in 0..<3 {
            workers.remove(worker)
            workers.add(worker)
            worker.wake()
            #expect(try await workers.probe(WorkerProbe.tellProcess.rawValue).result > 0)
        }
        workers.endIdle()
    }
}
