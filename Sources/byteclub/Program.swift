import ArgumentParser
import ByteClub
import CExecutor
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import Messages
import TerminalUI

/// Reads the arguments, runs the command, and leaves with 0, 1 (it failed) or 2 (bad usage).
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
        // What programs read stays English: JSON, logs, and what is made from the code's tables.
        let registry = ClubRegistry()
        let isForPrograms = arguments.contains { Self.optionsForPrograms.contains($0) }
        if !isForPrograms {
            Localization.use(SettingsFile(paths: registry.paths).language())
        }
        openLog()
        do {
            // Most starts say nothing: to parse that would be a tenth of the time until the screen is there.
            if arguments.isEmpty, Screen.isPossible {
                ActivityLog.write("\(Version.line): byteclub")
                try await Screen.start(clubNamed: nil, registry: registry)
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
            var command = try ByteClubCommand.parseAsRoot(arguments)
            ActivityLog.write("\(Version.line): \(type(of: command)._commandName)")
            try ScreenOptions.apply(to: command)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit(0)
        } catch {
            leave(after: error)
        }
    }

    private static let optionsForPrograms: Set<String> = [
        "--json", "--markdown", "--schema", "--ready-descriptor",
    ]

    /// The log of the program that has started this one.
    private static func openLog() {
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
            Output.complain(error.sentence)
            exit(1)
        case let error as StoreError:
            Output.complain(CommandFailure(error).sentence)
            exit(1)
        case let status as ExitCode where status.rawValue < 64:
            exit(status.rawValue)
        default:
            leave(afterParsing: error)
        }
    }

    /// Help and versions are asked for and go to standard output; the rest is bad usage.
    private static func leave(afterParsing error: any Error) -> Never {
        let message = ByteClubCommand.fullMessage(for: error)
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
