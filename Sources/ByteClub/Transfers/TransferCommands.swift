internal import ByteClubMessages
internal import TerminalUI

extension KeyCommand {
    static let showTransfers = KeyCommand(
        "transfers.show", keys: ["w"], title: localized("Transfers"), label: localized("transfers"),
        weight: 40)
    /// The key that opens the list closes it, too.
    static let closeTransfers = KeyCommand(
        "transfers.close", keys: ["w"], title: localized("Close the list"))
    static let pauseTransfer = KeyCommand(
        "transfers.pause", keys: ["p"], title: localized("Pause the transfer"),
        label: localized("pause"), weight: 80)
    static let resumeTransfer = KeyCommand(
        "transfers.resume", keys: ["r", "t"], title: localized("Resume it, or try again now"),
        label: localized("resume"), weight: 85)
    static let cancelTransfer = KeyCommand(
        "transfers.cancel", keys: ["c"], title: localized("Cancel the transfer"),
        label: localized("cancel"), weight: 78)
    static let putTransferFirst = KeyCommand(
        "transfers.next", keys: ["N"], title: localized("Begin it before the others that wait"),
        label: localized("next"), weight: 55)
    static let limitTransfer = KeyCommand(
        "transfers.limit", keys: ["l"], title: localized("Limit its speed"),
        label: localized("limit"), weight: 50)
    static let pauseAllTransfers = KeyCommand(
        "transfers.pause-all", keys: ["P"], title: localized("Pause all transfers"))
    static let resumeAllTransfers = KeyCommand(
        "transfers.resume-all", keys: ["R"], title: localized("Resume all that is paused or failed")
    )
    static let cancelAllTransfers = KeyCommand(
        "transfers.cancel-all", keys: ["C"], title: localized("Cancel all transfers"))
    static let clearTransfers = KeyCommand(
        "transfers.clear", keys: ["x"], title: localized("Forget what has ended"),
        label: localized("clear"),
        weight: 60)

    static let transferListCommands: [KeyCommand] = [
        .pauseTransfer, .resumeTransfer, .cancelTransfer, .putTransferFirst, .limitTransfer,
        .pauseAllTransfers, .resumeAllTransfers, .cancelAllTransfers, .clearTransfers,
        .closeTransfers,
    ]
}
