import ClubLibrary
import ClubStore
import FoundationEssentials
import Glibc

// A program that writes into a club's outbox and sends from it without end, for tests to kill.
//
// `outbox-program FOLDER NAME` adds new notes, changes, renames and deletes them. It prints `word` with each word that it
// was told is safe, and stands in for the club itself: what it sends is taken, in a file a change, in
// `FOLDER/club`.

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(2) }
let folder = URL(filePath: arguments[1])
let copy = LocalCopy(folder: folder.appending(path: "library"))
let club = folder.appending(path: "club").path
mkdir(club, 0o700)

func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// Takes a text, whole or not at all, as a club does.
func take(_ text: Data, as name: String) -> Bool {
    let path = club + "/" + name
    guard (try? text.write(to: URL(filePath: path + ".part"))) != nil else { return false }
    return rename(path + ".part", path) == 0
}

do {
    try copy.recoverInterrupted()
    for round in 0... {
        let word = "\(arguments[2])-\(round)"
        let path = try RemotePath(validating: "/\(word).txt")
        var file = try copy.enqueue(.write(Data("\(word);".utf8), at: path, mode: .add))
        say("word \(word)")
        if round % 2 == 0, let old = file {
            file = try copy.enqueue(
                .write(
                    Data("\(word); more \(word)+;".utf8), at: old.path,
                    mode: .update(old.revision, contentHash: old.contentHash)))
            say("word \(word)+")
        }
        if round % 3 == 0, let old = file {
            file = try copy.enqueue(
                .move(old, to: try RemotePath(validating: "/\(word) moved.txt")))
        }
        guard round % 2 == 1, let next = try copy.waitingChanges().first(where: { $0.file != nil }),
            let change = try copy.beginSending(next.id), let new = change.file
        else { continue }
        if let text = try copy.text(ofChange: change.id) {
            guard take(text, as: "\(change.id) \(getpid())") else { exit(1) }
        }
        var sent = new
        sent.revision = Revision(rawValue: "sent \(change.id)")
        try copy.complete(change, with: sent)
    }
} catch {
    say("error \(error)")
    exit(1)
}
