import TerminalUI
import Testing

/// The footer calls a button by its title, within a sentence.
@MainActor @Suite struct ButtonLabelTests {
    @Test(arguments: [
        ("Sign in", "sign in"), ("Keep both", "keep both"), ("OK", "OK"), ("PNG only", "PNG only"),
        ("“Dawn.jpg” instead", "“Dawn.jpg” instead"), ("Überspringen", "überspringen"),
        ("Upload as “Dawn over the Lake (2).jpg”", "upload as “Dawn over the Lake (2).jpg”"),
        ("替换", "替换"), ("", ""),
    ])
    func onlyTheFirstLetterIsMadeSmall(title: String, label: String) {
        #expect(AlertAction(title).label == label)
        #expect(AlertAction(title, label: "Other").label == "Other")
    }
}
