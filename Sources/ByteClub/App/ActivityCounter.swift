internal import TerminalUI

/// Counts what is in flight: turns the wheel, and holds back the idle line.
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
