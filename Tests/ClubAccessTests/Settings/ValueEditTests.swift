import Testing

@testable import ClubAccess

/// One value changes: every other byte stays.
@Suite struct ValueEditTests {
    @Test(arguments: [
        ("", "plain: on\n"), ("# mine\n", "# mine\n\nplain: on\n"),
        ("mouse: off\n", "mouse: off\nplain: on\n"), ("plain: off\n", "plain: on\n"),
        ("plain: off   # why\nmouse: on\n", "plain: on  # why\nmouse: on\n"),
        ("mouse: on\r\nplain: off\r\n", "mouse: on\r\nplain: on\r\n"),
        ("plain: \"off # no\" # yes\n", "plain: on  # yes\n"),
    ])
    func setsAValueAtTheLeftEdge(old: String, new: String) {
        #expect(ValueEdit(old).setting("on", at: ["plain"]) == new)
    }

    @Test(arguments: [
        ("", "editor:\n  wrap: off\n"), ("editor:\n", "editor:\n  wrap: off\n"),
        ("mouse: on\n", "mouse: on\n\neditor:\n  wrap: off\n"),
        (
            "editor:\n    tab-width: 2   # two\n# end\n",
            "editor:\n    tab-width: 2   # two\n    wrap: off\n# end\n"
        ),
        (
            "editor:\n  wrap: on # long\n  tab-width: 2\nmouse: on\n",
            "editor:\n  wrap: off  # long\n  tab-width: 2\nmouse: on\n"
        ),
        ("editor:\n  wrap: on", "editor:\n  wrap: off\n"),
    ])
    func setsAValueOfASection(old: String, new: String) {
        #expect(ValueEdit(old).setting("off", at: ["editor", "wrap"]) == new)
    }

    @Test(arguments: [
        ("", ""), ("transfers:\n  limit-rate: 4M\n", "transfers:\n"),
        (
            "transfers:\n  limit-rate: 4M # slow\n  photo-quality: 1\n",
            "transfers:\n  photo-quality: 1\n"
        ),
        ("mouse: on\n", "mouse: on\n"),
    ])
    func removesAValue(old: String, new: String) {
        #expect(ValueEdit(old).setting(nil, at: ["transfers", "limit-rate"]) == new)
    }

    @Test(arguments: [
        "editor: {wrap: on}\n", "editor: [wrap]\n", "- editor\n", "editor: vim\n", "editor: ~\n",
        "\tbroken", "editor:\n  wrap:\n    - on\n    - off\n", "{editor: {}}\n",
        "editor:\n  wrap: >\n    on\n",
    ])
    func changesNothingThatItCannotChangeAlone(text: String) {
        #expect(ValueEdit(text).setting("off", at: ["editor", "wrap"]) == nil)
    }
}
