import TerminalUI

@testable import ByteClub
@testable import ClubAccess

/// All of `config.yml` as the app reads it: what both readers take from it.
@dynamicMemberLookup struct WholeSettings {
    private let settings: Settings
    private let screen: ScreenSettings

    init(reading text: String) {
        settings = Settings(reading: text)
        screen = ScreenSettings(settings)
    }

    var keys: KeyBindings { screen.keys }
    var styles: [Role: Style] { screen.styles }
    var problems: [Settings.Problem] { screen.problems }

    subscript<Value>(dynamicMember member: KeyPath<Settings, Value>) -> Value {
        settings[keyPath: member]
    }
}
