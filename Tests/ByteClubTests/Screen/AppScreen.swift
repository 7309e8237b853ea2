import Foundation
import TerminalUI
import TestSupport
import Testing

/// The app, or a part of it, on a screen in memory: keys in, screens out, no process and no waiting for time.
@MainActor final class AppScreen {
    let screen: WatchedScreen
    let scheduler = TurnScheduler()
    let application: Application
    private var waiters: [Waiter] = []
    private var lastNumber = 0

    private struct Waiter {
        var number: Int
        var isTrue: @MainActor () -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    convenience init(_ root: ViewController, width: Int = 80, height: Int = 24) throws {
        try self.init(width: width, height: height) { _ in root }
    }

    /// - Parameter makeRoot: Makes what is on the screen first, for a root that needs its application.
    init(
        width: Int = 80, height: Int = 24, makeRoot: (Application) throws -> ViewController
    ) throws {
        screen = WatchedScreen(size: Size(width: width, height: height))
        application = Application(screen: screen, scheduler: scheduler)
        screen.didPresent = { [weak self] in self?.look() }
        try application.start(root: try makeRoot(application))
    }

    var text: String { screen.memory.text }
    var lines: [String] { screen.memory.lines }
    var footer: String { lines.last ?? "" }

    func press(_ keys: KeySequence...) {
        for key in keys { application.press(key) }
    }

    func type(_ text: String) { application.type(text) }

    func scroll(_ action: MouseEvent.Action, at point: Point) {
        application.handle(.mouse(MouseEvent(action, at: point)))
    }

    /// Returns when the screen shows a text.
    func wait(for text: String, at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { $0.text.contains(text) }
    }

    /// Returns when the screen does not show a text any more.
    func wait(untilGone text: String, at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { !$0.text.contains(text) }
    }

    /// Returns when the frame is as wanted; looked at after each frame. One that never comes is an issue.
    func wait(
        at location: SourceLocation = #_sourceLocation,
        until isTrue: @escaping @MainActor (AppScreen) -> Bool
    ) async {
        if isTrue(self) { return }
        lastNumber += 1
        let number = lastNumber
        let watch = Task { [weak self] in
            try await Task.sleep(for: TerminalDriver.timeout)
            self?.giveUp(number, location)
        }
        defer { watch.cancel() }
        await withCheckedContinuation { continuation in
            waiters.append(
                Waiter(
                    number: number, isTrue: { [unowned self] in isTrue(self) },
                    continuation: continuation))
        }
    }

    private func giveUp(_ number: Int, _ location: SourceLocation) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        Issue.record("The screen never was as expected:\n\(text)", sourceLocation: location)
        waiters.remove(at: index).continuation.resume()
    }

    /// Returns when a controller of this kind is uppermost and drawn.
    func wait<Controller: ViewController>(
        for kind: Controller.Type, at location: SourceLocation = #_sourceLocation
    ) async {
        let count = screen.memory.frameCount
        application.setNeedsDisplay()
        await wait(at: location) {
            $0.isShowing(kind) && $0.screen.memory.frameCount > count
        }
    }

    /// Whether a controller of this kind is uppermost.
    func isShowing<Controller: ViewController>(_ kind: Controller.Type) -> Bool {
        application.topViewController is Controller
    }

    /// What stands in the uppermost frame with this title, row by row, without the frame and the blanks at both
    /// ends; empty where there is no such frame.
    func box(_ title: String) -> [String] {
        let corner = "╭─ \(title)"
        guard let top = lines.lastIndex(where: { $0.contains(corner) }),
            let start = lines[top].range(of: corner)?.lowerBound
        else { return [] }
        let column = lines[top].distance(from: lines[top].startIndex, to: start)
        var rows: [String] = []
        for line in lines[(top + 1)...] {
            let inside = line.dropFirst(column)
            guard inside.first == "│" else { break }
            let row = inside.dropFirst().prefix { $0 != "│" }
            rows.append(row.trimmingCharacters(in: .whitespaces))
        }
        return rows
    }

    /// What a box says, in one line, without its buttons.
    func message(of title: String) -> String {
        box(title).prefix { !$0.isEmpty }.joined(separator: " ")
    }

    /// The buttons of a box.
    func buttons(of title: String) -> [String] {
        (box(title).last { !$0.isEmpty } ?? "").components(separatedBy: "   ")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The rows that have a text in them, from the top.
    func rows(with text: String) -> [Int] {
        lines.indices.filter { lines[$0].contains(text) }
    }

    /// The names among these that the screen shows, from the top down.
    func order(of names: [String]) -> [String] {
        names.compactMap { name in rows(with: name).first.map { (name, $0) } }
            .sorted { $0.1 < $1.1 }.map(\.0)
    }

    private func look() {
        let ready = waiters.indices.filter { waiters[$0].isTrue() }
        let continuations = ready.map { waiters[$0].continuation }
        for index in ready.reversed() { waiters.remove(at: index) }
        for continuation in continuations { continuation.resume() }
    }
}
