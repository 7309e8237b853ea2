package import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalUI

/// Checks the whole setup: the screen, this computer, the settings, and one club.
package struct Doctor: Sendable {
    private let registry: ClubRegistry
    private let environment: [String: String]

    package init(
        registry: ClubRegistry = ClubRegistry(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.registry = registry
        self.environment = environment
    }

    /// Reports each diagnostic as soon as it is available; those that use the network come last. Changes
    /// nothing, except that it starts the embedded club if that is the one to check.
    ///
    /// - Parameter name: The club to check; nil for the one opened last.
    @MainActor package func examine(
        clubNamed name: String?, report: (Diagnostic) -> Void
    ) async {
        TerminalChecks.diagnostics(.ofThisProgram(), environment: environment).forEach(report)
        let paths = registry.paths
        ComputerChecks.libraries(
            network: NetworkLibrary.version, supportsTLS: NetworkLibrary.supportsTLS,
            authorities: NetworkLibrary.authoritiesFile
        ).forEach(report)
        report(await pictures())
        await Self.pictureLibraries().forEach(report)
        ComputerChecks.permissions(
            paths, secrets: Secrets(paths: paths, environment: environment).files()
        ).forEach(report)
        ComputerChecks.disks(of: [paths.stateFolder, paths.clubFolder]).forEach(report)
        settings().forEach(report)
        if let problem = registry.memoryProblem {
            report(
                Diagnostic(
                    "clubs", .problem, problem,
                    advice: localized("Until then you are signed out.")))
        }
        do throws(ClubChoiceError) {
            await examine(try registry.club(named: name), report: report)
        } catch {
            report(Diagnostic("club", .problem, error.description))
        }
    }

    private func pictures() async -> Diagnostic {
        do throws(PictureError) {
            return ComputerChecks.pictures(try await PictureWorkers.shared.protections())
        } catch {
            return ComputerChecks.pictures(nil, detail: error.detail)
        }
    }

    @concurrent private static func pictureLibraries() async -> [Diagnostic] {
        ComputerChecks.libraries(forPictures: \.facts)
    }

    @concurrent private static func names(inClub folder: URL) async -> Diagnostic? {
        ComputerChecks.names(inClub: folder)
    }

    private func settings() -> [Diagnostic] {
        let file = registry.settingsFile
        let problems = ScreenSettings(file.read()).problems
        guard !problems.isEmpty else {
            let isThere = FileManager.default.fileExists(atPath: file.url.path)
            return [
                Diagnostic(
                    "settings", .fine,
                    isThere
                        ? localized("Nothing is wrong in \(file.url.path).")
                        : localized(
                            "There are none of your own in \(file.url.path): the defaults apply."))
            ]
        }
        return problems.map { problem in
            Diagnostic(
                "settings", .problem, "\(file.url.path), \(problem.description)",
                advice: localized("Fix this line; it is ignored until then."))
        }
    }

    @MainActor private func examine(_ club: ClubSettings, report: (Diagnostic) -> Void) async {
        let clock = ContinuousClock()
        let start = clock.now
        var store: (any RemoteStore)?
        let answer: Result<Account, StoreError>
        do throws(StoreError) {
            let opened = try await ClubConnection.open(club, registry: registry)
            store = opened
            answer = .success(try await opened.account())
        } catch {
            answer = .failure(error)
        }
        report(
            ClubChecks.connection(
                answer, took: clock.now - start, club: club.title, kind: club.kind))
        let lead = store?.clockLead
        switch answer {
        case _ where !club.needsSignIn: report(ClubChecks.ownClock)
        case .failure where lead == nil: report(ClubChecks.notChecked("clock"))
        default: report(ClubChecks.clock(lead: lead))
        }
        switch answer {
        case .success(let account): report(ClubChecks.quota(account))
        case .failure: report(ClubChecks.notChecked("quota"))
        }
        if club.place == .embedded,
            let names = await Self.names(inClub: registry.paths.clubFolder)
        {
            report(names)
        }
        if let protection = (store as? WebDAVStore)?.writeProtection {
            report(ClubChecks.writing(protection))
        }
    }
}
