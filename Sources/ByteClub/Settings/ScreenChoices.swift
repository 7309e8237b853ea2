internal import ClubAccess
package import TerminalUI

/// The screen options from the arguments, which override the settings.
package struct ScreenChoices: Sendable {
    package var scheme: Theme.Scheme?
    package var isPlain: Bool?

    package init(scheme: Theme.Scheme? = nil, isPlain: Bool? = nil) {
        self.scheme = scheme
        self.isPlain = isPlain
    }

    /// Configures an application with the settings and these options.
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
