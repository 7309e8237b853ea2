import DropboxAPI
import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

/// A test server for upload sessions as documented, with faults.
///
/// Each request is checked: the hash of its bytes, its session and its offset.
final class UploadSessionsStandIn: Sendable {
    /// What happens to a request, by number.
    enum Fault: Sendable {
        /// The bytes are stored, and the connection is closed before the response.
        case lostAnswer
        /// The bytes are stored, but there is no response.
        case silence
        /// Nothing is stored, and there is no response.
        case deafness
        /// The response is that of a success, and the file is not stored.
        case untruth
        case refusal(String)
    }

    private struct State {
        var sessions: [String: [UInt8]] = [:]
        var file: [UInt8]?
        var faults: [Int: Fault] = [:]
        var requestCount = 0
    }

    private let state: Mutex<State>

    init(lostAnswers: Set<Int> = []) {
        var state = State()
        for number in lostAnswers { state.faults[number] = .lostAnswer }
        self.state = Mutex(state)
    }

    /// The finished file.
    var file: Data? { state.withLock { $0.file.map { Data($0) } } }

    /// The bytes of each open session.
    var sessions: [String: [UInt8]] { state.withLock { $0.sessions } }

    /// Fails a request, counted from the next one.
    func fail(_ number: Int, by fault: Fault) {
        state.withLock { $0.faults[$0.requestCount + number] = fault }
    }

    /// Expires all sessions, as the server does after some days.
    func forgetSessions() {
        state.withLock { $0.sessions = [:] }
    }

    /// Truncates a session to an earlier length.
    func cut(to count: Int) {
        state.withLock { state in
            for (name, bytes) in state.sessions {
                state.sessions[name] = Array(bytes.prefix(count))
            }
        }
    }

    /// With chunks of 400 bytes, for files above 1,000.
    func makeDropbox(
        limits: DropboxStore.UploadLimits = .init(wholeFileByteCount: 1000, chunkByteCount: 400)
    ) throws -> ScriptedDropbox {
        try ScriptedDropbox(configure: { $0.limits = limits }, answering: answer)
    }

    private func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
        state.withLock { state in
            let fault = state.faults[state.requestCount]
            state.requestCount += 1
            switch fault {
            case .deafness: return [.stall]
            case .refusal(let union): return .refusal(union)
            case .lostAnswer:
                _ = Self.take(request, &state)
                return [.close]
            case .silence:
                _ = Self.take(request, &state)
                return [.stall]
            case .untruth:
                let before = state.file
                defer { state.file = before }
                return Self.take(request, &state)
            case nil: return Self.take(request, &state)
            }
        }
    }

    private static func take(_ request: LoopbackRequest, _ state: inout State) -> [LoopbackStep] {
        let argument = Data((request["Dropbox-API-Arg"] ?? request.text).utf8)
        let hash = ContentHash(of: request.body)
        do {
            switch request.target {
            case "/2/files/upload_session/start":
                let start = try WireJSON.decodeArgument(
                    UploadSessionStartArg.self, from: argument)
                guard start.contentHash == hash else { return .refusal(mismatch) }
                let name = "s\(state.requestCount)"
                state.sessions[name] = request.body
                return .json(UploadSessionStartResult(sessionID: name))
            case "/2/files/upload_session/append_v2":
                let append = try WireJSON.decodeArgument(
                    UploadSessionAppendArg.self, from: argument)
                guard append.contentHash == hash else { return .refusal(mismatch) }
                if let union = add(request.body, at: append.cursor, &state) {
                    return .refusal(union)
                }
                return .json("null")
            case "/2/files/upload_session/finish":
                let finish = try WireJSON.decodeArgument(
                    UploadSessionFinishArg.self, from: argument)
                guard finish.contentHash == hash else { return .refusal(mismatch) }
                if let union = add(request.body, at: finish.cursor, &state) {
                    return .refusal(#"{".tag":"lookup_failed","lookup_failed":\#(union)}"#)
                }
                state.file = state.sessions.removeValue(forKey: finish.cursor.sessionID)
                return .json(
                    FileMetadata.named(finish.commit.path, data: Data(state.file ?? [])))
            case "/2/files/get_metadata":
                guard let file = state.file else {
                    return .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#)
                }
                return .json(Metadata.file(.named("/up.jpg", data: Data(file))))
            default: return [.answer("400 Bad Request", body: "unexpected \(request.target)")]
            }
        } catch {
            return [.answer("400 Bad Request", body: "\(error)")]
        }
    }

    private static let mismatch = #"{".tag":"content_hash_mismatch"}"#

    /// Why the bytes were rejected, if they were.
    private static func add(
        _ bytes: [UInt8], at cursor: UploadSessionCursor, _ state: inout State
    ) -> String? {
        guard let held = state.sessions[cursor.sessionID] else { return #"{".tag":"not_found"}"# }
        guard held.count == Int(cursor.offset) else {
            return #"{".tag":"incorrect_offset","correct_offset":\#(held.count)}"#
        }
        state.sessions[cursor.sessionID] = held + bytes
        return nil
    }
}
