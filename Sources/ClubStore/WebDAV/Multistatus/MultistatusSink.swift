import CurlNetworking
import FoundationEssentials
import Synchronization

/// Parses a multistatus as it arrives, so that its size does not use memory, and returns it only
/// when it is complete.
final class MultistatusSink: BodySink {
    private struct Reading {
        let reader: XMLReader
        let builder: MultistatusBuilder
        var byteCount = 0
    }

    private let operation: StoreError.Operation
    private let path: RemotePath?
    private let reading = Mutex<Reading?>(nil)

    /// The approximate size for a folder of two hundred thousand entries.
    static let byteLimit = 256 << 20

    init(during operation: StoreError.Operation, at path: RemotePath?) {
        self.operation = operation
        self.path = path
    }

    func begin(_ response: HTTPURLResponse) throws(StoreError) {
        guard response.statusCode == 207 else {
            throw failure("status \(response.statusCode) instead of a multistatus")
        }
        guard response.expectedContentLength <= Int64(Self.byteLimit) else {
            throw StoreError(.tooLarge, during: operation, at: path)
        }
        try attempt { reading throws(XMLReader.Fault) in
            let builder = MultistatusBuilder()
            builder.result.date = response.date
            reading = Reading(reader: try XMLReader(builder), builder: builder)
        }
    }

    func take(_ data: Data) throws(StoreError) {
        let byteCount = try attempt { reading throws(XMLReader.Fault) in
            try reading?.reader.feed(data)
            reading?.byteCount += data.count
            return reading?.byteCount ?? 0
        }
        guard byteCount <= Self.byteLimit else {
            throw StoreError(.tooLarge, during: operation, at: path)
        }
    }

    /// - Throws: `.badAnswer` when it was truncated or not a multistatus.
    func finish() throws(StoreError) -> Multistatus {
        let result = try attempt { reading throws(XMLReader.Fault) -> Multistatus? in
            defer { reading = nil }
            try reading?.reader.finish()
            return reading?.builder.result
        }
        guard let result else { throw failure("no multistatus") }
        return result
    }

    private func attempt<Value>(
        _ work: (inout Reading?) throws(XMLReader.Fault) -> sending Value
    ) throws(StoreError) -> sending Value {
        do throws(XMLReader.Fault) {
            return try reading.withLock { reading throws(XMLReader.Fault) in try work(&reading) }
        } catch {
            throw failure(error.reason)
        }
    }

    private func failure(_ detail: String) -> StoreError {
        StoreError(.badAnswer, during: operation, at: path, detail: detail)
    }
}
