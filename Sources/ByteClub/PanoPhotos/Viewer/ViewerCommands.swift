internal import TerminalUI

extension KeyCommand {
    static let panLeft = KeyCommand(
        "viewer.left", keys: ["h", "Left"], title: "Pan left", label: "left", weight: 70)
    static let panRight = KeyCommand(
        "viewer.right", keys: ["l", "Right"], title: "Pan right", label: "right", weight: 70)
    static let tiltUp = KeyCommand("viewer.up", keys: ["k", "Up"], title: "Tilt up")
    static let tiltDown = KeyCommand("viewer.down", keys: ["j", "Down"], title: "Tilt down")
    static let turnLeft = KeyCommand(
        "viewer.turn-left", keys: ["H"], title: "A quarter to the left")
    static let turnRight = KeyCommand(
        "viewer.turn-right", keys: ["L"], title: "A quarter to the right")
    static let zoomIn = KeyCommand(
        "viewer.zoom-in", keys: ["+", "="], title: "Larger, to single pixels", label: "zoom",
        weight: 65)
    static let zoomOut = KeyCommand("viewer.zoom-out", keys: ["-"], title: "Smaller")
    static let fitPicture = KeyCommand(
        "viewer.fit", keys: ["0"], title: "The whole picture", label: "fit", weight: 60)
    static let autoPan = KeyCommand(
        "viewer.auto-pan", keys: ["a"], title: "Pan on its own, or stop", label: "auto-pan",
        weight: 58)
    static let nextPicture = KeyCommand(
        "viewer.next", keys: ["n"], title: "Next picture", label: "next", weight: 62)
    static let previousPicture = KeyCommand(
        "viewer.previous", keys: ["p"], title: "Previous picture")
    static let downloadPicture = KeyCommand(
        "viewer.download", keys: ["D"], title: "Download the photo", label: "download", weight: 68)
    static let pictureInfo = KeyCommand(
        "viewer.info", keys: ["i"], title: "Show or hide size, camera, date and who", label: "info",
        weight: 56)
    static let showMinimap = KeyCommand(
        "viewer.minimap", keys: ["m"], title: "Show or hide the map of the panorama")
    static let closePicture = KeyCommand(
        "viewer.close", keys: ["q", "Esc"], title: "Back to the list", label: "back", weight: 98)

    static let viewerCommands: [KeyCommand] = [
        .panLeft, .panRight, .tiltUp, .tiltDown, .turnLeft, .turnRight, .zoomIn, .zoomOut,
        .fitPicture, .autoPan, .nextPicture, .previousPicture, .downloadPicture, .pictureInfo,
        .showMinimap, .closePicture,
    ]
}
