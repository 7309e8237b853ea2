import DropboxAPI
import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

/// A test server that takes whatever is uploaded in one request, and shows it.
final class UploadsStandIn: Sendable {
    struct State {
        /// By path.
        var files: [String: Data] = [:]
        /// Whether it stores what it takes; its answer is the same.
        var stores = true
        /// How many metadata are still those from before the uploads.
        var lag = 0
    }

    let state = Mutex(State())

    func makeDropbox() throws -> ScriptedDropbox {
        try ScriptedDropbox(answering: answer)
    }

    func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
        do {
            switch request.target {
            case "/2/files/upload":
                let argument = Data((request["Dropbox-API-Arg"] ?? "").utf8)
                return take(
                    Data(request.body),
                    try WireJSON.decodeArgument(UploadArg.self, from: argument).commit)
            case "/2/files/get_metadata":
                let argument = Data(request.body)
                return show(try WireJSON.decodeArgument(GetMetadataArg.self, from: argument).path)
            default: return [.answer("400 Bad Request", body: "unexpected \(request.target)")]
            }
        } catch {
            return [.answer("400 Bad Request", body: "\(error)")]
        }
    }

    private func take(_ data: Data, _ commit: CommitInfo) -> [LoopbackStep] {
        state.withLock { state in
            guard state.files[commit.path] == nil || !commit.strictConflict else {
                return .refusal(
                    #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file"}},"upload_session_id":"s"}"#
                )
            }
            if state.stores { state.files[commit.path] = data }
            return .json(FileMetadata.named(commit.path, data: data))
        }
    }

    private func show(_ path: String) -> [LoopbackStep] {
        state.withLock { state in
            let isLate = state.lag > 0
            if isLate { state.lag -= 1 }
            guard !isLate, let data = state.files[path] else {
                return .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#)
            }
            return .json(Metadata.file(.named(path, data: data)))
        }
    }
}
