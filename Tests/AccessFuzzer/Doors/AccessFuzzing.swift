import ClubLibrary
import FoundationEssentials

@testable import ClubAccess

/// What is read from this computer's files that anybody may have edited, by name: what `make fuzz` runs,
/// and what the tests run over the corpora that it has gathered.
package enum AccessFuzzing {
    /// Takes any bytes, and must neither trap nor hang.
    package typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    /// The names are those of the corpora.
    package static let all: [String: Door] = [
        "settings": { settings($0) },
        "draft": { draft($0) },
    ]

    private static func settings(_ bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        let settings = Settings(reading: text)
        let lineCount = text.utf8.count { $0 == 0x0A || $0 == 0x0D } + 1
        for problem in settings.problems {
            precondition(problem.line >= 1, "lines are counted from 1")
            // libyaml counts NEL, LS and PS as ends of lines, too.
            precondition(
                problem.line <= lineCount + 1 || !text.utf8.allSatisfy { $0 < 0x80 },
                "line \(problem.line) of \(lineCount)")
            precondition(!problem.sentence.isEmpty, "a problem is said")
        }
    }

    private static func draft(_ bytes: UnsafeRawBufferPointer) {
        guard let draft = Draft(id: UUID(), decoding: Data(bytes)) else { return }
        guard let data = try? draft.encoded() else { return }
        let again = Draft(id: draft.id, decoding: data)
        precondition(again?.text == draft.text, "no byte of a text is lost")
        precondition(again?.name == draft.name && again?.path == draft.path, "nor its place")
    }
}
