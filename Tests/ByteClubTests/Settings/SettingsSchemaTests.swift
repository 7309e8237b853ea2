import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The published form of `config.yml`.
@Suite struct SettingsSchemaTests {
    private static let published = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/config.schema.json")

    @Test func thePublishedSchemaIsTheProgramsOwn() throws {
        let text = try String(contentsOf: Self.published, encoding: .utf8)
        #expect(
            try text == SettingsSchema.json(),
            "byteclub settings --schema > docs/config.schema.json")
    }

    @Test func everySectionAndNameIsInIt() throws {
        let json = try JSONSerialization.jsonObject(with: Data(SettingsSchema.json().utf8))
        let root = try #require(json as? [String: Any])
        let sections = try #require(root["properties"] as? [String: [String: Any]])
        #expect(Set(sections.keys) == Settings.sectionNames)
        let keys = try #require(sections["keys"]?["properties"] as? [String: Any])
        #expect(Set(keys.keys) == Set(KeyContext.all.flatMap(\.commands).map(\.id)))
        let roles = try #require(sections["theme"]?["properties"] as? [String: Any])
        #expect(Set(roles.keys) == Set(Role.allCases.map(\.rawValue) + ["name", "pictures"]))
    }

    /// Clubs, keys and looks have rows of their own, which lead to the chooser and to the file.
    @Test func everySettingIsOnTheScreenToo() throws {
        let json = try JSONSerialization.jsonObject(with: Data(SettingsSchema.json().utf8))
        let root = try #require(json as? [String: Any])
        let sections = try #require(root["properties"] as? [String: [String: Any]])
        var paths: Set<[String]> = [["theme", "name"], ["theme", "pictures"]]
        for (name, section) in sections where !["clubs", "keys", "theme", "version"].contains(name)
        {
            let fields = section["properties"] as? [String: Any]
            paths.formUnion(fields?.keys.map { [name, $0] } ?? [[name]])
        }
        #expect(Set(EditableSetting.all.map(\.path)) == paths)
    }
}
