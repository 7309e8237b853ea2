internal import ClubAccess
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// Shows the settings and changes them in `config.yml`, without changing other lines. Keys and styles are
/// edited in the file, in the user's own editor.
final class SettingsViewController: ViewController {
    private let file: SettingsFile
    private var settings: Settings
    private var screen: ScreenSettings
    private let list = ListView()
    /// The valid values of the selected setting.
    private let choices = Label("")

    /// Called whenever the settings were read.
    var didRead: ((Settings) -> Void)?
    /// Called to choose another club, after the dialog was dismissed.
    var chooseClub: (() -> Void)?

    init(_ file: SettingsFile, _ settings: Settings) {
        self.file = file
        self.settings = settings
        screen = ScreenSettings(settings)
        super.init()
        title = localized("Settings")
    }

    /// What a row represents.
    private enum Row {
        case setting(EditableSetting)
        case clubs, keys, looks
        case problem(Settings.Problem)
    }

    private var rows: [Row] {
        EditableSetting.all.map(Row.setting) + [.clubs, .keys, .looks]
            + screen.problems.map(Row.problem)
    }

    override func viewDidLoad() {
        view.addSubview(list)
        view.addSubview(choices)
        list.dataSource = self
        list.delegate = self
        list.activationLabel = localized("change")
        list.reloadData()
        showChoices()
        read()
    }

    override var preferredFirstResponder: View? { list }

    override func preferredSize(in available: Size) -> Size {
        Size(width: min(available.width, 64), height: min(available.height, rows.count + 2))
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        choices.frame = area.takeBottom(area.height > 4 ? 1 : 0)
        if area.height > rows.count { _ = area.takeBottom(1) }
        list.frame = area
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.editSettingsFile.performs { self.editFile() }
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }
}

// MARK: - Changing

extension SettingsViewController {
    /// The file may have been changed by an editor or another program.
    private func read() {
        _ = startPending { [self] in adopt(await Self.read(file)) }
    }

    private func adopt(_ new: Settings) {
        settings = new
        screen = ScreenSettings(new)
        didRead?(new)
        list.reloadData()
        showChoices()
        view.superview?.setNeedsLayout()
    }

    @concurrent private nonisolated static func read(_ file: SettingsFile) async -> Settings {
        file.read()
    }

    private func change(_ setting: EditableSetting) {
        let now = setting.value(settings, screen)
        switch setting.kind {
        case .choice(let values):
            let index = values.firstIndex(of: now).map { ($0 + 1) % values.count } ?? 0
            write(values[index], to: setting)
        case .text(let hint, let check):
            let old = now == localized("no limit") ? "" : now
            let prompt = PromptViewController(
                title: setting.title, label: setting.path.joined(separator: ": "), text: old,
                action: localized("Change"), hint: hint, accept: check)
            prompt.didAccept = { [weak self] new in
                // The default is not written as a choice.
                guard new != old else { return }
                self?.write(new.isEmpty ? nil : new, to: setting)
            }
            present(prompt)
        }
    }

    private func write(_ value: String?, to setting: EditableSetting) {
        _ = startPending { [self] in
            do throws(SettingsError) {
                adopt(try await Self.write(value, at: setting.path, in: file))
                if !setting.notice.isEmpty { application?.showMessage(setting.notice) }
            } catch {
                present(
                    AlertController(
                        title: localized("Not changed"), message: TextLine(error.description)))
            }
        }
    }

    @concurrent private nonisolated static func write(
        _ value: String?, at path: [String], in file: SettingsFile
    ) async throws(SettingsError) -> Settings {
        try file.set(value, at: path)
        return file.read()
    }

    /// Opens the file in `$VISUAL` or `$EDITOR`.
    private func editFile() {
        guard let editor = ExternalEditor() else {
            application?.showMessage(
                localized("No editor is set: set VISUAL or EDITOR, for example EDITOR=nano."),
                .warning)
            return
        }
        _ = startPending { [self] in
            guard let application else { return }
            let path = file.url.path
            let ending = await application.lendScreen { [file] in
                await Self.prepare(file)
                return await editor.run(on: path)
            }
            adopt(await Self.read(file))
            if let problem = screen.problems.first {
                application.showMessage(problem.description, .warning, for: .seconds(20))
            } else if !ending.isSuccess {
                application.showMessage(
                    localized("“\(editor.name)” did not end as it should."), .warning)
            }
        }
    }

    /// An editor needs the folder.
    @concurrent private nonisolated static func prepare(_ file: SettingsFile) async {
        file.makeFolder()
    }
}

// MARK: - The list

extension SettingsViewController: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { rows.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        switch rows[index] {
        case .setting(let setting):
            row(setting.title, setting.value(settings, screen))
        case .clubs: row(localized("Clubs"), "\(settings.clubs.count + 1)")
        case .keys: row(localized("Custom keys"), "\(screen.keys.count)")
        case .looks: row(localized("Custom styles"), "\(screen.styles.count)")
        case .problem(let problem): ListRow(TextLine(problem.description, .warning))
        }
    }

    private func row(_ title: String, _ value: String) -> ListRow {
        // A narrow list has no columns.
        guard list.bounds.width >= 42 else { return ListRow(TextLine("\(value) · \(title)")) }
        return ListRow(TextLine(title), columns: [.init(value, width: 14, role: .accent)])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { index }

    func listViewDidChangeSelection(_ list: ListView) { showChoices() }

    /// Shows the valid values of the selected setting, and the current one.
    private func showChoices() {
        guard let index = list.selectedIndex, rows.indices.contains(index) else {
            choices.text = ""
            return
        }
        switch rows[index] {
        case .setting(let setting):
            switch setting.kind {
            case .text(let hint, _): choices.text = TextLine(hint, .secondary)
            case .choice(let values):
                let now = setting.value(settings, screen)
                choices.text = values.enumerated().reduce(into: TextLine("")) { line, value in
                    if value.offset > 0 { line = line + TextLine(" · ", .secondary) }
                    line =
                        line
                        + TextLine(value.element, value.element == now ? .accent : .secondary)
                }
            }
        case .clubs: choices.text = TextLine(localized("The clubs to choose from."), .secondary)
        case .keys, .looks, .problem:
            choices.text = TextLine(localized("Written in config.yml: E edits it."), .secondary)
        }
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        switch rows[index] {
        case .setting(let setting): change(setting)
        case .clubs: dismiss { [chooseClub] in chooseClub?() }
        case .keys, .looks, .problem: editFile()
        }
    }
}

extension KeyCommand {
    static let editSettingsFile = KeyCommand(
        "settings.edit-file", keys: ["E"],
        title: localized("Edit config.yml in $VISUAL or $EDITOR"),
        label: localized("edit the file"), weight: 70)

    static let settingsCommands: [KeyCommand] = [.editSettingsFile]
}
