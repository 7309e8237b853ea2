import Foundation
import Glibc

/// What a fuzzer has gathered: a file for each door in `Tests/<fuzzer>/Corpus`, an input in base64 in each line.
public struct FuzzingCorpus: Sendable {
    private let folder: URL

    /// - Parameter fuzzer: A folder beside the one of this file.
    public init(of fuzzer: String) {
        folder =
            URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../\(fuzzer)/Corpus").standardizedFileURL
    }

    /// The names of the doors that it has inputs for, sorted.
    public func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// An input that a door took too long for, with its line in the file.
    public struct SlowInput: CustomStringConvertible {
        let name: String
        let line: Int
        let seconds: Double

        public var description: String { "line \(line) of \(name): \(seconds) s" }
    }

    /// An empty file, or a line that is not base64.
    public struct Unreadable: Error {
        let name: String
        let line: Int
    }

    /// Hands every input to its door.
    ///
    /// - Parameter seconds: How long an input may keep the processor busy. `make fuzz` allows 2.
    /// - Returns: Those that took longer.
    public func replay(
        _ name: String, within seconds: Double = 2, through door: (UnsafeRawBufferPointer) -> Void
    ) throws -> [SlowInput] {
        let lines = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            .split(separator: "\n")
        guard !lines.isEmpty else { throw Unreadable(name: name, line: 0) }
        var slow: [SlowInput] = []
        for (index, line) in lines.enumerated() {
            guard let input = Data(base64Encoded: String(line)) else {
                throw Unreadable(name: name, line: index + 1)
            }
            let start = Self.processorTime
            input.withUnsafeBytes(door)
            let taken = Self.processorTime - start
            if taken >= seconds {
                slow.append(SlowInput(name: name, line: index + 1, seconds: taken))
            }
        }
        return slow
    }

    /// Of this thread's processor, not of the clock on the wall.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
