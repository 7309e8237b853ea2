/// ArgumentParser's scripts for shells take the name of a subcommand for the address, which may be there as well.
enum CompletionScript {
    /// The same text, with the names of subcommands before the address if it is such a script.
    static func corrected(_ text: String) -> String {
        // For bash: how many words are not options.
        let count = #"options "$([[ "${unparsed_words[*]}" = @(ls|help)\ * ]]; echo $?)""#
        return text.replacing("options 1", with: count, maxReplacements: 1)
            .replacing(
                "        '(-): :->command'\n        '(-)*:: :->arg'\n", with: "",
                maxReplacements: 1
            )
            .replacing("':address:'", with: "':address:->command'", maxReplacements: 1)
            .replacing("    _arguments -w", with: zshDispatch, maxReplacements: 1)
    }

    /// Completes a subcommand's words by its own function, as zsh's `*::` does.
    private static let zshDispatch = #"""
            if (( CURRENT > 2 )) && [[ "${words[2]}" = (ls|help) ]]; then
                shift words
                (( CURRENT-- ))
                "_nerdfeed_${words[1]}"
                return
            fi
            _arguments -w
        """#
}
