internal import ByteClubMessages

extension KeyCommand {
    /// Lists the keys of the current context in a menu that runs the chosen one.
    public static let keyMenu = KeyCommand(
        "app.keys", keys: ["?", "F1"], title: localized("Keys of this context"),
        label: localized("keys"), weight: 100)
    /// Opens the line in which commands are typed by name.
    public static let commandPalette = KeyCommand(
        "app.commands", keys: [":"], title: localized("Command palette"))
    /// Paints the whole screen again, e.g. after another program has written on it.
    public static let redraw = KeyCommand(
        "app.redraw", keys: ["^L"], title: localized("Draw the screen again"))
    /// Stops the program as job control does; `fg` in the shell brings it back.
    public static let suspend = KeyCommand(
        "app.suspend", keys: ["^Z"], title: localized("Suspend, back to the shell"))
    /// Asks to end the program; the delegate may refuse. Not available while a dialog is open.
    public static let quit = KeyCommand(
        "app.quit", keys: ["q"], title: localized("Quit"), label: localized("quit"))

    /// The commands that work everywhere.
    public static let applicationCommands: [KeyCommand] = [
        .keyMenu, .commandPalette, .redraw, .suspend, .quit,
    ]
}

extension Application {
    func makeKeyTable() -> KeyTable {
        let isModal = !presentations.isEmpty
        return KeyTable(localized("Everywhere")) {
            KeyCommand.keyMenu.performs { self.presentKeyMenu() }
            KeyCommand.commandPalette.performs { self.presentCommandPalette() }
            KeyCommand.redraw.performs { self.redraw() }
            KeyCommand.suspend.performs { self.suspend() }
            if !isModal {
                KeyCommand.quit.performs { self.requestTermination() }
            }
        }
    }

    /// Shows the keys of the current context; the chosen one is run.
    public func presentKeyMenu() {
        guard !(topViewController is KeyMenuController) else { return }
        present(
            KeyMenuController(chain: responderChain, bindings: configuration.bindings) {
                [weak self] in self?.perform($0)
            })
    }

    /// Shows the line for commands: the delegate's, and those of the current context.
    public func presentCommandPalette() {
        guard !(topViewController is CommandPaletteController) else { return }
        let commands = delegate?.applicationCommands(self) ?? []
        present(
            CommandPaletteController(
                commands, chain: responderChain, bindings: configuration.bindings
            ) { [weak self] in self?.perform($0) })
    }

    /// Asks the delegate for its commands again and shows them, where the palette is open.
    public func reloadCommandPalette() {
        guard let palette = topViewController as? CommandPaletteController else { return }
        palette.show(delegate?.applicationCommands(self) ?? [])
    }

    /// Ends the program unless the delegate refuses.
    public func requestTermination() {
        if delegate?.applicationShouldTerminate(self) ?? true { terminate() }
    }
}
