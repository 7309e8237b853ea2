import ArgumentParser
import CByteClubExecutor
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages
import TerminalUI

/// Parses the arguments, runs the command, and exits with 0, 1 (it failed) or 2 (wrong usage).
@main struct Program {
    static func main() {
        StandardDescriptors.open()
        byteclub_install_executor()
        MainLoop.run { await run() }
    }

    @MainActor private static func run() async {
        // A reader may close our output: the write then fails, without a fatal signal.
        signal(SIGPIPE, SIG_IGN)
        guard let arguments = Arguments.all else {
            Output.complain(
                localized(
                    "The arguments cannot be read, so nothing was done. Mount /proc, and try again."
                ))
            exit(1)
        }
        // Output for programs stays English: JSON, logs, and pages made from the code's tables.
        let registry = ClubRegistry()
        let isForPrograms = arguments.contains { Self.optionsForPrograms.contains($0) }
        if !isForPrograms {
            Localization.use(SettingsFile(paths: registry.paths).language())
        }
        openLog()
        do {
            // Usually there are no arguments: parsing them would take a tenth of the time until the screen
            // appears.
            if arguments.isEmpty, AppScreen.isPossible {
                ActivityLog.write("\(Version.line): byteclub")
                try await AppScreen.start(clubNamed: nil, registry: registry)
            }
            if let word = Arguments.unreadable {
                Output.explain(
                    localized("“\(word)” is not UTF-8, as names in a club are. Nothing was done."))
                exit(2)
            }
            if let word = Arguments.misread(in: arguments) {
                Output.explain(
                    localized(
                        "“\(word)” begins as an option does, and no option has this name. Put “--” before a name like that."
                    ))
                exit(2)
            }
            try await WaitingNotices.reporting { () async throws in try await perform(arguments) }
            exit(0)
        } catch {
            leave(after: error)
        }
    }

    @MainActor private static func perform(_ arguments: [String]) async throws {
        var command = try ByteClubCommand.parseAsRoot(arguments)
        ActivityLog.write("\(Version.line): \(type(of: command)._commandName)")
        try ScreenOptions.apply(to: command)
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    private static let optionsForPrograms: Set<String> = [
        "--json", "--markdown", "--schema", "--ready-descriptor",
    ]

    /// Continues the log of the parent program, unless the arguments name another one.
    private static func openLog() {
        let isNamed = Arguments.all?.contains { $0 == "--log" || $0.hasPrefix("--log=") }
        guard isNamed != true else { return }
        guard let path = getenv(ActivityLog.variable).map({ String(cString: $0) }), !path.isEmpty
        else { return }
        do throws(ActivityLog.Failure) {
            try ActivityLog.open(path)
        } catch {
            Output.complain(localized("The log \(path) cannot be written: \(error.reason)."))
        }
    }

    @MainActor private static func leave(after error: any Error) -> Never {
        if let signal = Interruption.signal { Interruption.die(of: signal) }
        switch error {
        case let error as CommandFailure:
            Output.complain(error)
            exit(1)
        case let error as StoreError:
            Output.complain(CommandFailure(error))
            exit(1)
        case let status as ExitCode where status.rawValue < 64:
            exit(status.rawValue)
        default:
            leave(afterParsing: error)
        }
    }

    /// Help and version go to standard output with status 0; everything else is wrong usage.
    private static func leave(afterParsing error: any Error) -> Never {
        let message = Suggestion.keepingNear(in: ByteClubCommand.fullMessage(for: error))
        if let unknown = Suggestion.unknownCommand(in: Arguments.all ?? []) {
            let usage = message.firstRange(of: "\nUsage: ").map { message[$0.lowerBound...] } ?? ""
            Output.explain(unknown + usage)
            exit(2)
        }
        if ByteClubCommand.exitCode(for: error) == .success {
            Output.write(message + "\n")
            if message == Version.line { Version.libraries.forEach(Output.line) }
            exit(0)
        }
        let prefix = "Error: "
        Output.explain(
            message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
        exit(2)
    }
}
