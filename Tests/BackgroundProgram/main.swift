import CurlNetworking
import Foundation

// A program with a background session, for tests to start, stop and kill. It does what it reads, a line
// at a time, and prints what its delegate is told.
//
// | line | |
// |---|---|
// | `download URL` | prints `task N` |
// | `upload URL FILE` | the same |
// | `tasks` | prints the session's tasks |
// | `quit` | exits at once, as a program does that has nothing more to say |

final class Narrator: URLSessionDataDelegate, URLSessionDownloadDelegate {
    func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let data = (try? Data(contentsOf: location)) ?? Data()
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
    case "tasks":
        session.getAllTasks { tasks in
            let numbers = tasks.map { String($0.taskIdentifier) }
            narrator.say(("tasks " + numbers.joined(separator: " ")))
        }
    default:
        exit(0)
    }
}
