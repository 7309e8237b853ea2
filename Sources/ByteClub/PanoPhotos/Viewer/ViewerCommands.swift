internal import ByteClubMessages
internal import TerminalUI

extension KeyCommand {
    static let panLeft = KeyCommand(
        "viewer.left", keys: ["h", "Left"], title: localized("Pan left"), label: localized("left"),
        weight: 70)
    static let panRight = KeyCommand(
        "viewer.right", keys: ["l", "Right"], title: localized("Pan right"),
        label: localized("right"), weight: 70)
    static let tiltUp = KeyCommand("viewer.up", keys: ["k", "Up"], title: localized("Tilt up"))
    static let tiltDown = KeyCommand(
        "viewer.down", keys: ["j", "Down"], title: localized("Tilt down"))
    static let turnLeft = KeyCommand(
        "viewer.turn-left", keys: ["H"], title: localized("A quarter to the left"))
    static let turnRight = KeyCommand(
        "viewer.turn-right", keys: ["L"], title: localized("A quarter to the right"))
    static let zoomIn = KeyCommand(
        "viewer.zoom-in", keys: ["+", "="], title: localized("Larger, to single pixels"),
        label: localized("zoom"),
        weight: 65)
    static let zoomOut = KeyCommand("viewer.zoom-out", keys: ["-"], title: localized("Smaller"))
    static let fitPicture = KeyCommand(
        "viewer.fit", keys: ["0"], title: localized("The whole picture"), label: localized("fit"),
        weight: 60)
    static let autoPan = KeyCommand(
        "viewer.auto-pan", keys: ["a"], title: localized("Pan on its own, or stop"),
        label: localized("auto-pan"),
        weight: 58)
    static let nextPicture = KeyCommand(
        "viewer.next", keys: ["n"], title: localized("Next picture"), label: localized("next"),
        weight: 62)
    static let previousPicture = KeyCommand(
        "viewer.previous", keys: ["p"], title: localized("Previous picture"))
    static let downloadPicture = KeyCommand(
        "viewer.download", keys: ["D"], title: localized("Download the photo"),
        label: localized("download"), weight: 68)
    /// Available only if there is no picture.
    static let retryPicture = KeyCommand(
        "viewer.retry", keys: ["r"], title: localized("Try again to load the picture"),
        label: localized("try again"), weight: 72)
    static let pictureInfo = KeyCommand(
        "viewer.info", keys: ["i"], title: localized("Show or hide size, camera, date and artist"),
        label: localized("info"),
        weight: 56)
    static let showMinimap = KeyCommand(
        "viewer.minimap", keys: ["m"], title: localized("Show or hide the map of the panorama"))
    static let closePicture = KeyCommand(
        "viewer.close", keys: ["q", "Esc"], title: localized("Back to the list"),
        label: localized("back"), weight: 98)

    static let viewerCommands: [KeyCommand] = [
        .panLeft, .panRight, .tiltUp, .tiltDown, .turnLeft, .turnRight, .zoomIn, .zoomOut,
        .fitPicture, .autoPan, .nextPicture, .previousPicture, .downloadPicture, .showTransfers,
        .retryPicture, .pictureInfo, .showMinimap, .closePicture,
    ]
}
