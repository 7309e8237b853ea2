import CurlNetworking
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

// NetworkBench CASE BASE-URL FOLDER
//
// Runs one case and prints `seconds processor-seconds memory-growth-KiB threads`. FoundationPeer does
// the same on FoundationNetworking; network.sh runs both beside curl. FOLDER holds the file `big`.
//
// NetworkBench silent SECONDS listens on a port of 127.0.0.1, prints it, and answers each request
// after so long a silence.
//
// NetworkBench plain CASE BASE-URL FOLDER does it on plain sockets, for the cases where that can be
// compared; for the others it prints `-`.

guard CommandLine.arguments.count >= 3 else {
    print("usage: NetworkBench CASE BASE-URL FOLDER")
    exit(2)
}
let name = CommandLine.arguments[1]
if name == "silent" {
    SilentServer(seconds: Double(CommandLine.arguments[2]) ?? 4).run()
}
if name == "plain" {
    guard CommandLine.arguments.count == 5,
        let port = CommandLine.arguments[3].split(separator: ":").last.flatMap({ UInt16($0) })
    else {
        print("usage: NetworkBench plain CASE http://127.0.0.1:PORT FOLDER")
        exit(2)
    }
    let sockets = PlainSockets(port: port, folder: CommandLine.arguments[4])
    print(sockets.run(CommandLine.arguments[2]) ?? "-")
    exit(0)
}
guard CommandLine.arguments.count == 4, let base = URL(string: CommandLine.arguments[2]) else {
    print("NetworkBench: BASE-URL is no URL, or FOLDER is missing")
    exit(2)
}
let folder = URL(filePath: CommandLine.arguments[3], directoryHint: .isDirectory)

do {
    print(try await Bench(base: base, folder: folder).run(name))
} catch {
    print("NetworkBench \(name): \(error)")
    exit(1)
}
