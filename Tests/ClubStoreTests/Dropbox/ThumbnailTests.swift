import ClubStore
import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct ThumbnailTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]

    private func paths(_ count: Int) throws -> [RemotePath] {
        try (0..<count).map { try path("/photos/\($0).jpg") }
    }

    /// Answers batches: each picture's thumbnail is its path.
    private static func answerBatch(_ request: LoopbackRequest) -> [LoopbackStep] {
        guard
            let batch: GetThumbnailBatchArg = try? WireJSON.decodeArgument(from: Data(request.body))
        else { return [.answer("400 Bad Request")] }
        return .json(
            GetThumbnailBatchResult(
                entries: batch.entries.map { entry in
                    entry.path.hasSuffix("/7.jpg")
                        ? .failure(.conversionError)
                        : .success(.named(entry.path), thumbnail: Data(entry.path.utf8))
                }))
    }

    @Test func comeInBatchesEachAnsweredOnce() async throws {
        let dropbox = try ScriptedDropbox(answering: Self.answerBatch)
        let paths = try paths(60)
        var answers: [RemotePath: Result<Data, StoreError>] = [:]
        for await (path, result) in dropbox.store.thumbnails(of: paths, size: .w256h256) {
            #expect(answers[path] == nil)
            answers[path] = result
        }
        #expect(answers.count == 60)
        for path in paths {
            let answer = try #require(answers[path])
            if path.name == "7.jpg" {
                #expect(throws: StoreError.self) { try answer.get() }
            } else {
                #expect(try answer.get() == Data(path.string.utf8))
            }
        }
        #expect(dropbox.requests.count == 3)
        #expect(dropbox.routes.allSatisfy { $0 == "files/get_thumbnail_batch" })
        let first = try WireJSON.decodeArgument(
            GetThumbnailBatchArg.self, from: Data(dropbox.requests[0].body))
        #expect(first.entries.count <= 25)
        #expect(first.entries[0].size == .w256h256)
        #expect(first.entries[0].mode == .bestfit)
    }

    @Test func sayTheSizeOfTheWholePictureWhereTheServerDoes() async throws {
        var file = FileMetadata.named("/photos/0.jpg")
        file.mediaInfo = .metadata(kind: "photo", width: 16384, height: 8192)
        let answer = [LoopbackStep].json(
            GetThumbnailBatchResult(entries: [
                .success(file, thumbnail: Data(Self.jpeg)),
                .success(.named("/photos/1.jpg"), thumbnail: Data(Self.jpeg)),
            ]))
        let dropbox = try ScriptedDropbox { _ in answer }
        var sizes: [FullSizeComment?] = []
        for await (_, result) in dropbox.store.thumbnails(of: try paths(2), size: .w64h64) {
            sizes.append(FullSizeComment(of: try result.get()))
        }
        #expect(sizes == [FullSizeComment(width: 16384, height: 8192), nil])
    }

    @Test(arguments: [
        [LoopbackStep].html, .refusal(#"{".tag":"other"}"#),
        [.answer("400 Bad Request", body: "Unknown API function")],
    ])
    func areAskedForOneByOneWhereABatchFails(_ refusal: [LoopbackStep]) async throws {
        let dropbox = try ScriptedDropbox { request in
            guard request.target == "/2/files/get_thumbnail_v2" else { return refusal }
            return [.answer(body: Self.jpeg)]
        }
        var count = 0
        for await (_, result) in dropbox.store.thumbnails(of: try paths(3), size: .w64h64) {
            #expect(try result.get() == Data(Self.jpeg))
            count += 1
        }
        #expect(count == 3)
        #expect(dropbox.requests.count == 4)
    }

    @Test func eachFailsWhereNothingAnswers() async throws {
        let dropbox = try ScriptedDropbox([[.close]])
        var codes: [StoreError.Code] = []
        for await (_, result) in dropbox.store.thumbnails(of: try paths(3), size: .w64h64) {
            if case .failure(let error) = result { codes.append(error.code) }
        }
        #expect(codes == [.offline, .offline, .offline])
    }

    @Test func stopWhenNobodyWaitsForThem() async throws {
        let dropbox = try ScriptedDropbox(
            configure: { $0.thumbnailsPerRequest = 1 },
            answering: { _ in [.answer(body: Self.jpeg)] })
        for await _ in dropbox.store.thumbnails(of: try paths(1000), size: .w64h64) { break }
        #expect(dropbox.requests.count < 1000)
    }

    @Test func nothingAskedForIsNothingAnswered() async throws {
        let dropbox = try ScriptedDropbox([.html])
        for await _ in dropbox.store.thumbnails(of: [], size: .w64h64) { Issue.record("answered") }
        #expect(dropbox.requests.isEmpty)
    }
}
