internal import ClubAccess
package import TerminalUI

/// What the program's arguments say of the screen, whatever the settings do.
package struct ScreenChoices: Sendable {
    package var scheme: Theme.Scheme?
    package var isPlain: Bool?

    package init(scheme: Theme.Scheme? = nil, isPlain: Bool? = nil) {
        self.scheme = scheme
        self.isPlain = isPlain
    }

    /// Sets up an application with the settings and these choices.
    func apply(
        _ screen: ScreenSettings, _ settings: Settings,
        to configuration: inout Application.Configuration
    ) {
        configuration.bindings = screen.keys
        configuration.styles = screen.styles
        configuration.scheme = scheme ?? screen.scheme
        configuration.isPlain = isPlain ?? settings.isPlain
    }
}
