public import Foundation

/// A program that runs to its end, without a terminal.
public struct Command: Sendable {
    public struct Output: Sendable {
        public let status: Int32
        public let standardOutput: Data
        public let standardError: Data

        public var text: String { String(decoding: standardOutput, as: UTF8.self) }
        public var errorText: String { String(decoding: standardError, as: UTF8.self) }
    }

    public var executable: String
    public var arguments: [String]
    public var environment: [String: String]
    public var directory: String
    public var input: Data

    public init(
        _ executable: String, _ arguments: [String] = [],
        environment: [String: String] = TerminalProgram.plainEnvironment,
        directory: String = "/", input: Data = Data()
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
    }

    /// Runs it and returns its output.
    ///
    /// Its streams are files, so that neither side blocks.
    public func run() async throws -> Output {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out", "error"].map { folder.appending(path: $0) }
        try input.write(to: files[0])
        let life = try await start(files).end()
        return Output(
            status: life.status, standardOutput: try Data(contentsOf: files[1]),
            standardError: try Data(contentsOf: files[2]))
    }

    private func start(_ files: [URL]) throws -> ChildProgram {
        let input = try HandedFile(files[0], O_RDONLY)
        let output = try HandedFile(files[1], O_WRONLY | O_CREAT)
        let error = try HandedFile(files[2], O_WRONLY | O_CREAT)
        return try ChildProgram(
            executable, arguments, environment: environment, directory: directory,
            input: input, output: output, error: error)
    }
}
