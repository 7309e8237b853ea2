import TerminalUI
import Testing

@testable import ByteClub

@Suite struct PickerChoicesTests {
    @Test(arguments: [
        (0, PickerChoices(), ""),
        (1, PickerChoices(), "1 photo is marked."),
        (0, PickerChoices(order: .date), "by date"),
        (
            2, PickerChoices(order: .date, keepsOriginals: true),
            "2 photos are marked. · by date · photos go as they are"
        ),
        (
            0, PickerChoices(showsHidden: true, keepsOriginals: true),
            "with hidden files · photos go as they are"
        ),
    ])
    func saysWhatIsNotStandard(marked: Int, choices: PickerChoices, words: String) {
        #expect(choices.summary(marked: marked).text == words)
    }
}
