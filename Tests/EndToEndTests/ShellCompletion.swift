import Foundation
import TestSupport
import Testing

extension ClubHome {
    /// What bash proposes at the Tab key after these words, with the script that the program prints.
    func propose(_ words: [String], of program: String) async throws -> [String] {
        let name = URL(filePath: program).lastPathComponent
        let script = """
            source <("$1" --generate-completion-script bash)
            COMP_WORDS=("$@")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            _\(name) "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let output = try await Command(
            "/bin/bash", ["--norc", "-c", script, "bash", program] + words,
            environment: environment(), directory: work.path
        ).run()
        #expect(output.errorText.isEmpty, "\(output.errorText)")
        return output.text.split(separator: "\n").map(String.init)
    }
}
