// Measures pictures: decoding, re-encoding, cells. Prints a line for each figure, with the chafa,
// djpeg and ImageMagick commands beside it where they are installed:
//
//     swift run -c release PictureBench
//
// With `--viewing` only the viewer is measured.
//
// Times are medians in milliseconds unless the name says otherwise.
import Foundation

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--peak" {
    try await printPeak(ofReencoding: URL(filePath: CommandLine.arguments[2]))
} else if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--viewing-peak" {
    try await printPeak(ofViewing: URL(filePath: CommandLine.arguments[2]))
} else if CommandLine.arguments.contains("--viewing") {
    let scene = try Scene()
    try await measureViewing(scene)
    try scene.remove()
} else {
    let scene = try Scene()
    measurePanning(scene)
    try await measureViewing(scene)
    try measureDecoding(scene)
    try await measureApart(scene)
    try measureReencoding(scene)
    try measureNotesBesidePhotos(scene)
    try scene.remove()
}
