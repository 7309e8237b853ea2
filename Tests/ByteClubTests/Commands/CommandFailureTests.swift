import ClubLibrary
import ClubStore
import Foundation
import Testing

@testable import ClubAccess
@testable import byteclub

/// What the shell says of an error.
@Suite struct CommandFailureTests {
    /// A command that goes on without the club says why, and what to do; offline there is nothing to do.
    @Test func aCommandThatGoesOnSaysWhatToDo() {
        func advice(_ code: StoreError.Code) -> String {
            CommandFailure.adviceInPassing(on: StoreError(code, during: .list))
        }
        #expect(advice(.offline) == "")
        for code in [StoreError.Code.badAnswer, .serverError, .serverUnavailable(retryAfter: nil)] {
            let advice = advice(code)
            #expect(advice.hasPrefix(" ") && advice.hasSuffix("."), "\(advice)")
            #expect(advice.contains(ErrorMessage(StoreError(code, during: .list)).text))
        }
    }

    @Test func whatIsAddedLeavesTheCommandLast() {
        let failure = CommandFailure("Sign in again.", command: "byteclub login dropbox")
            .adding(" The text is kept.")
        #expect(failure.sentence == "Sign in again. The text is kept.")
        #expect(failure.command == "byteclub login dropbox")
    }
}

/// The names of transfers on the command line.
@Suite struct ChosenTransferTests {
    private func item(_ name: String) throws -> TransferItem {
        TransferItem(
            order: TransferOrder(
                .download, try RemotePath(validating: "/photos/\(name)"),
                file: URL(filePath: "/\(name)")))
    }

    private func find(_ word: String, _ names: String...) throws -> String {
        try Orders.find(word, among: try names.map(item), preferring: { _ in true }).order.name
    }

    /// As everywhere else.
    @Test func theEndingMayBeLeftOff() throws {
        let found = try find("City by the river", "City by the river.jpg", "City.jpg")
        #expect(found == "City by the river.jpg")
        #expect(try find("City", "City.png", "City by the river.jpg") == "City.png")
        // The whole name first.
        #expect(try find("a.jpg", "a.jpg.jpg", "a.jpg") == "a.jpg")
    }

    @Test func aShortNameMustMeanOneTransfer() throws {
        for word in ["City", "C", "City."] {
            #expect(throws: CommandFailure.self) { _ = try find(word, "City.png", "City.jpg") }
        }
    }
}
