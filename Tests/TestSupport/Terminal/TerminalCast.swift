import Foundation

/// Screens with the moments at which they were shown.
public struct TerminalCast: Sendable {
    public struct Frame: Sendable {
        /// Since the beginning, in seconds.
        public var time: Double
        public var screen: TerminalScreen
    }

    public private(set) var frames: [Frame] = []
    /// In seconds: how long all of it is shown before it begins again.
    public var duration: Double

    public init(duration: Double = 0) { self.duration = duration }

    /// Adds a screen, unless it is the last one. All have one size.
    public mutating func add(_ screen: TerminalScreen, at time: Double) {
        duration = max(duration, time)
        guard frames.last?.screen != screen else { return }
        frames.append(Frame(time: time, screen: screen))
    }

    /// An SVG that plays the screens again and again without a script; who wants no motion sees the last one.
    ///
    /// A row that is the same in several frames is drawn once, and shown whenever one of them is.
    public func svg(theme: TerminalTheme = .dark, title: String? = nil) -> String {
        guard let last = frames.last?.screen else { return "" }
        let pictures = frames.map { SVGPicture(screen: $0.screen, theme: theme) }
        var parts: [String: [Bool]] = [:]
        var order: [String] = []
        for (index, picture) in pictures.enumerated() {
            for drawing in picture.rowDrawings where !drawing.isEmpty {
                if parts[drawing] == nil {
                    parts[drawing] = Array(repeating: false, count: frames.count)
                    order.append(drawing)
                }
                parts[drawing]?[index] = true
            }
        }
        var timelines: [[Bool]: String] = [:]
        var styles = ""
        var body = ""
        for drawing in order {
            let shown = parts[drawing] ?? []
            if shown.allSatisfy(\.self) {
                body += "<g>\n\(drawing)</g>\n"
                continue
            }
            if timelines[shown] == nil {
                let name = "t\(timelines.count)"
                timelines[shown] = name
                styles += keyframes(name, shown)
            }
            body += "<g class=\"\(timelines[shown] ?? "")\">\n\(drawing)</g>\n"
        }
        let picture = SVGPicture(screen: last, theme: theme)
        return picture.frame(around: "<style>\n\(styles)</style>\n" + body, title: title)
    }

    private func keyframes(_ name: String, _ shown: [Bool]) -> String {
        let end = max(duration, 0.1)
        var steps = ""
        for index in shown.indices where index == 0 || shown[index] != shown[index - 1] {
            let percent = (frames[index].time / end * 10_000).rounded() / 100
            steps += "\(index == 0 ? "0" : "\(percent)")%{visibility:\(word(shown[index]))}"
        }
        return """
            .\(name){visibility:\(word(shown.last ?? false))}
            @media (prefers-reduced-motion:no-preference){.\(name){animation:\(name) \(end)s step-end infinite}}
            @keyframes \(name){\(steps)}

            """
    }

    private func word(_ isShown: Bool) -> String { isShown ? "visible" : "hidden" }
}
