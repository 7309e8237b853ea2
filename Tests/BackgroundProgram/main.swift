import CurlNetworking
import Foundation
import Synchronization

// A program with a background session, for tests to start, stop and kill. It does what it reads, a line
// at a time, and prints what its delegate is told.
//
// | line | |
// |---|---|
// | `download URL` | prints `task N` |
// | `upload URL FILE` | the same |
// | `tasks` | prints the session's tasks |
// | `hold` | its delegate gets no callbacks from here on |
// | `move FOLDER` | delivered files are moved there, as `moved-N` |
// | `die` | it kills itself on the next file, after moving it |
// | `login URL FILE` | loads with a credential that is stored in the file, and exits right after |
// | `quit` | exits at once, like a program with no more work |

final class Narrator: URLSessionDataDelegate, URLSessionDownloadDelegate {
    let folder = Mutex<String?>(nil)
    let dies = Mutex(false)

    func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let data = (try? Data(contentsOf: location)) ?? Data()
        if let folder = folder.withLock(\.self) {
            rename(location.path, folder + "/moved-\(downloadTask.taskIdentifier)")
        }
        if dies.withLock(\.self) { kill(getpid(), SIGKILL) }
        say("file \(downloadTask.taskIdentifier) \(data.count)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        say("wrote \(downloadTask.taskIdentifier)")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        say("data \(dataTask.taskIdentifier) \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let code = (error as? CurlNetworking.URLError)?.errorCode ?? 0
        say("complete \(task.taskIdentifier) \(code)")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        say("events")
    }
}

/// Knows the password, and wants it kept.
final class Member: URLSessionTaskDelegate {
    func urlSession(
        _ session: CurlNetworking.URLSession, task: CurlNetworking.URLSessionTask,
        didReceive challenge: CurlNetworking.URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                CurlNetworking.URLSession.AuthChallengeDisposition, CurlNetworking.URLCredential?
            ) -> Void
    ) {
        let credential = CurlNetworking.URLCredential(
            user: "ada", password: "pw", persistence: .permanent)
        completionHandler(.useCredential, credential)
    }
}

func logIn(_ url: URL, keepingIn file: URL) throws {
    let configuration = CurlNetworking.URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = try CurlNetworking.URLCredentialStorage(file: file)
    let session = CurlNetworking.URLSession(
        configuration: configuration, delegate: Member(), delegateQueue: nil)
    session.dataTask(with: url) { _, _, _ in exit(0) }.resume()
    while true { pause() }
}

let narrator = Narrator()
guard CommandLine.arguments.count == 2 else { exit(2) }
let configuration = URLSessionConfiguration.background(
    withIdentifier: CommandLine.arguments[1])
configuration.timeoutIntervalForResource = 60
let session = CurlNetworking.URLSession(
    configuration: configuration, delegate: narrator, delegateQueue: nil)
narrator.say("ready")

while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "download":
        guard let url = URL(string: words[1]) else { exit(2) }
        let task = session.downloadTask(with: url)
        task.resume()
        narrator.say("task \(task.taskIdentifier)")
    case "upload":
        guard let url = URL(string: words[1]) else { exit(2) }
        var request = CurlNetworking.URLRequest(url: url)
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, fromFile: URL(filePath: words[2]))
        task.resume()
        narrator.say("task \(task.taskIdentifier)")
    case "hold":
        session.delegateQueue.suspend()
    case "move":
        narrator.folder.withLock { $0 = words[1] }
    case "die":
        narrator.dies.withLock { $0 = true }
    case "login":
        guard let url = URL(string: words[1]) else { exit(2) }
        try logIn(url, keepingIn: URL(filePath: words[2]))
    case "tasks":
        session.getAllTasks { tasks in
            let numbers = tasks.map { String($0.taskIdentifier) }
            narrator.say(("tasks " + numbers.joined(separator: " ")))
        }
    default:
        exit(0)
    }
}
