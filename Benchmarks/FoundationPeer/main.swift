import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

// FoundationPeer CASE BASE-URL FOLDER
//
// The cases of NetworkBench on FoundationNetworking, written the way it serves best, and measured the
// same way.

guard CommandLine.arguments.count == 4, let base = URL(string: CommandLine.arguments[2]) else {
    print("usage: FoundationPeer CASE BASE-URL FOLDER")
    exit(2)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[3], isDirectory: true)

do {
    print(try await Peer(base: base, folder: folder).run(CommandLine.arguments[1]))
} catch {
    print("FoundationPeer: \(error)")
    exit(1)
}
