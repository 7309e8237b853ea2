internal import TerminalUI

/// Counts pending work: shows the activity indicator, and delays the idle line.
@MainActor final class ActivityCounter: ActivityCounting {
    weak var indicator: ActivityIndicatorView?
    private unowned let application: Application

    init(_ application: Application) {
        self.application = application
    }

    func begin() {
        application.beginActivity()
        indicator?.start()
    }

    func end() {
        indicator?.stop()
        application.endActivity()
    }
}
