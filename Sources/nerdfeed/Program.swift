import ArgumentParser
import CByteClubExecutor
import Glibc
import ByteClubMessages
import TerminalUI

/// Parses the arguments, runs, and exits with 0, 1 (it failed) or 2 (wrong usage).
@main struct Program {
    static func main() {
        byteclub_install_executor()
        MainLoop.run { await run() }
    }

    @MainActor private static func run() async {
        // A reader may close our output: the write then fails, without a fatal signal.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        if !arguments.contains("--json") {
            Localization.use(
                Language(environment: { name in getenv(name).map { String(cString: $0) } }))
        }
        do {
            var command = try NerdfeedCommand.parse(all: arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit(0)
        } catch let failure as Failure {
            complain(failure.sentence)
            exit(failure.status)
        } catch {
            leave(afterParsing: error)
        }
    }

    static func complain(_ sentence: String) {
        VisibleOutput.line("nerdfeed: " + sentence, to: STDERR_FILENO)
    }

    /// Help and version go to standard output with status 0; everything else is wrong usage.
    private static func leave(afterParsing error: any Error) -> Never {
        let message = NerdfeedCommand.fullMessage(for: error)
        guard NerdfeedCommand.exitCode(for: error) == .success else {
            let prefix = "Error: "
            let text = message.hasPrefix(prefix) ? message.dropFirst(prefix.count) : message[...]
            VisibleOutput.lines("nerdfeed: " + text, to: STDERR_FILENO)
            exit(2)
        }
        VisibleOutput.lines(CompletionScript.corrected(message))
        if message == Version.line { Version.libraries.forEach { VisibleOutput.lines($0) } }
        exit(0)
    }
}

/// Why the program failed, as a sentence for standard error.
struct Failure: Error {
    let sentence: String
    var status: CInt = 1
}
