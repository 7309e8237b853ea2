import Foundation
import TestSupport
import Testing

/// A home in which nothing can be written: what is in the way is named, and what to do.
@Suite struct ClosedFolderTests {
    /// Puts a file where a folder is needed. (Rights alone do not stop everybody.)
    private func close(_ name: String, in home: ClubHome) throws {
        let folder = home.folder.appending(path: name)
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
    }

    @Test(arguments: ["state", "data"])
    func theClubOnThisComputerNamesTheFolder(name: String) async throws {
        try await inFreshHome(hasClub: false) { home in
            try close(name, in: home)
            let output = try await home.run("notes", "ls")
            #expect(output.status == 1)
            let folder = home.folder.appending(path: "\(name)/byteclub").path
            #expect(output.errorText.contains("the folder \(folder)"), "\(output.errorText)")
            #expect(output.errorText.contains("Not a directory"))
            #expect(!output.errorText.contains("serve.log"))
            let doctor = try await home.run("doctor")
            #expect(!doctor.text.contains("serve.log"), "\(doctor.text)")
        }
    }

    @Test func goingToTheClubOnThisComputerNamesTheFolder() async throws {
        try await inFreshHome { home in
            try close("state", in: home)
            let output = try await home.run("login", "club")
            #expect(output.status == 1)
            let folder = home.folder.appending(path: "state/byteclub").path
            #expect(output.errorText.contains("in the folder \(folder): Not a directory"))
            #expect(output.errorText.contains("XDG_STATE_HOME"), "\(output.errorText)")
        }
    }

    /// Nobody is asked for a password that cannot be kept in the end, and no server is asked.
    @Test(arguments: ["state", "config"])
    func signingInNamesTheFolderBeforeAnythingIsAsked(name: String) async throws {
        let server = try StandInWebDAV()
        try await inFreshHome { home in
            try close(name, in: home)
            let output = try await home.run(
                "login", "webdav", server.address, "--user", server.user, "--password-stdin",
                input: server.password + "\n")
            #expect(output.status == 1)
            let folder = home.folder.appending(path: "\(name)/byteclub").path
            #expect(output.errorText.contains("in the folder \(folder)"), "\(output.errorText)")
            #expect(server.requests.isEmpty)
        }
    }
}
