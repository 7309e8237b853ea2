import Foundation
import ByteClubPictures
import Testing

@testable import ClubAccess

/// Each part of this computer's set-up broken in turn, in a home folder of its own.
@Suite struct ComputerChecksTests {
    private let home: URL
    private var paths: Paths { Paths(environment: ["HOME": home.path]) }

    init() throws {
        home = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }

    private func remove() { try? FileManager.default.removeItem(at: home) }

    @Test func namesTheLibrariesForPicturesAndWhatToInstall() {
        defer { remove() }
        let complete = ComputerChecks.libraries(forPictures: { library in
            PictureLibrary.Facts(version: "1.2.3", formats: Set(library.formats))
        })
        #expect(complete.allSatisfy { $0.severity == .fine })
        #expect(
            complete.map(\.text) == [
                "libwebp 1.2.3 opens WebP.", "libheif 1.2.3 opens HEIC, AVIF.",
                "libtiff 1.2.3 opens TIFF.", "libstb 1.2.3 opens GIF, BMP, PNM.",
            ])
        let missing = ComputerChecks.libraries(forPictures: { _ in nil })
        #expect(missing.allSatisfy { $0.severity == .notice })
        #expect(missing[0].advice == "Run: sudo apt-get install libwebp7")
        #expect(missing[1].text.contains("HEIC, AVIF"))
        let bare = ComputerChecks.libraries(forPictures: { library in
            PictureLibrary.Facts(
                version: "", formats: library == .libheif ? [.avif] : Set(library.formats))
        })
        #expect(bare.map(\.severity) == [.fine, .notice, .fine, .fine])
        #expect(bare[0].text == "libwebp opens WebP.")
        #expect(bare[1].advice == "Run: sudo apt-get install libheif-plugin-libde265")
    }

    @Test func foldersThatCanBeMadeAreFine() {
        defer { remove() }
        #expect(ComputerChecks.permissions(paths, secrets: []).map(\.severity) == [.fine])
    }

    @Test func aFileInAFoldersPlaceIsAProblem() throws {
        defer { remove() }
        let folder = paths.stateFolder
        try FileManager.default.createDirectory(
            at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: folder)
        let diagnostics = ComputerChecks.permissions(paths, secrets: [])
        #expect(diagnostics.map(\.severity) == [.problem])
        #expect(diagnostics[0].text.contains("drafts"))
    }

    @Test(.enabled(if: getuid() != 0)) func aFolderThatMayNotBeWrittenIsAProblem() throws {
        let folder = paths.dataFolder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(chmod(folder.path, 0o500) == 0)
        defer { remove() }
        let diagnostics = ComputerChecks.permissions(paths, secrets: [])
        #expect(diagnostics.map(\.severity) == [.problem])
        #expect(diagnostics[0].advice?.contains("chmod u+rwx") == true)
    }

    @Test func secretsThatOthersCanReadAreAProblem() throws {
        defer { remove() }
        let file = home.appending(path: "it's a secret")
        #expect(
            FileManager.default.createFile(
                atPath: file.path, contents: Data(), attributes: [.posixPermissions: 0o644]))
        let diagnostics = ComputerChecks.permissions(paths, secrets: [file])
        #expect(diagnostics.map(\.severity) == [.problem])
        #expect(diagnostics[0].advice?.hasPrefix("Run: chmod 600 '") == true)
        #expect(diagnostics[0].advice?.contains("it'\\''s a secret") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(ComputerChecks.permissions(paths, secrets: [file]).map(\.severity) == [.fine])
    }

    @Test func secretsBehindALinkAreAProblem() throws {
        defer { remove() }
        let link = home.appending(path: "secrets")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: URL(filePath: "/etc/hostname"))
        #expect(ComputerChecks.permissions(paths, secrets: [link]).map(\.severity) == [.problem])
    }

    @Test func aDiskIsFineNarrowOrFull() {
        defer { remove() }
        let verdicts = [Int64(1 << 40), 100 << 20, 1 << 20].map {
            ComputerChecks.disk(freeByteCount: $0, folder: "/home").severity
        }
        #expect(verdicts == [.fine, .notice, .problem])
    }

    @Test func theRoomIsThatOfTheNearestFolderThatIsThere() {
        defer { remove() }
        let folder = home.appending(path: "not/there/yet")
        // Two folders of one disk are told once.
        let disks = ComputerChecks.disks(of: [folder, folder.appending(path: "either")])
        #expect(disks.count == 1 && disks[0].text.contains(folder.path))
    }

    @Test func aLibraryWithoutTLSIsAProblem() {
        defer { remove() }
        let diagnostics = ComputerChecks.libraries(
            network: "libcurl/7.88.1", supportsTLS: false, authorities: nil)
        #expect(diagnostics.map(\.severity) == [.problem])
    }

    @Test func saysWhatHoldsAPictureThatIsDecoded() {
        defer { remove() }
        let all = ComputerChecks.pictures(.all)
        #expect(all.severity == .fine)
        #expect(all.text.contains("seccomp") && all.text.contains("Landlock"))
        let some = ComputerChecks.pictures(.all.subtracting(.landlock))
        #expect(some.severity == .notice)
        #expect(some.text.contains("Not here: Landlock"))
        #expect(some.advice != nil)
        let none = ComputerChecks.pictures(nil, detail: "Out of memory")
        #expect(none.severity == .problem)
        #expect(none.text.contains("Out of memory"))
    }

    @Test func aSystemWithoutAuthoritiesIsAProblem() {
        defer { remove() }
        let diagnostics = ComputerChecks.libraries(
            network: "libcurl/7.88.1", supportsTLS: true, authorities: home.path + "/none.crt")
        #expect(diagnostics.map(\.severity) == [.problem])
        #expect(diagnostics[0].advice?.contains("ca-certificates") == true)
    }
}
