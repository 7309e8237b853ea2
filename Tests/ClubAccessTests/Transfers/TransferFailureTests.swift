import ClubLibrary
import ClubStore
import CurlNetworking
import Foundation
import ByteClubPictures
import Testing

@testable import ClubAccess

/// Why a transfer does not go on, as it is kept and as it is read.
@Suite struct TransferFailureTests {
    private let order: TransferOrder

    init() throws {
        order = TransferOrder(
            .download, try RemotePath(validating: "/photos/sea.jpg"),
            file: URL(filePath: "/home/ada/Pictures/sea.jpg"))
    }

    /// As it is after a way through the journal.
    private func kept(_ failure: TransferFailure) throws -> TransferFailure {
        try JSONDecoder().decode(
            TransferFailure.self, from: try JSONEncoder().encode(failure))
    }

    private func error(_ code: StoreError.Code) throws -> StoreError {
        var error = StoreError(
            code, during: .download, at: try RemotePath(validating: "/photos/sea.jpg"),
            detail: "409 because")
        error.userMessage = "Ask Ada."
        return error
    }

    @Test(arguments: StoreError.Code.allCases, [ErrorMessage.ClubKind.embedded, .remote])
    func eachFailureOfAStoreReadsAsItWasWritten(
        code: StoreError.Code, club: ErrorMessage.ClubKind
    ) throws {
        let error = try error(code)
        let failure = try kept(TransferFailure(error, club: club))
        #expect(failure.sentence(about: order) == ErrorMessage(error, club: club).text)
    }

    @Test func aWaitIsKept() throws {
        let error = try error(.rateLimited(retryAfter: .seconds(20)))
        let sentence = try kept(TransferFailure(error, club: .remote)).sentence(about: order)
        #expect(sentence?.contains("in 20 seconds") == true)
    }

