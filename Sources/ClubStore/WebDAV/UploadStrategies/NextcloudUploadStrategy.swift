import DropboxAPI
import Synchronization

/// A chunked upload, assembled by Nextcloud, which keeps the parts for a day: the next attempt,
/// even in another run of the program, does not send them again.
///
/// Source: <https://docs.nextcloud.com/server/latest/developer_manual/client_apis/WebDAV/chunking.html>.
final class NextcloudUploadStrategy: WebDAVUploadStrategy {
    let payload: WebDAVPayload
    private let file: SourceFile
    private let folder: [String]
    private let isKept: Bool
    private let hasAllParts = Mutex(false)

    var isDirect: Bool { false }

    /// The manual's limits: ten thousand parts of five megabytes to five gigabytes.
    private static let partLimit: Int64 = 9999

    /// How often to check whether the server has assembled the parts.
    private static let looksLimit = 30

    /// - Parameter isKept: Whether uploaded parts stay there even after a cancellation.
    init(
        _ payload: WebDAVPayload, file: SourceFile, hash: String, place: NextcloudPlace,
        isKept: Bool
    ) {
        self.payload = payload
        self.file = file
        self.isKept = isKept
        let target = ContentHash(
            of: Array(payload.store.address.url(of: payload.path).utf8))
        folder = place.uploadFolder(
            "byteclub-" + hash.prefix(32) + target.hexadecimal.prefix(16))
    }

    private var store: WebDAVStore { payload.store }

    func commit(_ condition: WriteCondition) async throws(StoreError) -> EntityTag? {
        if !hasAllParts.withLock({ $0 }) {
            try await sendParts()
            try payload.requireUnchanged()
            hasAllParts.withLock { $0 = true }
        }
        var relocation = WebDAVRelocation(payload: payload, condition: condition)
        relocation.fields = fields
        relocation.fields["X-OC-Mtime"] = String(file.modifiedSeconds)
        do throws(StoreError) {
            try await relocation.send(from: store.address.url(folder + [".file"])) {
                () throws(StoreError) in
                try await self.waitForAssembly() == .complete
            }
        } catch {
            // Assembling takes a while: the server returns 423, and proxies time out. A server that
            // has finished no longer knows the parts.
            guard [404, 423, 502, 504].contains(error.webDAVStatus) || error.code == .timedOut,
                try await waitForAssembly() == .complete, try await isInPlace()
            else { throw error }
        }
        return nil
    }

    func prepareToRepeat() async {
        hasAllParts.withLock { $0 = false }
    }

    /// Parts that may help the next attempt stay; the server removes them after a day.
    func abandon(after error: StoreError) async {
        guard !error.code.leavesUploadOfUse || (error.code == .cancelled && !isKept) else { return }
        await store.removeQuietly(store.address.url(folder, isFolder: true))
    }
}

extension NextcloudUploadStrategy {
    private var fields: [String: String] {
        [
            "Destination": store.address.url(of: payload.path),
            "OC-Total-Length": String(file.byteCount),
        ]
    }

    /// How long the next part is: what the line moves in some seconds, and enough for the numbers there are.
    private func byteCount(ofPart number: Int64, from start: Int64) -> Int64 {
        let left = file.byteCount - start
        let numbersLeft = max(1, Self.partLimit - number + 1)
        let needed = (left + numbersLeft - 1) / numbersLeft
        return min(left, max(store.partPacing.withLock(\.byteCount), needed))
    }

    private func url(ofPart number: Int64) -> String {
        let digits = String(number)
        return store.address.url(
            folder + [String(repeating: "0", count: max(0, 5 - digits.count)) + digits])
    }

    private func sendParts() async throws(StoreError) {
        var arrived = try await partsThatArrived()
        var (number, start) = (Int64(1), Int64(0))
        // Those that follow each other from the first one on. Their sizes may differ; one that broke off does not
        // count.
        let smallest = store.configuration.limits.partByteCounts.lowerBound
        while let byteCount = arrived.removeValue(forKey: number), byteCount > 0,
            byteCount <= file.byteCount - start,
            byteCount % smallest == 0 || start + byteCount == file.byteCount
        {
            start += byteCount
            number += 1
        }
        // The server would append them after the last part.
        for stray in arrived.keys.sorted() where stray > number {
            await store.removeQuietly(url(ofPart: stray))
        }
        while start < file.byteCount {
            let range = start..<start + byteCount(ofPart: number, from: start)
            var request = WebDAVRequest("PUT", url(ofPart: number))
            request.fields = fields
            let began = ContinuousClock.now
            _ = try await payload.send(
                request, body: .data(try await file.read(range)), from: range.lowerBound)
            store.partPacing.withLock {
                $0.note(Int64(range.count), in: began.duration(to: .now))
            }
            start = range.upperBound
            number += 1
        }
    }

    /// The lengths of the parts that an earlier attempt has uploaded, by number; creates the folder
    /// if it is missing.
    private func partsThatArrived() async throws(StoreError) -> [Int64: Int64] {
        if let answer = try await parts() {
            var parts: [Int64: Int64] = [:]
            for response in answer.responses {
                guard let name = store.address.components(ofHref: response.href, in: .root)?.last,
                    let number = Int64(name), let byteCount = response.properties.byteCount
                else { continue }
                parts[number] = byteCount
            }
            return parts
        }
        var request = WebDAVRequest("MKCOL", store.address.url(folder, isFolder: true))
        request.fields = fields
        do throws(StoreError) {
            _ = try await store.send(request, during: payload.operation, at: payload.path)
        } catch {
            guard error.webDAVStatus == 405 else { throw error }
        }
        return [:]
    }

    /// Nil when there is no such folder: not started, or already assembled.
    private func parts() async throws(StoreError) -> Multistatus? {
        do throws(StoreError) {
            return try await store.ask(
                .propfind(
                    store.address.url(folder, isFolder: true), depth: 1,
                    properties: "<D:resourcetype/><D:getcontentlength/>"),
                during: payload.operation, at: payload.path)
        } catch {
            guard error.webDAVStatus == 404 else { throw error }
            return nil
        }
    }

    private enum Assembly {
        case complete, pending
    }

    /// Polls until the server has assembled the parts, for a limited time.
    private func waitForAssembly() async throws(StoreError) -> Assembly {
        for _ in 0..<Self.looksLimit {
            if try await parts() == nil { return .complete }
            try await store.configuration.clock.wait(
                .seconds(2), during: payload.operation, at: payload.path)
        }
        return .pending
    }

    private func isInPlace() async throws(StoreError) -> Bool {
        let there = try await store.look(at: payload.path, during: payload.operation)
        guard case .file(let file) = there else { return false }
        return try await payload.isSame(as: file)
    }
}