    @Test(arguments: [
        DestinationProblem.isThere, .isFolder, .hasNoFolder, .nameTooLong, .nameRefused, .forbidden,
        .diskFull, .other,
    ]) func whatIsWrongWithTheDestinationIsKept(problem: DestinationProblem) throws {
        var error = try error(.fileUnwritable)
        error.underlying = problem
        let failure = try kept(TransferFailure(error, club: .remote))
        #expect(
            failure.sentence(about: order)
                == problem.sentence(about: order.file) ?? ErrorMessage(error, club: .remote).text)
    }

    @Test(arguments: [
        EmbeddedClubError.noRuntimeFolder("There is no folder."),
        .programNotStarted(reason: "no such file"), .closedFolder(folder: "/a", reason: "denied"),
        .serverNotReady(log: "/log"), .folderServedElsewhere(folder: "/a"), .lostFolder("/a"),
        .tooManyOpenFiles("Too many."),
    ]) func whatIsWrongWithTheClubHereIsKept(problem: EmbeddedClubError) throws {
        var error = try error(.offline)
        error.underlying = problem
        let failure = try kept(TransferFailure(error, club: .embedded))
        #expect(failure.sentence(about: order) == ErrorMessage(error, club: .embedded).text)
    }

    @Test(arguments: [
        SecretError.noKeyring, .keyringLocked, .file(path: "/a", reason: "denied"),
        .forAnother(club: "Sea"),
    ]) func whatIsWrongWithTheSignInIsKept(problem: SecretError) throws {
        var error = try error(.unauthorized)
        error.underlying = problem
        let failure = try kept(TransferFailure(error, club: .remote))
        #expect(failure.sentence(about: order) == problem.description)
    }

    @Test func aMeteredNetworkIsKept() throws {
        var error = try error(.offline)
        error.underlying = URLError(.dataNotAllowed)
        let failure = try kept(TransferFailure(error, club: .remote))
        #expect(failure.sentence(about: order)?.contains("metered") == true)
    }

    @Test func aProxyThatFailedIsKept() throws {
        var error = try error(.offline)
        error.underlying = URLError(
            .cannotConnectToHost,
            userInfo: ["NSDebugDescription": "the proxy p.test:3128 cannot be reached"])
        let failure = try kept(TransferFailure(error, club: .remote))
        #expect(failure.sentence(about: order)?.contains("the proxy p.test:3128") == true)
        #expect(failure.sentence(about: order) == ErrorMessage(error, club: .remote).text)
        #expect(failure.isAboutServer)
    }

    @Test(arguments: PictureError.Code.allCases)
    func whatIsWrongWithAPictureIsKept(code: PictureError.Code) throws {
        let error = PictureError(code, operation: "read", format: .heic)
        let failure = try kept(TransferFailure(error))
        #expect(failure.sentence(about: order) == error.uploadSentence(about: "sea.jpg"))
    }

    /// In files: a case that is renamed needs its old name here.
    @Test func theNamesInJournalsStay() {
        let store = """
            notFound conflict notEmpty wrongKind unauthorized forbidden refused locked badRequest \
            rateLimited overQuota serverUnavailable serverError offline untrusted withoutEffect \
            timedOut cancelled badAnswer nameNotAllowed tooLarge cursorReset noThumbnail damaged \
            changedMeanwhile fileUnreadable fileUnwritable
            """
        let names = StoreError.Code.allCases.map(TransferFailure.name(of:))
        #expect(names == store.split(separator: " ").map(String.init))
        let pictures = """
            notFound unreadable isDirectory empty notAPicture noLibrary truncated changed damaged \
            unsupported tooLarge tooLargeToReencode onlyAsJPEG tooCostly crashed noWorker outOfMemory cannotWrite diskFull cancelled
            """
        let codes = PictureError.Code.allCases.map { "\($0)" }
        #expect(codes == pictures.split(separator: " ").map(String.init))
        #expect(DestinationProblem.diskFull.rawValue == "diskFull")
    }

    /// In files, too: what earlier versions have written is read by these.
    @Test func theKeysInJournalsStay() throws {
        var error = try error(.rateLimited(retryAfter: .seconds(20)))
        error.wasAccepted = true
        error.underlying = EmbeddedClubError.closedFolder(folder: "/a", reason: "denied")
        #expect(
            TransferFailure(error, club: .embedded).values == [
                "operation": "download", "path": "/photos/sea.jpg", "detail": "409 because",
                "message": "Ask Ada.", "accepted": "yes", "club": "embedded", "seconds": "20",
                "embedded": "closedFolder", "first": "/a", "second": "denied",
            ])
        error.underlying = SecretError.forAnother(club: "Sea")
        let values = TransferFailure(error, club: .remote).values
        #expect(values["secret"] == "forAnother")
        #expect(values["first"] == "Sea")
        #expect(values["club"] == "remote")
        error.underlying = DestinationProblem.diskFull
        #expect(TransferFailure(error, club: .remote).values["destination"] == "diskFull")
        error.code = .offline
        error.underlying = URLError(.dataNotAllowed)
        #expect(TransferFailure(error, club: .remote).values["cause"] == "metered")
        let notice = RetryNotice(reason: .unreachable, wait: .seconds(1))
        #expect(TransferFailure(notice)?.values == ["connection": "unreachable"])
        let picture = PictureError(.noLibrary, operation: "read", format: .heic)
        #expect(TransferFailure(picture).values == ["format": "heic"])
        #expect(
            TransferFailure(.hasNoLocks, folder: "/a", reason: "none").values
                == ["folder": "/a", "reason": "none"])
    }

    @Test func anOlderJournalKeepsItsSentence() throws {
        let json = """
            {"state":"failed","byteCount":0,"totalByteCount":0,"reason":"Die Platte ist voll.",
            "failureCount":1,"retryCount":0,"updated":0}
            """
        let status = try JSONDecoder().decode(TransferStatus.self, from: Data(json.utf8))
        let item = TransferItem(order: order, status: status)
        #expect(item.reason == "Die Platte ist voll.")
        #expect(item.words(at: Date()) == "Die Platte ist voll.")
    }

    @Test func aCauseThatOnlyANewerVersionKnowsIsItsSentence() {
        var status = TransferStatus()
        status.state = .failed
        status.failure = TransferFailure(.store, code: "moonPhase")
        status.reason = "The moon is full."
        #expect(TransferItem(order: order, status: status).reason == "The moon is full.")
    }
}
